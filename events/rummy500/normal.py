"""Acts and facts as `legal` and `due` write them: one way to write what can be written in several.

What an event does to the table stays the same, but for an exchange of cards that are alike (alike.py);
nothing here judges.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from events.cards import SUITS, UNKNOWN, Card, Placed, is_joker, lies_as, physical, stands_for
from events.common import Dealt
from events.rummy500.alike import first_alike, first_placed, hand_of
from events.rummy500.dealing import share_of
from events.rummy500.due import renewal
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    RummyCalled,
    RummyEvent,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.melds import chosen_end, face_placed, put_on
from events.rummy500.moves import same_cards
from events.rummy500.state import Laid, State
from events.rummy500.turns import is_off_the_table
from events.rummy500.whereabouts import as_held


def normal(state: State, event: RummyEvent) -> RummyEvent:
    """Return an act as `legal` writes it, a dealer's fact as `due` does, with the cards that lie there."""
    if is_off_the_table(state, event):
        return event
    match event:
        case MeldLaid():
            return _normal_meld(state, event)
        case LaidOff():
            held = [replace(p, card=_held(state, event.seat, p.card)) for p in event.cards]
            hand = hand_of(state, event.seat)
            return replace(event, cards=first_placed(hand, _outward(state, held)))
        case Discarded():
            return replace(event, card=as_held(state, event.seat, event.card))
        case PileTaken():
            return replace(event, cards=_lying(state, event.cards))
        case RummyCalled():
            return _normal_call(state, event) if event.accepted else event
        case DiscardChallenged():
            return replace(event, card=_lying(state, (event.card,))[0])
        case StockRenewed():
            known = renewal(state, event.seat)
            pile = event.pile if known is None else _known(state, event.pile, known.pile)
            return replace(event, pile=pile)
        case Dealt():
            share = share_of(state, event.seat)
            return replace(event, cards=_known(state, event.cards, share))
        case UpcardTurned():
            return replace(event, card=_known(state, (event.card,), state.stock[:1])[0])
        case _:
            return event


def _normal_meld(state: State, event: MeldLaid) -> MeldLaid:
    cards = tuple(_held(state, event.seat, card) for card in event.cards)
    cards = first_alike(hand_of(state, event.seat), cards)
    if event.kind == "group" and _may_be_bare(cards):
        cards = in_group_order(cards)
    meld = state.next_meld if state.meld(event.meld) is None else event.meld
    return replace(event, meld=meld, cards=cards)


def _may_be_bare(cards: Sequence[Placed]) -> bool:
    """Tell whether what is said of a group's cards may be left out: where it is wrong, it is a fault (R-4.2)."""
    if any("=" in card and not is_joker(card) for card in cards):
        return False
    return len({face[0] for face in map(face_placed, cards) if face is not None}) <= 1


def in_group_order(cards: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return a group's cards in normal form: S H D C, then jokers, which stand for no suit (R-4.4).

    Only in a group of nothing but jokers each says which rank it is, as a spade.
    """
    bare = sorted(
        map(physical, cards), key=lambda c: (SUITS.find(c[1]) if not is_joker(c) else 9, c)
    )
    ranks = [face[0] for face in map(face_placed, cards) if face is not None]
    if ranks and all(map(is_joker, bare)):
        return tuple(f"{card}={ranks[0]}{SUITS[0]}" for card in bare)
    return tuple(bare)


def _normal_call(state: State, event: RummyCalled) -> RummyCalled:
    if event.lay is None:
        cards = _lying(state, event.cards)
        return replace(event, card=(*cards, event.card)[0], cards=cards, code=None)
    card = _lying(state, (event.card,))[0]
    lay = replace(event.lay, card=lies_as(card, event.lay.card))
    return replace(event, card=card, cards=(), code=None, lay=_outward(state, [lay])[0])


def _held(state: State, seat: int, placed: Placed) -> Placed:
    card = physical(placed)
    if not is_joker(card) and stands_for(placed) not in (None, card[:2]):
        return placed  # a natural card that is said to be another stays a fault
    return lies_as(as_held(state, seat, card), placed)


def _lying(state: State, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return cards of the pile as they lie there, on top of it."""
    return _known(state, cards, state.pile[-len(cards) :] if cards else ())


def _known(state: State, written: tuple[Card, ...], lying: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return cards as they lie there if they can be the ones that are written."""
    if not same_cards(written, lying, state.packs):
        return written
    return tuple(
        card if there == UNKNOWN else there for card, there in zip(written, lying, strict=True)
    )


def _outward(state: State, placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """Return the cards of a lay-off with their ends, low ones first, each end outward from the meld."""
    grown = {meld.meld: meld for meld in state.table}
    ordered = []
    for placement in placements:
        meld = grown.get(placement.meld)
        if meld is None:
            return tuple(placements)
        end = chosen_end(meld, placement.card, placement.end, state.ruleset)
        card = placement.card
        if meld.kind == "group" and _may_be_bare((card, *(laid.card for laid in meld.cards))):
            card = physical(card)
        ordered.append(Placement(card, placement.meld, end))
        grown[placement.meld] = put_on(meld, Laid(card, 0), end)
    return tuple(sorted(ordered, key=lambda placement: placement.end == "high"))
