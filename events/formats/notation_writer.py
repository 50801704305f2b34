"""Table notation, written: any game as the text that `notation.py` reads; Lanterloo in `loo_writer.py`.

What the notation cannot hold is left out: salts, hashes, times and who recorded it (the NDJSON has them).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from events.cards import UNKNOWN, Card
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
from events.formats.acts import write_act
from events.formats.loo_writer import event_lines, write_session
from events.formats.notation import TITLE
from events.formats.remarks import write_remark
from events.games import LANTERLOO
from events.rummy500.events import Opened, PositionSet, RummyEvent, UpcardTurned
from events.rummy500.ruleset import PRESETS, Ruleset

LETTERS: Final = "ABCDEFGH"
ERASED: Final = "(erased)"


def write_game(
    events: Sequence[Any],
    names: Mapping[str, str] | None = None,
    remarks: Mapping[int, str] | None = None,
) -> Iterator[str]:
    """Yield the lines of one game, without line ends; *names* by player id, *remarks* by version."""
    opened = events[0]
    assert isinstance(opened, GameOpened)
    yield TITLE
    if opened.game == LANTERLOO.name:
        yield from write_session(events, names or {}, remarks or {})
        return
    yield from _head(opened, names or {})
    letters = LETTERS[: len(opened.seats)]
    for version, event in enumerate(events[1:], 2):
        if isinstance(event, Remarked):
            yield _remark(event, letters, (remarks or {}).get(version, ERASED))
        else:
            yield from _lines(event, letters)


def write_event(game: str, event: Any, seats: int, remark: str = "") -> str:
    """Return one event after the first as the notation has it, in one line; seats have letters."""
    letters = LETTERS[:seats]
    if isinstance(event, Remarked):
        return _remark(event, letters, remark or ERASED)
    lines = event_lines(event, letters) if game == LANTERLOO.name else _lines(event, letters)
    return "; ".join(line for line in lines if line)


def _head(opened: Opened, names: Mapping[str, str]) -> Iterator[str]:
    yield f"game: {opened.game}"
    pairs = zip(LETTERS, opened.seats, strict=False)
    yield "players: " + ", ".join(_player(letter, names.get(seat, "")) for letter, seat in pairs)
    yield f"ruleset: {write_ruleset(opened.ruleset)}"
    if opened.first_dealer is not None:
        yield f"dealer: {LETTERS[opened.first_dealer]}"


def _player(letter: str, name: str) -> str:
    plain = " ".join(name.replace(",", " ").replace("=", " ").split())
    return f"{letter}={plain}" if plain and plain != letter else letter


def write_ruleset(ruleset: Ruleset) -> str:
    """Return a preset's name and the options in which this ruleset differs from it."""
    base = PRESETS.get(ruleset.preset, PRESETS["seed"])
    words = [base.preset]
    for option in ruleset.__struct_fields__:
        value = getattr(ruleset, option)
        if option != "preset" and value != getattr(base, option):
            words.append(f"{option}={_option(value)}")
    return " ".join(words)


def _option(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _lines(event: RummyEvent, letters: str) -> Iterator[str]:
    match event:
        case Shuffled():
            yield ""
            yield f"deal {event.deal} dealer {letters[event.dealer]}"
            if event.method != "unknown":
                yield f"shuffled: {event.method}"
            if set(event.deck) != {UNKNOWN}:
                yield f"deck: {_hand(event.deck)}"
        case Dealt():
            yield f"hand {letters[event.seat]}: {_hand(event.cards)}"
        case UpcardTurned():
            yield f"upcard: {event.card}"
        case DealEnded():
            out = "" if event.out is None else f" out {letters[event.out]}"
            yield f"end {event.reason}{out}"
        case DealScored():
            yield f"scores: {_numbers(event.scores, letters)}"
            yield f"totals: {_numbers(event.totals, letters)}"
        case GameEnded():
            yield f"winner: {letters[event.winner]}" if event.winner is not None else "abandoned"
        case PositionSet():
            yield from _position(event, letters)
        case DealerDrawn():
            draws = " ".join(f"{letters[draw.seat]} {draw.card}" for draw in event.draws)
            yield f"drawn {draws}" + (
                "" if event.dealer is None else f" dealer {letters[event.dealer]}"
            )
        case Redealt():
            yield f"redeal {event.reason}"
        case Retracted():
            yield f"retract to {event.back_to} {event.reason}"
        case _:
            act = write_act(event, letters)
            if act is not None:
                yield act


def _position(event: PositionSet, letters: str) -> Iterator[str]:
    yield ""
    yield f"position {event.deal} dealer {letters[event.dealer]}"
    yield f"turn: {letters[event.turn]}"
    yield f"phase: {event.phase}"
    yield f"stock: {_hand(event.stock)}"
    yield f"pile: {_hand(event.pile)}"
    for seat, cards in enumerate(event.hands):
        yield f"hand {letters[seat]}: {_hand(cards)}"
    melds = []
    for meld in event.melds:
        layers = " ".join(f"{layer.card}/{letters[layer.seat]}" for layer in meld.cards)
        melds.append(f"m{meld.meld}:{'G' if meld.kind == 'group' else 'R'}[{layers}]")
    yield f"table: {' '.join(melds)}"
    if event.drawn:
        yield f"drawn: {event.drawn}"
    if event.taken:
        yield f"taken: {_hand(event.taken)}"
    if event.duty:
        yield f"duty: {event.duty}"
    if event.discarder is not None:
        yield f"discarder: {letters[event.discarder]}"
    if event.floaters:
        yield f"floaters: {' '.join(letters[seat] for seat in event.floaters)}"
    yield f"totals: {_numbers(event.totals, letters)}"


def _hand(cards: Sequence[Card]) -> str:
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


def _numbers(numbers: Sequence[int | None], letters: str) -> str:
    pairs = zip(letters, numbers, strict=True)
    return " ".join(f"{letter} {number}" for letter, number in pairs if number is not None)


def _remark(event: Remarked, letters: str, text: str) -> str:
    who = "" if event.seat is None else f"{letters[event.seat]} "
    return f"{who}{write_remark(event, text)}"
