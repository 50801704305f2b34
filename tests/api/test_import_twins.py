"""`import` and `import --bulk` refuse the same: every file that one of them finds bad, at the same line."""

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api.cli import main
from api.commands import bulk
from events import dispute_files, store
from events.chain import NIL_HEAD, event_hash, inner_hash, text_hash
from events.codec import encode
from events.common import GameOpened, Remarked, Retracted
from events.disputes import DisputeEvent, DisputeOpened, Ruled, StatementAdded
from events.formats import ndjson
from events.formats.detect import read_file
from events.records import Head, StoredEvent
from tests.api.disputing import SAMPLE
from tests.postgres import Database

pytestmark = pytest.mark.store

WHO = UUID(int=7)
SALT = b"s" * 16
NOON = 1_767_268_800_000_000
DISPUTE = UUID("01a22a4b-2297-763f-9f40-4af2dc05d080")


class Stream(msgspec.Struct):
    """A stream as it is put into a file; its chain is worked out then."""

    game_id: UUID
    bodies: list[bytes]
    kind: str = "game"
    game: str = "rummy500"
    mode: str = "recorded"
    names: dict[str, str] = {}
    texts: dict[int, tuple[bytes, str]] = {}
    withheld: tuple[int, ...] = ()
    backwards: bool = False

    def stored(self) -> list[StoredEvent]:
        previous, found = NIL_HEAD, []
        for version, body in enumerate(self.bodies, 1):
            at = NOON - version if self.backwards else NOON + version
            previous = event_hash(self.game_id, version, previous, at, WHO, inner_hash(SALT, body))
            found.append(StoredEvent(self.game_id, version, at, WHO, SALT, previous, body))
        return found

    def head(self) -> Head:
        last = self.stored()[-1]
        fixed = (self.game_id, self.kind, self.game, self.mode, "public")
        return Head(*fixed, last.version, last.hash, NOON - 1000, last.recorded_at)


def written(*streams: Stream) -> list[bytes]:
    """The lines of a file that holds, whatever sense it makes."""
    writer, lines = ndjson.Writer(), list[bytes]()
    for one in streams:
        parts = (one.head(), one.stored(), one.names, one.texts, one.withheld)
        lines += writer.game(*parts)
    return [*lines, writer.end()]


GAMES = list(read_file(BytesIO(SAMPLE)))[:2]
OPENED: GameOpened[Any] = GAMES[0].events[0]


def game(number: int = 0, most: int = 40) -> Stream:
    one = GAMES[number]
    return Stream(one.game_id, [encode(event) for event in one.events[:most]])


def dispute(about: Stream, **changes: Any) -> Stream:
    """A dispute about a game as it stands, ruled on."""
    opened = DisputeOpened(
        game_id=str(about.game_id), game=about.game, at=len(about.bodies), head=about.head().head.hex(),
        versions=(5,), by=None, rules=(), remedy="note", demanded=(), text=text_hash(SALT, "?").hex(),
    )  # fmt: skip
    ruled = Ruled(
        by=None, decision="upheld", facts=(), rules=(), adjustments=(), text=text_hash(SALT, "!").hex()
    )  # fmt: skip
    return argued(replace(opened, **changes), ruled)


def argued(*events: DisputeEvent) -> Stream:
    return Stream(DISPUTE, [encode(event) for event in events], "dispute", "dispute")


def said(text: str = "x") -> StatementAdded:
    return StatementAdded(by=None, text=text_hash(SALT, text).hex())


def more(one: Stream, *events: Any) -> Stream:
    return replace(one, bodies=[*one.bodies, *map(encode, events)])


def opened_as(**changes: Any) -> Stream:
    return replace(game(), bodies=[encode(replace(OPENED, **changes)), *game().bodies[1:]])


def at(lines: list[bytes], place: int, old: bytes, new: bytes) -> list[bytes]:
    assert old in lines[place]
    return [line.replace(old, new) if place == n else line for n, line in enumerate(lines)]


