"""Table notation of Lanterloo, line by line: one event a line, read and written by the same table of words.

What every game has too (head, remarks, retractions, scores) is read in `notation_table.py`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, get_args

from events.cards import UNKNOWN, Card
from events.common import DealerDrawn, Draw, Event
from events.errors import ActError
from events.formats.notation_parts import read_hand
from events.lanterloo.events import (
    AntePaid,
    Bid,
    CardPlayed,
    Choice,
    Exchanged,
    FlushClaimed,
    FlushKind,
    FlushShown,
    Looed,
    LooEvent,
    MissSeen,
    PaidFor,
    PenaltyPaid,
    PoolPaid,
    StockRenewed,
    TrickTaken,
)
from events.lanterloo.state import State

Words = list[str]

_CHOICES: Final[dict[str, Choice]] = {
    "play": "stand",
    "pass": "pass",
    "miss": "miss",
    "defend": "defend",
}
_NAMES: Final = {choice: word for word, choice in _CHOICES.items()}
_CIVIL: Final = "civil"
# Unlimited Loo is played for more than other games.
_CHIPS: Final = re.compile(r"-?[0-9]{1,16}")


def read_act(words: Words, seat: int, state: State, labels: Sequence[str]) -> LooEvent:
    """Return the event of a line after its player's letter; raise ActError if it says none."""
    word, rest = words[0], words[1:]
    if word in _CHOICES:
        return _bid(_CHOICES[word], rest, seat, state)
    reader = _READERS.get(word)
    if reader is not None:
        return reader(rest, seat, labels)
    if rest not in ([], [_CIVIL]):
        raise ActError(f"not an act: {' '.join(words)[:40]!r}, expected e.g. 'A KS' or 'A play'")
    (card,) = read_hand(word)
    return CardPlayed(seat=seat, card=card, civil=bool(rest))


def _bid(choice: Choice, rest: Words, seat: int, state: State) -> Bid:
    takes = choice in ("miss", "defend")
    hidden = (UNKNOWN,) * len(state.miss) if takes else ()
    return Bid(seat=seat, choice=choice, cards=_cards(rest) or hidden)


def _cards(words: Words) -> tuple[Card, ...]:
    return read_hand(" ".join(words))


def _amount(words: Words) -> int:
    if not words or not _CHIPS.fullmatch(words[0]):
        raise ActError(f"expected chips, e.g. 5, not {' '.join(words)[:40]!r}")
    return int(words[0])


def read_chips(text: str, labels: Sequence[str]) -> dict[str, int]:
    """Return the chips of ``A 24 B -25`` by player."""
    words = text.split()
    if len(words) % 2:
        raise ActError(f"expected players and chips, e.g. 'A 24 B -25', not {text[:40]!r}")
    chips = {}
    for label, amount in zip(words[::2], words[1::2], strict=True):
        if label not in labels:
            raise ActError(f"no such player: {label!r}, expected one of {', '.join(labels)}")
        chips[label] = _amount([amount])
    return chips


def read_draw(text: str, labels: Sequence[str]) -> DealerDrawn:
    """Return the draw for the first deal that ``A 4H B 2C dealer B`` writes."""
    words, _, dealer = text.partition(" dealer ")
    pairs = words.split()
    strange = [label for label in (*pairs[::2], *dealer.split()) if label not in labels]
    if not pairs or len(pairs) % 2 or strange:
        raise ActError(f"expected e.g. 'drawn A 4H B 2C dealer B', not {text[:40]!r}")
    draws = tuple(
        Draw(labels.index(label), read_hand(card)[0])
        for label, card in zip(pairs[::2], pairs[1::2], strict=True)
    )
    return DealerDrawn(draws=draws, dealer=labels.index(dealer) if dealer else None)


def _exchange(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    put_out, arrow, drawn = " ".join(rest).partition("->")
    out = read_hand(put_out)
    hidden = (UNKNOWN,) * len(out)
    return Exchanged(seat=seat, put_out=out, drawn=read_hand(drawn) if arrow else hidden)


def _renew(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    return StockRenewed(seat=seat, cards=_cards(rest))


def _show(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    for kind in get_args(FlushKind):
        if rest[:1] == [kind]:
            return FlushShown(seat=seat, kind=kind, cards=_cards(rest[1:]))
    raise ActError(f"expected what is shown, one of {', '.join(get_args(FlushKind))}")


def _claim(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    return FlushClaimed(seat=seat, cards=() if rest == ["none"] else _cards(rest))


def _ante(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    return AntePaid(seat=seat, amount=_amount(rest))


def _trick(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    return TrickTaken(seat=seat, trick=_amount(rest))


def _takes(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    for paid_for in get_args(PaidFor):
        if rest[1:] == ["for", paid_for]:
            return PoolPaid(seat=seat, amount=_amount(rest), paid_for=paid_for)
    raise ActError(f"expected e.g. 'A takes 6 for tricks', or for {', '.join(get_args(PaidFor))}")


def _loo(rest: Words, seat: int, labels: Sequence[str]) -> LooEvent:
    if rest[1:] and (rest[1:2] != ["to"] or rest[2:3] == [] or rest[2] not in labels):
        raise ActError(
            f"expected e.g. 'A looed 3' or 'A looed 3 to B', not {' '.join(rest)[:40]!r}"
        )
    to = labels.index(rest[2]) if rest[1:] else None
    return Looed(seat=seat, amount=_amount(rest), to=to)


def _pays(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    match rest:
        case [_, "to", "pool", "for", reason]:
            return PenaltyPaid(seat=seat, amount=_amount(rest), to="pool", reason=reason)
        case [_, "to", "next", "for", reason]:
            return PenaltyPaid(seat=seat, amount=_amount(rest), to="next", reason=reason)
    raise ActError("expected e.g. 'A pays 12 to next for MUST_FOLLOW'")


def _saw(rest: Words, seat: int, _: Sequence[str]) -> LooEvent:
    if rest != ["miss"]:
        raise ActError("expected 'A saw miss'")
    return MissSeen(seat=seat)


_READERS: Final[dict[str, Callable[[Words, int, Sequence[str]], LooEvent]]] = {
    "exchange": _exchange,
    "renew": _renew,
    "shows": _show,
    "claims": _claim,
    "antes": _ante,
    "trick": _trick,
    "takes": _takes,
    "looed": _loo,
    "pays": _pays,
    "saw": _saw,
}


def write_act(event: Event, letters: str) -> str | None:
    """Return the words of an event after its player's letter, None for one that is no player's."""
    match event:
        case CardPlayed():
            return f"{event.card} {_CIVIL}" if event.civil else event.card
        case Bid():
            return _joined(_NAMES[event.choice], *event.cards)
        case Exchanged():
            return _joined("exchange", *event.put_out, "->", *event.drawn)
        case StockRenewed():
            return _joined("renew", *event.cards)
        case FlushShown():
            return _joined("shows", event.kind, *event.cards)
        case FlushClaimed():
            return _joined("claims", *(event.cards or ("none",)))
        case AntePaid():
            return f"antes {event.amount}"
        case TrickTaken():
            return f"trick {event.trick}"
        case PoolPaid():
            return f"takes {event.amount} for {event.paid_for}"
        case Looed():
            to = "" if event.to is None else f" to {letters[event.to]}"
            return f"looed {event.amount}{to}"
        case PenaltyPaid():
            return f"pays {event.amount} to {event.to} for {event.reason}"
        case MissSeen():
            return "saw miss"
        case _:
            return None


def _joined(*words: str) -> str:
    return " ".join(words)
