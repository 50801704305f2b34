"""What writing table notation is, whichever game it is: the head, remarks, and the facts that all games have.

A game brings the lines of its own acts and facts (`notation_writer.py`, `loo_writer.py`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from events.cards import UNKNOWN, Card
from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Event,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Shuffled,
)
from events.formats.remarks import write_remark
from events.formats.rulesets import write_ruleset
from events.games import game_named

LETTERS: Final = "ABCDEFGH"
ERASED: Final = "(erased)"

# The lines of an event in which only one game has it, for players with these letters.
Lines = Callable[[Any, str], Iterator[str]]


def write_table(
    events: Sequence[Event],
    names: Mapping[str, str],
    remarks: Mapping[int, str],
    own_lines: Lines,
) -> Iterator[str]:
    """Yield the lines of one game below the file's title; *names* by player id, *remarks* by version."""
    opened = events[0]
    assert isinstance(opened, GameOpened)
    yield from _head(opened, names)
    letters = LETTERS[: len(opened.seats)]
    for version, event in enumerate(events[1:], 2):
        yield from event_lines(event, letters, own_lines, remarks.get(version, ERASED))


def event_lines(event: Event, letters: str, own_lines: Lines, remark: str = "") -> Iterator[str]:
    """Yield the lines of one event after the first."""
    match event:
        case Remarked():
            who = "" if event.seat is None else f"{letters[event.seat]} "
            yield f"{who}{write_remark(event, remark or ERASED)}"
        case Shuffled():
            yield from _shuffle(event, letters)
        case Dealt():
            yield f"hand {letters[event.seat]}: {in_a_row(event.cards)}"
        case DealerDrawn():
            draws = " ".join(f"{letters[draw.seat]} {draw.card}" for draw in event.draws)
            dealer = "" if event.dealer is None else f" dealer {letters[event.dealer]}"
            yield f"drawn {draws}{dealer}"
        case Redealt():
            yield f"redeal {event.reason}"
        case DealEnded():
            out = "" if event.out is None else f" out {letters[event.out]}"
            yield f"end {event.reason}{out}"
        case DealScored():
            yield f"scores: {numbers(event.scores, letters)}"
            yield f"totals: {numbers(event.totals, letters)}"
        case Retracted():
            yield f"retract to {event.back_to} {event.reason}"
        case _:
            yield from own_lines(event, letters)


def in_a_row(cards: Sequence[Card]) -> str:
    """Return cards as a line; a run of unknown ones is written ``??*n``."""
    words: list[str] = []
    run = 0
    for card in (*cards, ""):
        if card == UNKNOWN:
            run += 1
            continue
        if run:
            words.append(UNKNOWN if run == 1 else f"{UNKNOWN}*{run}")
            run = 0
        words.append(card)
    return " ".join(words).strip()


def numbers(row: Sequence[int | None], letters: str) -> str:
    """Return numbers by player; those that the record does not have are left out."""
    pairs = zip(letters, row, strict=True)
    return " ".join(f"{letter} {number}" for letter, number in pairs if number is not None)


def _head(opened: GameOpened[Any], names: Mapping[str, str]) -> Iterator[str]:
    yield f"game: {opened.game}"
    pairs = zip(LETTERS, opened.seats, strict=False)
    yield "players: " + ", ".join(_player(letter, names.get(seat, "")) for letter, seat in pairs)
    yield f"ruleset: {write_ruleset(opened.ruleset, game_named(opened.game).presets)}"
    if opened.first_dealer is not None:
        yield f"dealer: {LETTERS[opened.first_dealer]}"


def _player(letter: str, name: str) -> str:
    plain = " ".join(name.replace(",", " ").replace("=", " ").split())
    return f"{letter}={plain}" if plain and plain != letter else letter


def _shuffle(event: Shuffled, letters: str) -> Iterator[str]:
    yield ""
    yield f"deal {event.deal} dealer {letters[event.dealer]}"
    if event.method != "unknown":
        yield f"shuffled: {event.method}"
    if set(event.deck) != {UNKNOWN}:
        yield f"deck: {in_a_row(event.deck)}"
