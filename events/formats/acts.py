"""Acts of 500 Rummy in the words of the table: ``A take 4S``, ``B lay 8H@m1``, ``C rummy KS``.

One line is one act. Reading needs the table as it stands, since "take 4S" means everything above it too
and a new meld gets the next number. Nothing here judges: a line that names an impossible act is read as
that act. The grammar is in docs/table-notation.md.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, get_args

from events.cards import UNKNOWN, Card, Placed, parse_card, physical
from events.errors import ActError, CardError
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    End,
    Floated,
    JokerSwapped,
    Kind,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.state import State
from events.rummy500.whereabouts import means

Words = list[str]

_KINDS: Final[dict[str, Kind]] = {"G": "group", "R": "sequence"}
_LETTERS: Final = {kind: letter for letter, kind in _KINDS.items()}
_PLACE: Final = re.compile(r"m([1-9][0-9]{0,2})(?::(low|high))?")
_FACE: Final = re.compile(r"[A2-9TJQK][SHDC]")
_CODE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,39}")


def parse_act(line: str, state: State, names: Sequence[str]) -> RummyEvent:
    """Return the act that *line* writes; *names* are the seats' names in order.

    Raise ActError with the word that was not understood and what was expected.
    """
    words = line.split()
    if len(words) < 2:
        raise ActError(f"not an act: {line!r}, expected e.g. 'A discard 2C'")
    seat = _seat(words[0], names)
    reader = _READERS.get(words[1])
    if reader is None:
        raise ActError(f"unknown act {words[1]!r}, expected one of {', '.join(_READERS)}")
    return reader(seat, words[2:], state)


def write_act(event: RummyEvent, names: Sequence[str]) -> str | None:
    """Return the line that `parse_act` reads as this act, None if the event is no player's act."""
    match event:
        case StockDrawn():
            words = ["stock"] if event.card == UNKNOWN else ["stock", event.card]
        case PileTaken():
            words = ["take", event.cards[0]]
        case MeldLaid():
            words = ["meld", _LETTERS[event.kind], f"m{event.meld}:", *event.cards]
        case LaidOff():
            words = ["lay", *map(_write_placement, event.cards)]
        case Discarded():
            words = ["discard", event.card]
        case DrawDeclined():
            words = ["pass"]
        case RummyCalled():
            words = ["rummy", *_write_call(event)]
        case StockRenewed():
            words = ["renew", *event.pile, "stock", *event.stock]
        case Floated():
            words = ["float"]
        case JokerSwapped():
            words = ["swap", f"{event.joker}@m{event.meld}", event.card]
        case DiscardChallenged():
            words = ["challenge", event.card, *_write_refusal(event.accepted, event.code)]
        case _:
            return None
    return " ".join((names[event.seat], *words))


