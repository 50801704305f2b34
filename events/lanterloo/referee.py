"""The one truth of legality: which rules an event breaks in the state before it (sections 4 to 8).

Findings come in the order phase, object, shape, duty. What only dealer and scorer do is judged in
`scorer.py` and `facts.py`. Nothing is cleared or condemned by a card that the record does not know.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from events.cards import UNKNOWN, Card
from events.common import DealerDrawn, Event, GameOpened, Redealt, Remarked, Retracted
from events.game import Judgement, Unchecked, Violation
from events.lanterloo.declaring import choice_fault, may_exchange, speaks_in_vain
from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    FlushShown,
    LooEvent,
    MissSeen,
    PositionSet,
    SessionDivided,
    StockRenewed,
)
from events.lanterloo.facts import judge_cut, judge_division, judge_redeal, judge_renewal
from events.lanterloo.hidden import cannot_tell, hand_that_played
from events.lanterloo.ruleset import must_head
from events.lanterloo.scorer import FACTS, judge_fact
from events.lanterloo.showing import judge_claim, judge_shown
from events.lanterloo.state import UNDER_WAY, State
from events.lanterloo.tricks import refusal
from events.lanterloo.turns import fault, is_off_the_table, whose_turn
from events.lanterloo.whereabouts import can_be, first_not_held, is_known


def judge(state: State, event: LooEvent, after: State | None = None, /) -> tuple[Judgement, ...]:
    """Return every rule that *event* breaks, and what the record does not let us check.

    No rule of Loo asks what the event leads to; *after*, if the caller has it, shows that it was about the table.
    """
    # An event that has changed the table was found to be about it.
    if (after is None or after is state) and is_off_the_table(state, event):
        seat = getattr(event, "seat", None)
        return (fault("NO_SUCH_SEAT", "L-1.1", seat, f"seats 0 to {state.seats - 1}"),)
    return tuple(_JUDGES[type(event)](state, event))


# Declaring


def _judge_bid(state: State, event: Bid) -> Iterator[Judgement]:
    seat, choice = event.seat, event.choice
    order = _declaring_fault(state, seat, choice)
    found = order or _choice_fault(state, event)
    if found is not None:
        yield found
    elif choice in ("stand", "pass") and event.cards:
        yield fault("DEAL_COUNT", "L-4.6", seat, 0, len(event.cards))
    elif event.cards:
        yield from _judge_new_cards(state, seat, event.cards, state.miss, "L-4.6")


def _choice_fault(state: State, event: Bid) -> Violation | None:
    if speaks_in_vain(state, event.seat):
        if event.choice in ("stand", "pass"):
            return None
        return fault("MISS_NOT_AVAILABLE", "L-4.5", event.seat, "stand or pass", event.choice)
    return choice_fault(state, event.seat, event.choice)


def _declaring_fault(state: State, seat: int, word: str) -> Violation | None:
    """Return why a seat may not declare now: it has spoken already, or another seat is asked (L-4.2)."""
    said = state.bids[seat]
    if said is not None and state.phase in UNDER_WAY:
        if said == "exchange" and word == "exchange":
            return fault("EXCHANGE_ONCE", "L-4.3", seat, said, word)
        if said == "exchange" and word == "pass":
            return fault("MUST_PLAY_AFTER_EXCHANGE", "L-4.3", seat, said, word)
        return fault("DECLARATION_IS_FINAL", "L-4.2", seat, said, word)
    if speaks_in_vain(state, seat):
        return None
    if state.phase != "declare" or seat != state.turn:
        return fault("NOT_YOUR_TURN", "L-4.2", seat, whose_turn(state), f"seat {seat}")
    return None


def _judge_exchange(state: State, event: Exchanged) -> Iterator[Judgement]:
    seat, put_out = event.seat, event.put_out
    order = _declaring_fault(state, seat, "exchange")
    if order is not None:
        yield order
        return
    if speaks_in_vain(state, seat) or not may_exchange(state):
        rule = "L-4.3" if may_exchange(state) or not state.ruleset.club_law else "L-5.5"
        yield fault("EXCHANGE_NOT_ALLOWED", rule, seat)
        return
    missing = first_not_held(state, seat, put_out)
    if missing is not None:
        yield fault("NOT_IN_HAND", "L-4.3", seat, " ".join(state.hands[seat]), missing)
    if len(put_out) > len(state.stock):
        yield fault("STOCK_SHORT", "L-4.4", seat, f"<= {len(state.stock)}", len(put_out))
    elif missing is None:
        top = state.stock[: len(put_out)]
        yield from _judge_new_cards(state, seat, event.drawn, top, "L-4.3")


def _judge_new_cards(
    state: State, seat: int, written: tuple[Card, ...], lying: tuple[Card, ...], rule: str
) -> Iterator[Judgement]:
    """Yield what is wrong with cards that came to a hand: how many, or others than lay there."""
    if len(written) != len(lying):
        yield fault("DEAL_COUNT", rule, seat, len(lying), len(written))
    elif not can_be(written, lying):
        yield fault("DRAW_NOT_TOP", rule, seat, " ".join(lying), " ".join(written))
    else:
        shown = [c for c, there in zip(written, lying, strict=True) if there == UNKNOWN != c]
        for card in shown:
            if is_known(state, card) or shown.count(card) > 1:
                yield fault("CARD_TWICE", "15.1", seat, "a card not yet seen", card)
                return


# Playing


def _judge_card(state: State, event: CardPlayed) -> Iterator[Judgement]:
    seat, card = event.seat, event.card
    order = _playing_fault(state, seat)
    if order is not None:
        yield order
        return
    hand = state.hands[seat]
    if card in hand and UNKNOWN not in hand and state.trump is not None:
        found = refusal(state, hand, card)
        if found is not None:
            yield fault(found[0], found[1], seat, " ".join(found[2]), card)
        elif UNKNOWN in [one.card for one in state.trick]:
            yield from _uncheckable(state, seat, card)
        return
    yield from _judge_hidden_card(state, seat, card)


def _judge_hidden_card(state: State, seat: int, card: Card) -> Iterator[Judgement]:
    """Yield what can be said of a card from a hand that the record does not know whole, or not to hold it."""
    if first_not_held(state, seat, (card,)) is not None:
        # No rule of play is broken but the count of cards: it was neither dealt nor drawn.
        yield fault("NOT_IN_HAND", "15.1", seat, " ".join(state.hands[seat]), card)
        return
    if card == UNKNOWN:
        rule = "L-8.4" if must_head(state.ruleset) else "L-7.3"
        yield Unchecked("MUST_FOLLOW", rule, "unknown_card", seat)
        return
    hand = hand_that_played(state, seat, card)
    found = None if state.trump is None else refusal(state, hand, card)
    if found is not None:
        code, rule, may = found
        yield fault(code, rule, seat, " ".join(may), card)
    else:
        yield from _uncheckable(state, seat, card)


def _uncheckable(state: State, seat: int, card: Card) -> Iterator[Judgement]:
    duty = cannot_tell(state, seat, card)
    if duty is not None:
        yield Unchecked(*duty, "unknown_card", seat)


def _playing_fault(state: State, seat: int) -> Violation | None:
    """Return why a seat may not play a card now, None if it may (L-7.1)."""
    leads = state.phase == "claim" and not state.shown and state.lone is None
    if (state.phase != "play" and not leads) or seat != state.turn:
        return fault("NOT_YOUR_TURN", "L-7.1", seat, whose_turn(state), f"seat {seat}")
    return None


# Looking up


def _miss_seen(_: State, event: MissSeen) -> tuple[Judgement, ...]:
    return (fault("MISS_IS_HIDDEN", "L-4.7", event.seat),)


def _no_rule(_: State, __: LooEvent) -> tuple[Judgement, ...]:
    return ()


# One for every event, which a test sees to.
_JUDGES: Final[Mapping[type[Event], Callable[[State, Any], Iterable[Judgement]]]] = {
    Bid: _judge_bid,
    Exchanged: _judge_exchange,
    CardPlayed: _judge_card,
    FlushShown: judge_shown,
    FlushClaimed: judge_claim,
    StockRenewed: judge_renewal,
    MissSeen: _miss_seen,
    DealerDrawn: judge_cut,
    Redealt: judge_redeal,
    SessionDivided: judge_division,
    **dict.fromkeys(FACTS, judge_fact),
    **dict.fromkeys((Remarked, Retracted, GameOpened, PositionSet), _no_rule),
}
