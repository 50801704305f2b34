"""Table notation, written: any game as the text that `notation.py` reads; here what only 500 Rummy has.

What the notation cannot hold is left out: salts, hashes, times and who recorded it (the NDJSON has them).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from events.common import GameEnded, GameOpened
from events.formats import loo_writer
from events.formats.acts import write_act
from events.formats.notation import TITLE
from events.formats.notation_words import (
    LETTERS,
    Lines,
    event_lines,
    in_a_row,
    numbers,
    write_table,
)
from events.games import LANTERLOO, RUMMY500
from events.rummy500.events import FirstCardTurned, PositionSet, RummyEvent, UpcardTurned


def write_game(
    events: Sequence[Any],
    names: Mapping[str, str] | None = None,
    remarks: Mapping[int, str] | None = None,
) -> Iterator[str]:
    """Yield the lines of one game, without line ends; *names* by player id, *remarks* by version."""
    opened = events[0]
    assert isinstance(opened, GameOpened)
    yield TITLE
    yield from write_table(events, names or {}, remarks or {}, _OWN_LINES[opened.game])


def write_event(game: str, event: Any, seats: int, remark: str = "") -> str:
    """Return one event after the first as the notation has it, in one line; seats have letters."""
    lines = event_lines(event, LETTERS[:seats], _OWN_LINES[game], remark)
    return "; ".join(line for line in lines if line)


def _own_lines(event: RummyEvent, letters: str) -> Iterator[str]:
    match event:
        case FirstCardTurned():
            yield f"first {letters[event.seat]}: {event.card}"
        case UpcardTurned():
            yield f"upcard: {event.card}"
        case GameEnded():
            yield f"winner: {letters[event.winner]}" if event.winner is not None else "abandoned"
        case PositionSet():
            yield from _position(event, letters)
        case _:
            act = write_act(event, letters)
            if act is not None:
                yield act


def _position(event: PositionSet, letters: str) -> Iterator[str]:
    yield ""
    yield f"position {event.deal} dealer {letters[event.dealer]}"
    if event.wild:
        yield f"wild: {event.wild}"
    yield f"turn: {letters[event.turn]}"
    yield f"phase: {event.phase}"
    yield f"stock: {in_a_row(event.stock)}"
    yield f"pile: {in_a_row(event.pile)}"
    for seat, cards in enumerate(event.hands):
        yield f"hand {letters[seat]}: {in_a_row(cards)}"
    melds = []
    for meld in event.melds:
        layers = " ".join(f"{layer.card}/{letters[layer.seat]}" for layer in meld.cards)
        melds.append(f"m{meld.meld}:{'G' if meld.kind == 'group' else 'R'}[{layers}]")
    yield f"table: {' '.join(melds)}"
    if event.drawn:
        yield f"drawn: {event.drawn}"
    if event.taken:
        yield f"taken: {in_a_row(event.taken)}"
    if event.duty:
        yield f"duty: {event.duty}"
    if event.discarder is not None:
        yield f"discarder: {letters[event.discarder]}"
    if event.floaters:
        yield f"floaters: {' '.join(letters[seat] for seat in event.floaters)}"
    yield f"totals: {numbers(event.totals, letters)}"


_OWN_LINES: Final[dict[str, Lines]] = {
    RUMMY500.name: _own_lines,
    LANTERLOO.name: loo_writer.own_lines,
}