def _seat(name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise ActError(f"no such player: {name!r}, expected one of {', '.join(names)}")
    return list(names).index(name)


def _stock(seat: int, words: Words, _: State) -> RummyEvent:
    if len(words) > 1:
        raise ActError(f"one card is drawn from the stock, not {' '.join(words)!r}")
    return StockDrawn(seat=seat, card=read_card(words[0]) if words else UNKNOWN)


def _take(seat: int, words: Words, state: State) -> RummyEvent:
    return PileTaken(seat=seat, cards=_and_above(_only(words, "take"), state))


def _meld(seat: int, words: Words, state: State) -> RummyEvent:
    if not words or words[0] not in _KINDS:
        raise ActError(f"expected G or R and the cards of a meld, not {' '.join(words)!r}")
    kind, cards, meld = _KINDS[words[0]], words[1:], state.next_meld
    if cards and cards[0].endswith(":"):
        meld, cards = _meld_id(cards[0][:-1])[0], cards[1:]
    if not cards:
        raise ActError("expected the cards of the meld")
    return MeldLaid(seat=seat, meld=meld, kind=kind, cards=tuple(map(read_placed, cards)))


def _lay(seat: int, words: Words, _: State) -> RummyEvent:
    if not words:
        raise ActError("expected cards with their meld, e.g. 8H@m1")
    return LaidOff(seat=seat, cards=tuple(map(_read_placement, words)))


def _discard(seat: int, words: Words, _: State) -> RummyEvent:
    return Discarded(seat=seat, card=_only(words, "discard"))


def _pass(seat: int, words: Words, _: State) -> RummyEvent:
    if words:
        raise ActError(f"nothing follows 'pass', not {' '.join(words)!r}")
    return DrawDeclined(seat=seat)


def _rummy(seat: int, words: Words, state: State) -> RummyEvent:
    if not words:
        raise ActError("expected the card that is called, e.g. 'C rummy KS'")
    placed = read_placed(words[0])
    card = physical(placed)
    match words[1:]:
        case []:
            cards = _and_above(card, state) if state.ruleset.rummy != "latest_layoff" else ()
            return _call(seat, card, cards, None)
        case [place] if place.startswith("lay@"):
            meld, end = _meld_id(place.removeprefix("lay@"))
            return _call(seat, card, (), Placement(placed, meld, end))
        case ["refused", code] if _CODE.fullmatch(code):
            return RummyCalled(seat=seat, card=card, accepted=False, code=code, cards=(), lay=None)
        case rest:
            raise ActError(f"expected lay@m1 or refused CODE, not {' '.join(rest)!r}")


def _call(seat: int, card: Card, cards: tuple[Card, ...], lay: Placement | None) -> RummyEvent:
    return RummyCalled(seat=seat, card=card, accepted=True, code=None, cards=cards, lay=lay)


def _renew(seat: int, words: Words, _: State) -> RummyEvent:
    if "stock" not in words:
        raise ActError("expected the new pile, 'stock' and the new stock, top first")
    split = words.index("stock")
    pile, stock = map(read_card, words[:split]), map(read_card, words[split + 1 :])
    return StockRenewed(seat=seat, stock=tuple(stock), pile=tuple(pile))


def _float(seat: int, words: Words, _: State) -> RummyEvent:
    if words:
        raise ActError(f"nothing follows 'float', not {' '.join(words)!r}")
    return Floated(seat=seat)


def _swap(seat: int, words: Words, _: State) -> RummyEvent:
    if len(words) != 2:
        raise ActError(f"expected the joker with its meld and a card, not {' '.join(words)!r}")
    taken = _read_placement(words[0])
    return JokerSwapped(
        seat=seat, meld=taken.meld, joker=physical(taken.card), card=read_card(words[1])
    )


def _challenge(seat: int, words: Words, _: State) -> RummyEvent:
    match words:
        case [card]:
            code = None
        case [card, "refused", code] if _CODE.fullmatch(code):
            pass
        case _:
            raise ActError(f"expected the card that is challenged, not {' '.join(words)!r}")
    return DiscardChallenged(seat=seat, card=read_card(card), accepted=code is None, code=code)


_READERS: Final[dict[str, Callable[[int, Words, State], RummyEvent]]] = {
    "stock": _stock,
    "take": _take,
    "meld": _meld,
    "lay": _lay,
    "discard": _discard,
    "rummy": _rummy,
    "pass": _pass,
    "renew": _renew,
    "float": _float,
    "swap": _swap,
    "challenge": _challenge,
}


def read_card(text: str) -> Card:
    """Return the card that a word writes; raise ActError with the word."""
    try:
        return parse_card(text)
    except CardError as error:
        raise ActError(str(error)) from error


def read_placed(text: str) -> Placed:
    """Return a card as it lies on the table, ``X1=8H`` for a joker that stands for a card."""
    card, sign, face = text.partition("=")
    if read_card(card) == UNKNOWN:
        raise ActError("a card that is put down is known, not ??")
    if sign and not _FACE.fullmatch(face):
        raise ActError(f"{text!r} stands for no card, expected e.g. X1=8H")
    return text


def _only(words: Words, act: str) -> Card:
    if len(words) != 1:
        raise ActError(f"expected one card after {act!r}, not {' '.join(words)!r}")
    return read_card(words[0])


def _and_above(card: Card, state: State) -> tuple[Card, ...]:
    """Return the pile from this card up: the topmost copy so written, else one that it can mean."""
    pile = state.pile
    for fits in (lambda lying: lying == card, lambda lying: means(card, lying, state.packs)):
        for index in range(len(pile) - 1, -1, -1):
            if fits(pile[index]):
                return pile[index:]
    return (card,)


def _meld_id(text: str) -> tuple[int, End | None]:
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ActError(f"not a meld: {text!r}, expected e.g. m1 or m1:high")
    return int(found[1]), next((end for end in get_args(End) if end == found[2]), None)


def _read_placement(word: str) -> Placement:
    card, sign, place = word.partition("@")
    if not sign:
        raise ActError(f"no meld named for {word!r}, expected e.g. {word}@m1")
    meld, end = _meld_id(place)
    return Placement(read_placed(card), meld, end)


def _write_placement(placement: Placement) -> str:
    end = f":{placement.end}" if placement.end else ""
    return f"{placement.card}@m{placement.meld}{end}"


def _write_call(event: RummyCalled) -> Words:
    if not event.accepted or event.lay is None:
        return [event.card, *_write_refusal(event.accepted, event.code)]
    end = f":{event.lay.end}" if event.lay.end else ""
    return [event.lay.card, f"lay@m{event.lay.meld}{end}"]


def _write_refusal(accepted: bool, code: str | None) -> Words:
    return [] if accepted else ["refused", code or "NOT_CALLABLE"]
