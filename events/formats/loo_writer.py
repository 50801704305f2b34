"""Table notation, written: what only Lanterloo has, as `loo_reader.py` reads it; the rest is in `notation_words.py`.

What the notation cannot hold is left out: salts, hashes, times and who recorded it (the NDJSON has them).
"""

from collections.abc import Iterator

import msgspec

from events.common import GameEnded
from events.formats.loo_lines import write_act
from events.formats.notation_words import numbers
from events.lanterloo.events import LooEvent, MissDealt, PositionSet, SessionDivided, TurnUp


def own_lines(event: LooEvent, letters: str) -> Iterator[str]:
    """Yield the lines of an event that only this game has, or words in its own way."""
    words = write_act(event, letters)
    if words is not None:
        seat: int = getattr(event, "seat", 0)
        yield f"{letters[seat]} {words}"
        return
    match event:
        case MissDealt():
            yield f"miss: {' '.join(event.cards)}"
        case TurnUp():
            yield f"turn-up: {event.card}"
        case SessionDivided():
            yield f"divided {numbers(event.shares, letters)}"
        case GameEnded():
            winner = "none" if event.winner is None else letters[event.winner]
            yield "abandoned" if event.abandoned else f"winner: {winner}"
        case PositionSet():
            yield f"position: {msgspec.json.encode(event).decode()}"
