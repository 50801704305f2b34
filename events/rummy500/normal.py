"""Acts and facts as `legal` and `due` write them: one way to write what can be written in several.

What an event does to the table stays the same, but for an exchange of cards that are alike (alike.py);
nothing here judges.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from events.cards import SUITS, UNKNOWN, Card, Placed, is_joker, physical, stands_for
from events.common import Dealt
from events.rummy500.alike import first_alike, first_placed, hand_of
from events.rummy500.dealing import share_of
from events.rummy500.due import renewal
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    FirstCardTurned,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    RummyCalled,
    RummyEvent,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.lying import face_placed, is_natural, lie_together, lies_on
from events.rummy500.melds import chosen_end, put_on
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
        case UpcardTurned() | FirstCardTurned():
            return replace(event, card=_known(state, (event.card,), state.stock[:1])[0])
        case _:
            return event


def _normal_meld(state: State, event: MeldLaid) -> MeldLaid:
    cards = tuple(_held(state, event.seat, card) for card in event.cards)
    cards = first_alike(hand_of(state, event.seat), cards)
    if not _is_misdeclared(cards, state):
        cards = lie_together(event.kind, cards, state.wilds)
        if event.kind == "group" and _is_of_one_rank(cards):
            cards = in_group_order(cards)
    meld = state.next_meld if state.meld(event.meld) is None else event.meld
    return replace(event, meld=meld, cards=cards)


def _is_misdeclared(cards: Sequence[Placed], state: State) -> bool:
    """Tell whether a card is said to be another that cannot be one: a fault, which stays one (R-4.1)."""
    return any(
        card[0] not in state.wilds and stands_for(card) not in (None, card[:2]) for card in cards
    )


def _is_of_one_rank(cards: Sequence[Placed]) -> bool:
    """Tell whether what is said of a group's cards may be left out: where it is wrong, it is a fault (R-4.2)."""
    return len({face[0] for face in map(face_placed, cards) if face is not None}) <= 1


def in_group_order(cards: Sequence[Placed]) -> tuple[Placed, ...]:
    """Return a group's cards in normal form: S H D C, then jokers, which stand for no suit (R-4.4).

    Only in a group of nothing but jokers each says which rank it is, and a wild card always does; as a spade.
    """
    naturals = sorted(filter(is_natural, cards), key=lambda card: (SUITS.find(card[1]), card))
    others = sorted(physical(card) for card in cards if not is_natural(card))
    ranks = [face[0] for face in map(face_placed, cards) if face is not None]
    as_rank = f"={ranks[0]}{SUITS[0]}" if ranks else ""
    return (
        *naturals,
        *(card if naturals and is_joker(card) else card + as_rank for card in others),
    )


def _normal_call(state: State, event: RummyCalled) -> RummyCalled:
    if event.lay is None:
        cards = _lying(state, event.cards)
        return replace(event, card=(*cards, event.card)[0], cards=cards, code=None)
    card = _lying(state, (event.card,))[0]
    lay = replace(event.lay, card=_said(card, event.lay.card, state))
    return replace(event, card=card, cards=(), code=None, lay=_outward(state, [lay])[0])


def _held(state: State, seat: int, placed: Placed) -> Placed:
    if _is_misdeclared((placed,), state):
        return placed
    return _said(as_held(state, seat, physical(placed)), placed, state)


def _said(card: Card, written: Placed, state: State) -> Placed:
    """Return the card with what was said of it, if it can stand for another."""
    return card + written[len(physical(written)) :] if card[0] in state.wilds else card


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
        if not _is_misdeclared((card,), state):
            card = lies_on(meld, card, state.wilds)
            lying = (card, *(laid.card for laid in meld.cards))
            if meld.kind == "group" and _is_of_one_rank(lying):
                card = lies_on(meld, physical(card), state.wilds)
        ordered.append(Placement(card, placement.meld, end))
        grown[placement.meld] = put_on(meld, Laid(card, 0), end)
    return tuple(sorted(ordered, key=lambda placement: placement.end == "high"))
