"""`lanterlog replay` on a terminal: leafing through a game, and leaving the terminal as it was."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from api.access import NOBODY
from api.commands.browse import HELP, Browser, run
from api.terminal import CLOSED
from events import recorder
from events.formats import Import
from events.rummy500.events import RummyEvent
from projections.timeline import timeline
from tests.postgres import Database
from tests.projections.tables import discard, draw, ended, position, record, scored
from tests.served import command
from tests.simulate import RUMMY, play
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
NAMES = ("Ann", "B\x1b[2Job", "山田太郎")
LONG = play(3, 3, deals=2)


def words(version: int, event: object) -> str:
    return f"act {version} {type(event).__name__}"


def browser(events: Sequence[RummyEvent] = LONG, seat: int | None = None) -> Browser:
    return Browser("rummy500", events, words, NAMES, seat)


class Keys:
    """A screen that a list of keys is pressed at; it keeps what was shown."""

    def __init__(self, *keys: str, size: tuple[int, int] = (80, 24)) -> None:
        self.keys, self.size = list(keys), size
        self.shown: list[list[str]] = []

    def key(self) -> str:
        return self.keys.pop(0) if self.keys else CLOSED

    def show(self, lines: Sequence[str]) -> None:
        self.shown.append(list(lines))


def places(*keys: str, events: Sequence[RummyEvent] = LONG) -> list[int]:
    """The versions shown before and after each key."""
    screen = Keys(*keys)
    run(browser(events), screen)
    return [int(lines[0].split()[1]) for lines in screen.shown]


def test_one_event_at_a_time_and_never_beyond_the_ends() -> None:
    assert places("left", "right", "right", " ", "left") == [1, 1, 2, 3, 4, 3]
    assert places("end", "right", "home") == [1, len(LONG), len(LONG), 1]


def test_turns_and_deals() -> None:
    course = timeline(RUMMY, LONG)
    turns = [step for deal in course.deals for step in deal.steps]
    first, second = (deal.first for deal in course.deals)

    assert places("page down", "page down", "page up", "page up") == [1, *turns[:2], turns[0], 1]
    assert places("down", "down", "down", "up", "up") == [
        *(1, first, second, len(LONG)),
        *(second, first),
    ]


WRONG = record(
    draw(1, "7C"),
    discard(1, "KD"),
    draw(2, "8C"),
    discard(2, "9C"),
    ended("STOCK_EXHAUSTED", None),
    scored((0, 0, 0), (0, 0, 0)),
    start=position(),
)


def test_from_finding_to_finding() -> None:
    found = sorted(browser(WRONG).findings)
    assert found[:2] == [4, 7]
    assert places("n", "n", "N", "N", events=WRONG) == [1, *found[:2], found[0], found[0]]
    screen = Keys("n", "N")
    run(browser(WRONG), screen)
    assert "! B B?[2Job did not hold that card: KD is not among 4S 5S QH 7C (R-6.9)." in " ".join(
        screen.shown[1]
    )
    assert "no further finding" in screen.shown[-1][-1]


@pytest.mark.parametrize(("key", "seen"), [("1", 0), ("3", 2), ("0", None)])
def test_whose_eyes(key: str, seen: int | None) -> None:
    # the deal is still being played: only who holds a hand sees it
    events = LONG[:20]
    shown = browser(events, 1)
    shown.press("end")
    shown.press(key)
    text = "\n".join(shown.lines(60))
    backs = [line.count("??") > 0 for line in text.splitlines() if re.match(r"[> ] [ABC] ", line)]

    assert backs == [seen is not None and seat != seen for seat in range(3)]
    assert ("all hands" in text) == (seen is None)


def test_a_seat_that_is_not_there() -> None:
    screen = Keys("7")
    run(browser(), screen)
    assert "there is no seat 7, expected 1 to 3" in screen.shown[-1][-1]


def test_help_comes_and_goes() -> None:
    screen = Keys("?", "?", "?", "right")
    run(browser(), screen)
    assert [lines[0] == HELP[0] for lines in screen.shown] == [False, True, False, True, False]


@pytest.mark.parametrize("rows", range(1, 30))
def test_every_window_has_room_for_where_we_are(rows: int) -> None:
    shown = browser()
    for version in (1, 2, 9, len(LONG)):
        shown.at = version
        lines = shown.lines(rows)
        assert len(lines) <= rows
        assert f"[{version} of {len(LONG)}" in lines[-1]


class Session:
    """A program on a terminal of its own, read and pressed from outside."""

    def __init__(self, *command: str, columns: int = 80, rows: int = 24, **env: str) -> None:
        self.ours, self.theirs = pty.openpty()
        self.resize(columns, rows, tell=False)
        self.before = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", *command],
            cwd=ROOT,
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=subprocess.PIPE,
            env=os.environ | {"TERM": "xterm"} | env,
            start_new_session=True,
        )
        self.seen = ""

    def resize(self, columns: int, rows: int, *, tell: bool = True) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.process.send_signal(signal.SIGWINCH)

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def until(self, pattern: str) -> str:
        """Return what was shown up to this text."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.seen, re.DOTALL)):
            if not self._read(max(0.0, end - time.monotonic())):
                raise AssertionError(f"{pattern!r} never shown, but {self.seen[-2000:]!r}")
        shown, self.seen = self.seen[: found.end()], self.seen[found.end() :]
        return shown

    def _read(self, seconds: float) -> bool:
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.ours, 65536)
        except OSError:
            return False
        self.seen += data.decode(errors="replace")
        return bool(data)

    def end(self) -> tuple[int, bytes]:
        """Return the exit code and what was said on standard error; the terminal must be as it was."""
        self.until(re.escape("\x1b[?25h\x1b[?1049l"))
        _, said = self.process.communicate(timeout=PATIENCE)
        assert termios.tcgetattr(self.theirs) == self.before
        return self.process.returncode, said

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=PATIENCE)
        os.close(self.ours)
        os.close(self.theirs)