def renumbered() -> list[bytes]:
    """Two games that are both the first, in a file whose trailer holds."""
    first, second = written(game())[:-1], written(game(1))[:-1]
    lines = [*first, *second]
    from hashlib import sha256

    from events.formats.ndjson_lines import EndLine, encode_line

    digest = sha256(b"".join(lines)).hexdigest()
    return [*lines, encode_line(EndLine(2, len(lines) - 2, digest))]


def hushed(text: str) -> Stream:
    remark = Remarked(seat=0, text=text_hash(SALT, text).hex())
    one = more(game(), remark)
    return replace(one, texts={len(one.bodies): (SALT, text)})


BODY = json.dumps({"t": "discarded", "v": 1, "seat": 0, "card": "AS"}).replace(" ", "").encode()
BAD: dict[str, Callable[[], list[bytes]]] = {
    "dispute without its game": lambda: written(game(1), dispute(game())),
    "dispute about another log": lambda: written(game(), dispute(game(), head="0" * 64)),
    "dispute about a later version": lambda: written(game(), dispute(game(), at=41)),
    "dispute about another game's rules": lambda: written(game(), dispute(game(), game="lanterloo")),
    "dispute about a dispute": lambda: written(
        game(), dispute(game()), replace(dispute(dispute(game()), at=1, versions=(1,)), game_id=WHO)
    ),
    "dispute ruled twice": lambda: written(game(), more(dispute(game()), *ruling())),
    "dispute not opened": lambda: written(game(), argued(said())),
    "dispute with a statement too late": lambda: written(game(), more(dispute(game()), said())),
    "administration": lambda: written(game(), replace(game(1), kind="admin", game="admin")),
    "withheld": lambda: written(game(), replace(game(1), withheld=(3,))),
    "opened again": lambda: written(more(game(), OPENED)),
    "retraction at a refereed table": lambda: written(
        replace(more(opened_as(mode="refereed"), Retracted(back_to=2, reason="slip")), mode="refereed")
    ),
    "remark about what comes later": lambda: written(
        more(game(), Remarked(seat=0, about=99, text="0" * 64))
    ),
    "seat that is not there": lambda: written(
        replace(game(), bodies=[*game().bodies, BODY.replace(b":0,", b":7,")])
    ),
    "unknown event": lambda: written(
        replace(game(), bodies=[*game().bodies, BODY.replace(b"discarded", b"dismissed")])
    ),
    "body in another order": lambda: written(
        replace(game(), bodies=[*game().bodies, b'{"t":"discarded","v":1,"card":"AS","seat":0}'])
    ),
    "opened in another mode": lambda: written(replace(game(), mode="refereed")),
    "long name": lambda: written(replace(game(), names={OPENED.seats[0]: "x" * 201})),
    "name that no database holds": lambda: written(replace(game(), names={OPENED.seats[0]: "a\0b"})),
    "text that no database holds": lambda: written(hushed("a\0b")),
    "clock set back": lambda: written(replace(game(), backwards=True)),
    "another remark": lambda: at(written(hushed("hush")), 41, b'"hush"', b'"loud"'),
    "another hash": lambda: at(written(game()), 3, written(game())[3][-80:-60], b"0" * 20),
    "another salt": lambda: at(written(game()), 3, SALT.hex().encode(), b"0" * 32),
    "first line changed": lambda: at(written(game()), 0, b"public", b"private"),
    "spaces": lambda: at(written(game()), 2, b",", b", "),
    "here with another end": lambda: written(game(), game(most=39)),
    "numbered wrongly": renumbered,
    "event missing": lambda: [line for n, line in enumerate(written(game())) if n != 4],
    "cut off": lambda: written(game())[:-1],
    "more after the end": lambda: [*written(game()), b"{}\n"],
}  # fmt: skip


