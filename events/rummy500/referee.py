"""The one truth of legality: which rules an event breaks in the state before it (sections 3 to 8).

Findings come in the order phase, object, shape, duty. What only dealer and scorer do is judged in
`scorer.py`, calls in `calls.py`. Nothing is cleared or condemned by a card that the record does not know.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from events.cards import UNKNOWN, Card, Placed, physical
from events.common import DealerDrawn, Event, GameOpened, Redealt, Remarked, Retracted
from events.game import Judgement, Violation
from events.rummy500.calling import settle_claims
from events.rummy500.calls import judge_call, judge_challenge
from events.rummy500.due import renewal
from events.rummy500.duties import (
    judge_discard_duty,
    judge_lift,
    judge_play_duty,
    judge_swap_duty,
)
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    PositionSet,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.evolve import evolve
from events.rummy500.melds import fit, meld_fault, put_on
from events.rummy500.moves import same_cards
from events.rummy500.scorer import FACTS, judge_cut, judge_fact, judge_renewal
from events.rummy500.state import IN_PLAY, Laid, Meld, State
from events.rummy500.swaps import may_swap, swap_fault
from events.rummy500.turns import fault, is_off_the_table, order_fault
from events.rummy500.unknown_rank import if_none_were_wild
from events.rummy500.whereabouts import all_copies_known, as_held, first_not_held, means


def judge(state: State, event: RummyEvent, after: State | None = None, /) -> tuple[Judgement, ...]:
    """Return every rule that *event* breaks, and what the record does not let us check.

    *after* is what `evolve` makes of the two, if the caller has it already.
    """
    # An event that has changed the table was found to be about it.
    if (after is None or after is state) and is_off_the_table(state, event):
        seat = getattr(event, "seat", None)
        return (fault("NO_SUCH_SEAT", "R-1.1", seat, f"seats 0 to {state.seats - 1}"),)
    if state.claims and not isinstance(event, RummyCalled | Remarked):
        return _judge_after_claims(state, event)
    found = _judge_at_once(state, event, after)
    return tuple(map(if_none_were_wild, found)) if found and state.wild_is_unknown else found


def _judge_at_once(state: State, event: RummyEvent, after: State | None) -> tuple[Judgement, ...]:
    by_the_outcome = _BY_THE_OUTCOME.get(type(event))
    if by_the_outcome is not None:
        return tuple(by_the_outcome(state, event, after))
    return tuple(_BY_THE_STATE[type(event)](state, event))


def _judge_swap(state: State, event: JokerSwapped) -> Iterator[Judgement]:
    seat, meld = event.seat, state.meld(event.meld)
    if not may_swap(state.ruleset):
        yield fault("JOKER_STAYS", "R-4.3", seat, event.joker, event.card)
        return
    order = order_fault(state, seat, "play")
    if order is not None:
        yield order
        return
    if meld is None:
        yield fault("NO_SUCH_MELD", "12.11", seat, "a meld on the table", event.meld)
        return
    missing = _missing(state, seat, (event.card,), "12.11")
    misfit = swap_fault(meld, event.joker, event.card, seat)
    yield from (found for found in (missing, misfit) if found is not None)
    if missing is None and misfit is None:
        yield from judge_swap_duty(state, evolve(state, event), seat)


def _judge_redeal(state: State, _: Redealt) -> tuple[Judgement, ...]:
    if state.phase in (*IN_PLAY, "deal", "upcard", "redeal"):
        return ()
    return (fault("HAND_OVER", "12.12", None, "a deal in play", f"phase {state.phase}"),)


def _judge_after_claims(state: State, event: RummyEvent) -> tuple[Judgement, ...]:
    """Judge what closes the window by the table as the settled call leaves it (R-8.10)."""
    closes = isinstance(event, StockDrawn | PileTaken | DrawDeclined)
    if closes and getattr(event, "seat", None) == state.turn:
        return ()
    return judge(settle_claims(state), event)


def _judge_stock_draw(state: State, event: StockDrawn) -> tuple[Judgement, ...]:
    seat, card = event.seat, event.card
    order = order_fault(state, seat, "draw")
    if order is not None:
        return (order,)
    if not state.stock:
        return (fault("STOCK_EMPTY", "R-6.2", seat, "a card in the stock", card),)
    top = state.stock[0]
    if card == UNKNOWN:
        return ()
    if top == UNKNOWN:
        if all_copies_known(state, card):
            return (fault("CARD_TWICE", "14.1", seat, "a card not yet seen", card),)
    elif not means(card, top, state.packs):
        return (fault("DRAW_NOT_TOP", "R-6.2", seat, top, card),)
    return ()


def _judge_pile_draw(state: State, event: PileTaken, after: State | None) -> Iterator[Judgement]:
    seat, cards = event.seat, event.cards
    order = order_fault(state, seat, "draw")
    if order is not None:
        yield order
        return
    lying = state.pile[len(state.pile) - len(cards) :] if len(cards) <= len(state.pile) else ()
    if not same_cards(cards, lying, state.packs):
        yield fault("NOT_IN_PILE", "R-6.5", seat, " ".join(lying or state.pile), " ".join(cards))
        return
    if state.challenge is not None:
        return
    if state.renewed:
        yield fault("MUST_DRAW", "R-6.12", seat, "the new stock's top", cards[0])
        return
    if state.ruleset.floater_draw == "stock_only" and seat in state.floaters and state.stock:
        yield fault("FLOATER_MUST_USE_STOCK", "D-R26", seat, "a card from the stock", cards[0])
        return
    judged = judge_lift(after or evolve(state, event), seat)
    if judged is not None:
        yield judged


def _judge_decline(state: State, event: DrawDeclined) -> Iterator[Judgement]:
    order = order_fault(state, event.seat, "draw")
    if order is not None:
        yield order
    elif state.stock:
        yield fault("MUST_DRAW", "R-6.12", event.seat, "a draw", f"{len(state.stock)} in stock")
    elif renewal(state, event.seat) is not None:
        yield fault("MUST_DRAW", "R-6.12", event.seat, "a new stock", f"{len(state.pile)} in pile")


def _judge_discard(state: State, event: Discarded) -> Iterator[Judgement]:
    seat, card = event.seat, event.card
    order = order_fault(state, seat, "play")
    if order is not None:
        yield order
    missing = None if card in state.hands[seat] else _missing(state, seat, (card,), "R-6.9")
    if missing is not None:
        yield missing
    elif order is None:
        yield from judge_discard_duty(state, seat, as_held(state, seat, card))


def _judge_meld(state: State, event: MeldLaid, after: State | None) -> Iterator[Judgement]:
    broken = False
    for found in _meld_faults(state, event):
        broken = True
        yield found
    if not broken:
        yield from judge_play_duty(state, after or evolve(state, event), event)


def _meld_faults(state: State, event: MeldLaid) -> Iterator[Violation]:
    order = order_fault(state, event.seat, "play")
    if order is not None:
        yield order
    if state.meld(event.meld) is not None:
        yield fault("MELD_ID_TAKEN", "R-3.7", event.seat, state.next_meld, event.meld)
    missing = _missing(state, event.seat, event.cards, "R-3.1")
    if missing is not None:
        yield missing
    shape = meld_fault(event.kind, event.cards, state.ruleset, state.wilds)
    if shape is not None:
        yield _of(shape, event.seat, event.meld)


def _judge_lay_off(state: State, event: LaidOff, after: State | None) -> Iterator[Judgement]:
    broken = False
    for found in _lay_off_faults(state, event):
        broken = True
        yield found
    if not broken:
        yield from judge_play_duty(state, after or evolve(state, event), event)


def _lay_off_faults(state: State, event: LaidOff) -> Iterator[Violation]:
    seat = event.seat
    order = order_fault(state, seat, "play")
    if order is not None:
        yield order
    unknown = [p.meld for p in event.cards if state.meld(p.meld) is None]
    if unknown:
        yield fault("NO_SUCH_MELD", "R-5.5", seat, "a meld on the table", unknown[0])
    missing = _missing(state, seat, [placement.card for placement in event.cards], "R-5.1")
    if missing is not None:
        yield missing
    melds = {placement.meld for placement in event.cards}
    if len(melds) > 1:
        yield fault("ONE_MELD_PER_LAYOFF", "R-5.8", seat, 1, len(melds))
    if not unknown:
        yield from _misfits(state, seat, event.cards)


def _misfits(state: State, seat: int, placements: tuple[Placement, ...]) -> Iterator[Violation]:
    """Yield each card that does not fit where it is put, the ones before it having been laid (R-5.8)."""
    grown: dict[int, Meld] = {}
    for placement in placements:
        meld = grown.get(placement.meld) or state.meld(placement.meld)
        if meld is None:
            continue
        found = fit(meld, placement.card, placement.end, state.ruleset, state.wilds)
        if isinstance(found, Violation):
            yield _of(found, seat, placement.meld)
        elif placement is not placements[-1]:
            card, end = found
            grown[placement.meld] = put_on(meld, Laid(card, seat), end)


def _missing(
    state: State, seat: int, cards: tuple[Placed, ...] | list[Placed] | tuple[Card, ...], rule: str
) -> Violation | None:
    card = first_not_held(state, seat, list(map(physical, cards)))
    if card is None:
        return None
    return fault("NOT_IN_HAND", rule, seat, " ".join(state.hands[seat]) or "no card", card)


def _of(found: Violation, seat: int, meld: int) -> Violation:
    return Violation(found.code, found.rule, seat, found.params | {"meld": meld})


def _no_rule(_: State, __: RummyEvent) -> tuple[Judgement, ...]:
    return ()


# Together one for every event, which a test sees to.
_BY_THE_OUTCOME: Final[
    Mapping[type[Event], Callable[[State, Any, State | None], Iterable[Judgement]]]
] = {
    PileTaken: _judge_pile_draw,
    MeldLaid: _judge_meld,
    LaidOff: _judge_lay_off,
}
_BY_THE_STATE: Final[Mapping[type[Event], Callable[[State, Any], Iterable[Judgement]]]] = {
    StockDrawn: _judge_stock_draw,
    DrawDeclined: _judge_decline,
    StockRenewed: judge_renewal,
    Discarded: _judge_discard,
    JokerSwapped: _judge_swap,
    RummyCalled: judge_call,
    DiscardChallenged: judge_challenge,
    DealerDrawn: judge_cut,
    Redealt: _judge_redeal,
    **dict.fromkeys(FACTS, judge_fact),
    **dict.fromkeys((Remarked, Retracted, GameOpened, PositionSet), _no_rule),
}