Start = Callable[..., Session]


@pytest.fixture
def start() -> Iterator[Start]:
    opened: list[Session] = []

    def begin(*command: str, columns: int = 80, rows: int = 24, **env: str) -> Session:
        opened.append(Session(*command, columns=columns, rows=rows, **env))
        return opened[-1]

    yield begin
    for session in opened:
        session.close()


@pytest.fixture
def replayed(start: Start, database: Database, engine: object) -> Start:
    """Starts `lanterlog replay last` on a game whose second player's name would clear a screen."""
    from api import db

    own = db.engine(database.config)
    one = Import(uuid4(), list(LONG), dict(zip(LONG[0].seats, NAMES, strict=True)), {}, 1)  # type: ignore[union-attr]
    with own.begin() as conn:
        recorder.import_games(conn, [one], NOBODY)
    own.dispose()

    def begin(*words: str, columns: int = 80, rows: int = 24) -> Session:
        command = ("-m", "api.cli", "replay", "last", *words)
        return start(*command, columns=columns, rows=rows, DATABASE_URL=database.app_url)

    return begin


@pytest.mark.store
def test_a_replay_is_leafed_through_on_a_terminal(replayed: Start) -> None:
    session = replayed()
    shown = session.until(r"\[1 of \d+.*quit")
    assert "game: rummy500" in shown
    session.press("\x1b[C")
    session.until(r"\[2 of ")
    session.press("\x1b[C\x1b[C\x1b[D")
    session.until(r"\[3 of ")
    session.press("\x1b[F")
    whole = session.until(rf"\[{len(LONG)} of {len(LONG)}.*quit")
    assert "\x1b[2J" not in whole
    assert "B?[2Job" in whole
    session.press("\x1b[H\x1b[6~")
    session.until(r"\[\d+ of ")
    session.press("1")
    session.until("as A")
    session.press("?")
    session.until("Page Down")
    session.press("q")
    assert session.end() == (0, b"")


@pytest.mark.store
def test_a_window_may_be_small_and_change(replayed: Start) -> None:
    session = replayed(columns=20, rows=5)
    shown = session.until(r"\[1 of [^\x1b]*")
    lines = re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", shown).replace("\r", "").split("\n")
    assert len(lines) <= 5
    assert [line for line in lines if len(line) > 20] == []
    session.resize(80, 30)
    session.until(r"\[1 of \d+.*q quit")
    session.resize(1, 1)
    session.until("\x1b\\[H…\x1b\\[K")
    session.press("q")
    assert session.end() == (0, b"")


@pytest.mark.store
@pytest.mark.parametrize(
    ("how", "code"), [("ctrl-c", 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_the_terminal_is_put_back_however_it_ends(
    replayed: Start, how: str | signal.Signals, code: int
) -> None:
    session = replayed()
    session.until(r"\[1 of ")
    assert termios.tcgetattr(session.theirs) != session.before
    if isinstance(how, signal.Signals):
        session.process.send_signal(how)
    else:
        session.process.send_signal(signal.SIGINT)
    assert session.end()[0] == code


def test_the_terminal_is_put_back_after_an_exception(start: Start) -> None:
    session = start(
        "-c",
        "from api.terminal import Terminal\n"
        "with Terminal() as t:\n t.show(['here'])\n t.key()\n raise RuntimeError('on purpose')",
    )
    session.until("here")
    session.press("x")
    code, said = session.end()
    assert (code, b"on purpose" in said) == (1, True)


def test_keys_are_read_whole_however_they_arrive(start: Start) -> None:
    session = start(
        "-c",
        "from api.terminal import Terminal\n"
        "with Terminal() as t:\n"
        " t.show(['ready'])\n"
        " while (key := t.key()) != 'q': t.show([f'<{key}>'])",
    )
    session.until("ready")
    sent = {
        "\x1b[A": "up", "\x1bOB": "down", "\x1b[5~": "page up", "\x1b[1;2C": "page down",
        "\x1b[1;2D": "page up", "\x1b[1~": "home", "\x1bOF": "end", "n": "n", "\x1b": "escape",
        "\x1b[99~": "escape", "\x1a": "\\?", "é": "é",
    }  # fmt: skip
    for keys, name in sent.items():
        session.press(keys)
        session.until(f"<{name}>")
    session.press("\x1b[C\x1b[Cq")
    assert session.end() == (0, b"")


@pytest.mark.store
def test_a_pipe_gets_the_acts(replayed: Start, database: Database) -> None:
    done = command("replay", "last", env=os.environ | {"DATABASE_URL": database.app_url})
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(LONG)
    assert "\x1b" not in done.stdout
