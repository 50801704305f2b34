"""Games as text for people: in the words of the table, with the disputes about them as comments behind them.

Reads no table and writes no file; what may not be seen was taken out before.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from api import dispute_words
from api.files import Filed
from events.formats.notation_writer import write_game


def write_text(games: Iterable[Filed]) -> Iterator[bytes]:
    """Yield the lines of games and disputes, an empty one between two."""
    for number, game in enumerate(games):
        if number:
            yield b"\n"
        yield from dispute(game) if game.head.kind == "dispute" else lines(game, game.events)


def lines(game: Filed, events: Sequence[Any]) -> Iterator[bytes]:
    """Yield a game's lines with these events of it."""
    remarks = {version: text for version, (_, text) in game.remarks.items()}
    for line in write_game(events, game.names, remarks):
        yield line.encode() + b"\n"


def dispute(found: Filed, upto: int | None = None) -> Iterator[bytes]:
    """Yield a dispute's lines, which are comments: whoever reads the file again passes them over."""
    for line in dispute_words.lines(found, upto):
        yield f"# {line}\n".encode()
