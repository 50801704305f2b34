"""`lanterlog verify --store` and `lanterlog anchor`: whether the store still holds what was recorded.

Reads in one snapshot with as many processes as there are cores, and writes to no database.
"""

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import Connection, Engine

from api import db
from api.commands import crew, output
from api.commands.store import count_games
from api.commands.transfer import naming
from api.config import Config
from events import scan
from events.errors import BadUsage, FormatError
from events.formats import lines_of
from events.scan import Checked, Stretch
from events.soundness import Anchor, Damage, read_anchors

SOUND, DAMAGED = 0, 1
MOST_EVENTS: Final = 20_000
MOST_GAMES: Final = 1_000
"""How much one process takes at a time: enough to be worth a message, little enough to share out evenly."""
UNANCHORED: Final = (
    "without --anchors this cannot tell: a careful superuser could have rewritten everything, "
    "chains and ledger alike"
)
_LONGEST_ANCHOR: Final = 1_000
_ASIDE: Final = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


class Found(msgspec.Struct):
    """What the check of a store has come to so far."""

    games: int = 0
    events: int = 0
    ledger: int = 0
    anchors: int | None = None
    damages: list[Damage] = msgspec.field(default_factory=list)

    def add(self, checked: Checked) -> None:
        """Count one more stretch."""
        self.games += checked.games
        self.events += checked.events
        self.ledger += checked.rows
        self.damages += checked.damages


def verify_store(args: Namespace) -> int:
    """Check every chain, text, head, command and ledger row, and the anchors if they are given."""
    anchors = _read_anchors(args.anchors)
    config = Config.from_environment()
    jobs = args.jobs or crew.cores()
    with db.opened(config) as engine, reading(engine) as conn:
        found = Found()
        with output.progress("verifying games", count_games(conn)) as bar:
            for checked in checks(conn, engine, jobs):
                found.add(checked)
                bar.step(checked.games)
        if anchors is not None:
            found.anchors, damages = scan.check_anchors(conn, iter(anchors))
            found.damages += damages
    _tell(found, as_json=args.json)
    return DAMAGED if found.damages else SOUND


def anchor(args: Namespace) -> int:
    """Print where the ledger stands, and add it to a file that is on disk when this returns."""
    with db.opened(Config.from_environment()) as engine, reading(engine) as conn:
        at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        made = msgspec.json.encode(scan.anchor_now(conn, at))
    if args.output:
        _append(Path(args.output), made + b"\n")
    output.line(made.decode())
    return SOUND


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that sees one snapshot, and never writes."""
    with engine.execution_options(**_ASIDE).connect() as conn:
        yield conn


def checks(conn: Connection, engine: Engine, jobs: int) -> Iterator[Checked]:
    """Check all stretches, in this process if there is little to do or one job is wanted."""
    waiting = scan.stretches(conn, MOST_EVENTS, MOST_GAMES)
    first = list(islice(waiting, 3))
    if jobs == 1 or len(first) < 3:
        for stretch in chain(first, waiting):
            yield scan.check(conn, stretch)
        return
    url = engine.url.render_as_string(hide_password=False)
    snapshot = scan.share_snapshot(conn)
    yield from crew.spread(_check, chain(first, waiting), jobs, _join, (url, snapshot))


_JOINED: list[Connection] = []
"""A checking process's connection, which ends with the process."""


def _join(url: str, snapshot: str) -> None:
    config = Config(database_url=url, home=Path("/"), pool_size=1)
    conn = db.engine(config).execution_options(**_ASIDE).connect()
    scan.use_snapshot(conn, snapshot)
    _JOINED.append(conn)


def _check(stretch: Stretch) -> Checked:
    return scan.check(_JOINED[0], stretch)


def _tell(found: Found, *, as_json: bool) -> None:
    if as_json:
        output.as_json({"ok": not found.damages} | msgspec.structs.asdict(found))
        return
    for damage in found.damages:
        output.line(f"damaged: {_place(damage)} {damage.reason}")
    what = (
        f"{output.count(found.games, 'game')}, {output.count(found.events, 'event')}, "
        f"{output.count(found.ledger, 'position')} of the ledger"
    )
    held = "" if found.anchors is None else f", {output.count(found.anchors, 'anchor')}"
    if found.damages:
        output.line(f"damaged: {output.count(len(found.damages), 'place')}; sound: {what}{held}")
    else:
        output.line(f"sound: {what}{held}")
    if found.anchors is None:
        output.say(UNANCHORED)


def _place(damage: Damage) -> str:
    if damage.game_id is None:
        return f"ledger: position {damage.position}"
    return f"game {damage.game_id}: version {damage.version}"


def _read_anchors(name: str | None) -> list[Anchor] | None:
    if name is None:
        return None
    try:
        with Path(name).open("rb") as file:
            found = list(read_anchors(lines_of(file)))
    except FormatError as error:
        raise BadUsage(f"{name}, {error}") from error
    if not found:
        raise BadUsage(f"no anchor in {name}, expected a file that `lanterlog anchor -o` wrote")
    return found


def _append(path: Path, line: bytes) -> None:
    """Add a line to a file and wait until the disk has it, the file's name too."""
    with naming(path), path.open("a+b") as file:
        if (size := file.tell()) > 0:
            file.seek(-min(size, _LONGEST_ANCHOR), os.SEEK_END)
            _check_end(path, file.read())
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _check_end(path: Path, end: bytes) -> None:
    """Raise BadUsage where a file does not end with a whole anchor: it is half written, or something else."""
    if not end.endswith(b"\n"):
        raise BadUsage(f"{path} ends in the middle of a line, expected whole lines")
    try:
        list(read_anchors([end.splitlines()[-1]]))
    except FormatError as error:
        raise BadUsage(
            f"{path} ends with {error.reason}; expected a file of anchors, or a new one"
        ) from error
