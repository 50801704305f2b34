"""Replays of many games as one HTML document that opens from disk: a list, and for each game its data.

Written game by game, so only one is held at a time, and ended by a trailer: a document without one was cut off, and
says so itself. What is in it is for one reader, drawn as in the file of one game, by the same script.
"""

from collections.abc import Generator, Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec.json import encode

from api.archive import Record, Stretch
from api.stretches import Look, Trailer
from api.viewer import rendering
from api.viewer.asking import ReplayQuery
from api.viewer.standalone import FilePage, Steps, clothes, draw, inlined
from api.viewer.texts import TEXTS, Texts
from projections.explain import Language

MOST_GAMES: Final = 100
MOST_BYTES: Final = 32 * 1024 * 1024
"""With so many a document is full, which a browser on a phone can still open: no further game begins."""
_LINE: Final = 64 * 1024

_volume: Final = rendering.environment.get_template("volume.html").module


class _PageInVolume(FilePage):
    """The links of a game among others: where it stands in the archive, and the version."""

    def __init__(self, record: Record, texts: Texts) -> None:
        super().__init__(record.game.head.game_id, ReplayQuery(), texts)
        self._position = record.position

    def link(self, version: int | None) -> str:
        return f"#{self._position}.{version}"


class _Volume:
    """What has been written of a document."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.games = self.size = 0
        self._sha = sha256()

    @property
    def is_full(self) -> bool:
        """Whether no further game begins; a single one always does, or nobody would get past it."""
        return self.games >= MOST_GAMES or (self.games > 0 and self.size >= MOST_BYTES)

    def put(self, data: bytes) -> bytes:
        """Count these bytes and return them."""
        self._sha.update(data)
        self.size += len(data)
        return data

    def macro(self, name: str, *args: Any, **named: Any) -> bytes:
        """Return a piece of the template, counted."""
        found = getattr(_volume, name)(self.texts, *args, **named)
        return self.put(str(found).encode())

    def trailer(self, since: int, position: int) -> bytes:
        """Return the last line, for all that was counted."""
        made = Trailer(self.games, self._sha.hexdigest(), since, position)
        return b"<!-- " + msgspec.json.encode(made) + b" -->\n"


def as_html(
    records: Iterable[Record], look: Look, stretch: Stretch, lang: Language
) -> Generator[bytes, None, int]:
    """Yield a document with the games of a stretch; return the position that the next one goes on from.

    That is the end of the stretch, or, if the document is full before, the position of its last game. The trailer
    says it, too.
    """
    done = _Volume(TEXTS[lang])
    yield done.macro("begin", done.texts["title.list"], **clothes())
    last, position = stretch.since, stretch.until
    for record in records:
        if done.is_full:
            position = last
            break
        yield from _game(done, record, look)
        done.games, last = done.games + 1, record.position
    yield done.macro("end", done.games, stretch.since, position, full=position != stretch.until)
    yield done.trailer(stretch.since, position)
    return position


def _game(done: _Volume, record: Record, look: Look) -> Iterator[bytes]:
    """Yield a game's data and then its row: whoever sees the row has all of it."""
    eyes = look(record.game)
    assert eyes is not None, "a game"
    found = draw(record.then, eyes, _PageInVolume(record, done.texts), record.disputes)
    yield done.put(b'<script type="application/json" id="g%d">\n' % record.position)
    for text in _data(found.shell, found.steps):
        yield done.put(inlined(text).encode())
    yield done.put(b"\n</script>\n")
    yield done.macro("row", record.position, found.told)


def _data(shell: str, steps: Steps) -> Iterator[bytes]:
    """Yield the JSON in lines of bounded length, so that no reader needs to hold a game's in one."""
    yield b'{"shell":'
    yield from _listed(shell[at : at + _LINE] for at in range(0, len(shell), _LINE))
    for name in ("parts", "says"):
        yield b',"%s":' % name.encode()
        yield from _listed(getattr(steps, name))
    for name in ("regions", "jumps"):
        yield b',"%s":{' % name.encode()
        yield from _joined(
            encode(key) + b":" + encode(found) for key, found in getattr(steps, name).items()
        )
        yield b"}"
    yield b"}"


def _listed(texts: Iterable[str]) -> Iterator[bytes]:
    yield b"["
    yield from _joined(map(encode, texts))
    yield b"]"


def _joined(texts: Iterable[bytes]) -> Iterator[bytes]:
    for number, text in enumerate(texts):
        yield (b",\n" if number else b"\n") + text
