"""Table notation, written: any session of Lanterloo as the text that `loo_reader.py` reads.

What the notation cannot hold is left out: salts, hashes, times and who recorded it (the NDJSON has them).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from events.cards import UNKNOWN
from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    GameEnded,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Shuffled,
)
from events.formats.loo_lines import write_act
from events.formats.remarks import write_remark
from events.formats.rulesets import write_ruleset
from events.games import LANTERLOO
from events.lanterloo.events import LooEvent, MissDealt, PositionSet, SessionDivided, TurnUp

LETTERS: Final = "ABCDEFGH"
ERASED: Final = "(erased)"


def write_session(
    events: Sequence[LooEvent], names: Mapping[str, str], remarks: Mapping[int, str]
) -> Iterator[str]:
    """Yield the lines of one session below the file's title; *names* by player id, *remarks* by version."""
    opened = events[0]
    assert isinstance(opened, GameOpened)
    yield from _head(opened, names)
    letters = LETTERS[: len(opened.seats)]
    for version, event in enumerate(events[1:], 2):
        if isinstance(event, Remarked):
            who = "" if event.seat is None else f"{letters[event.seat]} "
            yield f"{who}{write_remark(event, remarks.get(version, ERASED))}"
        else:
            yield from event_lines(event, letters)


def _head(opened: GameOpened[Any], names: Mapping[str, str]) -> Iterator[str]:
    yield f"game: {opened.game}"
    pairs = zip(LETTERS, opened.seats, strict=False)
    yield "players: " + ", ".join(_player(letter, names.get(seat, "")) for letter, seat in pairs)
    yield f"ruleset: {write_ruleset(opened.ruleset, LANTERLOO.presets)}"
    if opened.first_dealer is not None:
        yield f"dealer: {LETTERS[opened.first_dealer]}"


def _player(letter: str, name: str) -> str:
    plain = " ".join(name.replace(",", " ").replace("=", " ").split())
    return f"{letter}={plain}" if plain and plain != letter else letter


def event_lines(event: LooEvent, letters: str) -> Iterator[str]:
    """Yield the lines of one event after the first; a remark has none here."""
    words = write_act(event, letters)
    if words is not None:
        seat: int = getattr(event, "seat", 0)
        yield f"{letters[seat]} {words}"
        return
    match event:
        case Shuffled():
            yield from _shuffle(event, letters)
        case Dealt():
            yield f"hand {letters[event.seat]}: {' '.join(event.cards)}"
        case MissDealt():
            yield f"miss: {' '.join(event.cards)}"
        case TurnUp():
            yield f"turn-up: {event.card}"
        case Redealt():
            yield f"redeal {event.reason}"
        case SessionDivided():
            yield f"divided {_numbers(event.shares, letters)}"
        case DealerDrawn():
            drawn = " ".join(f"{letters[draw.seat]} {draw.card}" for draw in event.draws)
            yield f"drawn {drawn}" + (
                "" if event.dealer is None else f" dealer {letters[event.dealer]}"
            )
        case DealEnded():
            out = "" if event.out is None else f" out {letters[event.out]}"
            yield f"end {event.reason}{out}"
        case DealScored():
            yield f"scores: {_numbers(event.scores, letters)}"
            yield f"totals: {_numbers(event.totals, letters)}"
        case GameEnded():
            winner = "none" if event.winner is None else letters[event.winner]
            yield "abandoned" if event.abandoned else f"winner: {winner}"
        case PositionSet():
            yield f"position: {msgspec.json.encode(event).decode()}"
        case Retracted():
            yield f"retract to {event.back_to} {event.reason}"


def _shuffle(event: Shuffled, letters: str) -> Iterator[str]:
    yield ""
    yield f"deal {event.deal} dealer {letters[event.dealer]}"
    if event.method != "unknown":
        yield f"shuffled: {event.method}"
    if set(event.deck) != {UNKNOWN}:
        yield f"deck: {' '.join(event.deck)}"


def _numbers(row: Sequence[int | None], letters: str) -> str:
    pairs = zip(letters, row, strict=False)
    return " ".join(f"{letter} {number}" for letter, number in pairs if number is not None)