def ruling() -> Sequence[DisputeEvent]:
    return [
        Ruled(
            by=None, decision="rejected", facts=(), rules=(), adjustments=(), text=text_hash(SALT, "!").hex()
        )
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def _settings(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database.app_url)


class Run:
    """Imports files by either command, and tells what each says of them."""

    def __init__(self, file: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.file = file
        self.capfd = capfd

    def __call__(self, lines: list[bytes], *words: str) -> tuple[int, Any]:
        self.file.write_bytes(b"".join(lines))
        self.capfd.readouterr()
        code = main(["import", "--json", *words, str(self.file)])
        return code, json.loads(self.capfd.readouterr().out)


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    return Run(tmp_path / "games.ndjson", capfd)


def stored(engine: Engine) -> dict[UUID, int]:
    with engine.connect() as conn:
        return {head.game_id: head.version for head in store.heads(conn)}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_by_both_at_the_same_line(run: Run, engine: Engine, name: str):
    lines = BAD[name]()
    code, told = run(lines)
    assert code in (1, 2)
    assert (told["stored"], stored(engine)) == (False, {})
    bulk_code, found = run(lines, "--bulk")
    assert bulk_code == code
    [bad, *_] = found["bad"]
    if name == "here with another end":
        assert (bad["line"], bad["reason"]) == (42, told["error"])
        return
    # What only the database refuses has no line there.
    assert bad["line"] == (told["line"] or 1)
    assert bad["game_id"] is None or bad["reason"] in told["error"]
    assert {one["game_id"] for one in found["bad"]}.isdisjoint(map(str, stored(engine)))


def test_a_dispute_comes_in_by_either_and_once(run: Run, engine: Engine):
    lines = written(game(), dispute(game()))
    assert run(lines, "--bulk")[1]["imported"] == 2
    assert run(lines, "--bulk")[1]["present"] == 2
    assert len(run(lines)[1]["present"]) == 2
    # Its game was here already.
    other = replace(dispute(game()), game_id=WHO)
    assert run(written(other), "--bulk")[1]["imported"] == 1
    assert stored(engine) == {GAMES[0].game_id: 40, DISPUTE: 2, WHO: 2}


@pytest.mark.parametrize(("jobs", "words"), [("1", ("--check",)), ("2", ())])
def test_a_dispute_finds_its_game_in_whatever_batch_it_is(
    run: Run, engine: Engine, monkeypatch: pytest.MonkeyPatch, jobs: str, words: tuple[str, ...]
):
    monkeypatch.setattr(bulk, "MOST_GAMES", 1)
    disputes = [replace(dispute(game()), game_id=UUID(int=n)) for n in range(1, 6)]
    near = written(game(), *disputes, game(1))
    code, told = run(near, "--bulk", "--jobs", jobs, *words)
    assert (code, told["imported"], told["bad"]) == (0, 7, [])
    if words:
        assert stored(engine) == {}
        return
    assert len(stored(engine)) == 7


def test_a_dispute_far_from_its_game_waits_for_it(
    run: Run, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bulk, "MOST_GAMES", 1)
    late = [dispute(game()), replace(dispute(game(1)), game_id=WHO)]
    for lines in (written(*late, game(1), game()), written(game(1), game(), *late)):
        assert run(lines, "--check")[0] == 0
        assert run(lines, "--bulk", "--jobs", "1")[1]["bad"] == []
    assert len(stored(engine)) == 4


def test_not_too_many_disputes_wait(run: Run, engine: Engine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bulk, "MOST_LATE", 1)
    monkeypatch.setattr(dispute_files, "MOST_LATE", 1)
    late = [dispute(game()), replace(dispute(game(1)), game_id=WHO)]
    lines = written(*late, game(1), game())
    first, second = run(lines), run(lines, "--bulk")
    assert (first[0], second[0]) == (2, 2)
    assert first[1]["line"] == second[1]["bad"][0]["line"] == 4
    assert WHO not in stored(engine)
