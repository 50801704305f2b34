"""A single act in the words of the table, for either game: what a reader asks about, not a whole log. Pure."""

from typing import Any, Final

from events.common import Event
from events.errors import ActError
from events.formats import loo_lines
from events.formats.acts import parse_act
from events.games import LANTERLOO

_LETTERS: Final = "ABCDEFGH"


def read_single(game: str, line: str, state: Any, seats: int) -> Event:
    """Return the act that *line* writes at this table, as "A discard 2C" or "A KS"; raise ActError."""
    letters = _LETTERS[:seats]
    if game != LANTERLOO.name:
        return parse_act(line, state, letters)
    first, *words = line.split() or [""]
    if not words or len(first) != 1 or first not in letters:
        raise ActError(f"not an act: {line!r}, expected e.g. 'A KS'")
    return loo_lines.read_act(words, letters.index(first), state, letters)
