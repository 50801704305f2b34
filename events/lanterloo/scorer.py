"""The dealer's and the scorer's facts against what was due (sections 2, 4, 6, 7, 9 and 10)."""

from collections.abc import Iterator
from typing import Final, TypeAlias, get_args

from events.cards import FIRST_PACK, UNKNOWN, Card
from events.common import DealEnded, DealerDrawn, DealScored, Dealt, Event, GameEnded, Shuffled
from events.game import Judgement, Unchecked
from events.lanterloo.dealing import share_of
from events.lanterloo.due import due
from events.lanterloo.events import (
    AntePaid,
    FlushShown,
    Looed,
    LooEvent,
    MissDealt,
    PenaltyPaid,
    PoolPaid,
    TrickTaken,
    TurnUp,
)
from events.lanterloo.pool import doubt_about
from events.lanterloo.state import State
from events.lanterloo.turns import fault
from events.lanterloo.whereabouts import can_be

# What dealer and scorer write.
Fact: TypeAlias = (
    Shuffled
    | AntePaid
    | Dealt
    | MissDealt
    | TurnUp
    | TrickTaken
    | PoolPaid
    | Looed
    | PenaltyPaid
    | DealEnded
    | DealScored
    | GameEnded
)

FACTS: Final[tuple[type[Event], ...]] = get_args(Fact)

_PACK: Final = frozenset(FIRST_PACK)
# The code and rule under which it is reported that something else was due.
_OWED: Final[dict[type[Event], tuple[str, str]]] = {
    DealerDrawn: ("DEALER_WRONG", "L-2.1"),
    Shuffled: ("DEALER_WRONG", "L-1.3"),
    AntePaid: ("AMOUNT_WRONG", "L-2.2"),
    Dealt: ("DEAL_COUNT", "L-2.3"),
    MissDealt: ("DEAL_COUNT", "L-2.3"),
    TurnUp: ("DEAL_COUNT", "L-2.4"),
    FlushShown: ("NO_SUCH_FLUSH", "L-6.5"),
    TrickTaken: ("TRICK_WRONG", "L-7.5"),
    PoolPaid: ("POOL_WRONG", "L-9.6"),
    Looed: ("LOOED_WRONG", "L-9.6"),
    PenaltyPaid: ("AMOUNT_WRONG", "L-12.2"),
    DealEnded: ("DEAL_END_WRONG", "L-9.6"),
    DealScored: ("AMOUNT_WRONG", "L-9.7"),
    GameEnded: ("WINNER_WRONG", "L-10.1"),
}


def judge_fact(state: State, event: Fact) -> tuple[Judgement, ...]:
    """Return where a dealer's or scorer's fact differs from what was due."""
    if type(event) is Dealt and state.phase == "deal" and not state.dealt[event.seat]:
        return tuple(_compare_hand(state, event, share_of(state, event.seat)))
    if type(event) is GameEnded and event.abandoned:
        return tuple(_judge_abandoned(state, event))
    expected = due(state)
    if type(event) is Looed and event.seat in state.open_loos:
        return (Unchecked("LOOED_WRONG", "L-6.4", "unknown_card", event.seat),)
    if isinstance(event, PenaltyPaid) and event not in expected and doubt_about(state, event):
        return (Unchecked("AMOUNT_WRONG", "L-12.3", "unknown_card", event.seat),)
    kind = type(event)
    alike = tuple([one for one in expected if type(one) is kind])
    if not alike:
        return (_something_else(event, expected),)
    return tuple(_compare(state, event, alike))


def _something_else(event: Event, expected: tuple[LooEvent, ...]) -> Judgement:
    code, rule = _OWED[type(expected[0]) if expected else type(event)]
    seat = getattr(expected[0], "seat", None) if expected else getattr(event, "seat", None)
    wanted = _due_now(expected[0]) if expected else "no such fact now"
    return fault(code, rule, seat, wanted, _tag(event))


def _due_now(event: LooEvent) -> str:
    """Return what was due, a payment by its amount."""
    if isinstance(event, AntePaid | PoolPaid | Looed | PenaltyPaid):
        return _payment(event)
    return _tag(event)


def _tag(event: Event) -> str:
    return str(event.__struct_config__.tag)


def _judge_abandoned(state: State, event: GameEnded) -> Iterator[Judgement]:
    """Yield what is wrong with breaking off a session: it has ended, somebody wins, or chips are left."""
    if state.phase == "ended":
        yield fault("DEAL_END_WRONG", "L-10.3", None, "a session that goes on", "phase ended")
    elif event.winner is not None:
        yield fault("WINNER_WRONG", "L-10.3", event.winner, "no winner", f"seat {event.winner}")
    elif state.pool > 0:
        yield fault("POOL_WRONG", "L-10.3", None, "the pool divided", f"{state.pool} chips in it")


def _compare(state: State, event: Fact, expected: tuple[LooEvent, ...]) -> Iterator[Judgement]:
    match event:
        case TrickTaken():
            yield from _compare_trick(event, expected)
        case PoolPaid() | Looed() | AntePaid() | PenaltyPaid():
            if event not in expected:
                yield _wrong_payment(event, expected, _payment_rule(state, event))
        case Shuffled():
            yield from _compare_shuffle(event, expected[0])
        case Dealt() | MissDealt():
            yield from _compare_hand(state, event, _share_in(expected, event))
        case TurnUp():
            yield from _compare_turn_up(state, event, expected[0])
        case DealEnded():
            if event not in expected:
                yield fault("DEAL_END_WRONG", "L-9.6", None, _how(expected[0]), _how(event))
        case DealScored():
            yield from _compare_score(event, expected[0])
        case GameEnded():
            yield from _compare_winner(event, expected[0])


def _compare_shuffle(event: Shuffled, expected: LooEvent) -> Iterator[Judgement]:
    if not isinstance(expected, Shuffled):
        return
    if (event.deal, event.dealer) != (expected.deal, expected.dealer):
        wanted = f"deal {expected.deal} by seat {expected.dealer}"
        actual = f"deal {event.deal} by seat {event.dealer}"
        yield fault("DEALER_WRONG", "L-1.3", event.dealer, wanted, actual)
    if len(event.deck) != len(expected.deck):
        yield fault("DEAL_COUNT", "L-1.2", None, len(expected.deck), len(event.deck))
    yield from twice(event.deck, ())


def twice(cards: tuple[Card, ...], places: tuple[tuple[Card, ...], ...]) -> Iterator[Judgement]:
    """Yield the first card of which there would be two, or that the pack does not have (invariant 1)."""
    shown = [card for card in cards if card != UNKNOWN]
    elsewhere = {card for place in places for card in place}
    once = set(shown)
    if len(once) == len(shown) and once <= _PACK and once.isdisjoint(elsewhere):
        return
    seen = set[Card]()
    for card in shown:
        if card in seen or card in elsewhere or card not in _PACK:
            copies = int(card in _PACK)
            yield fault(
                "CARD_TWICE", "15.1", None, f"{copies} of {card}", f"{copies + 1} of {card}"
            )
            return
        seen.add(card)


def _share_in(expected: tuple[LooEvent, ...], event: Dealt | MissDealt) -> tuple[Card, ...] | None:
    """Return the cards that are due where these were dealt, None if there are none."""
    seat = getattr(event, "seat", None)
    dealt = (one for one in expected if isinstance(one, Dealt | MissDealt))
    return next((one.cards for one in dealt if getattr(one, "seat", None) == seat), None)


def _compare_hand(
    state: State, event: Dealt | MissDealt, share: tuple[Card, ...] | None
) -> Iterator[Judgement]:
    seat: int | None = getattr(event, "seat", None)
    if share is None:
        yield fault("DEAL_COUNT", "L-2.3", seat, "one hand a seat", "a second hand")
    elif len(share) != len(event.cards):
        yield fault("DEAL_COUNT", "L-2.3", seat, len(share), len(event.cards))
    elif not can_be(event.cards, share):
        yield fault("DRAW_NOT_TOP", "L-2.3", seat, " ".join(share), " ".join(event.cards))
    elif UNKNOWN in share:
        yield from twice(event.cards, (*state.hands, state.miss))


def _compare_turn_up(state: State, event: TurnUp, expected: LooEvent) -> Iterator[Judgement]:
    if not isinstance(expected, TurnUp):
        return
    if not can_be((event.card,), (expected.card,)):
        yield fault("DRAW_NOT_TOP", "L-2.4", None, expected.card, event.card)
    elif expected.card == UNKNOWN:
        yield from twice((event.card,), (*state.hands, state.miss))


def _compare_trick(event: TrickTaken, expected: tuple[LooEvent, ...]) -> Iterator[Judgement]:
    if event not in expected:
        wanted, actual = _taker(expected[0]), _taker(event)
        yield fault("TRICK_WRONG", "L-7.5", event.seat, wanted, actual)
    elif len(expected) > 1:
        yield Unchecked("TRICK_WRONG", "L-7.5", "unknown_card", event.seat)


def _taker(event: LooEvent) -> str:
    return f"trick {event.trick} to seat {event.seat}" if isinstance(event, TrickTaken) else ""


def _wrong_payment(
    event: AntePaid | PoolPaid | Looed | PenaltyPaid, expected: tuple[LooEvent, ...], rule: str
) -> Judgement:
    """Return what is wrong with a payment: who pays or is paid, or how much."""
    same = next((one for one in expected if getattr(one, "seat", None) == event.seat), None)
    if isinstance(same, AntePaid | PoolPaid | Looed | PenaltyPaid):
        wanted, actual = _payment(same), _payment(event)
        if same.amount != event.amount and wanted.replace(str(same.amount), "") == actual.replace(
            str(event.amount), ""
        ):
            return fault("AMOUNT_WRONG", rule, event.seat, same.amount, event.amount)
        return fault("AMOUNT_WRONG", rule, event.seat, wanted, actual)
    wanted = " or ".join(f"seat {getattr(one, 'seat', None)}" for one in expected)
    code = "LOOED_WRONG" if isinstance(event, Looed) else "WINNER_WRONG"
    if isinstance(event, AntePaid | PenaltyPaid):
        code = "AMOUNT_WRONG"
    return fault(code, rule, event.seat, wanted, f"seat {event.seat}")


def _payment_rule(state: State, event: AntePaid | PoolPaid | Looed | PenaltyPaid) -> str:
    """Return the rule that says how much this payment is, at this table and in this hand."""
    match event:
        case AntePaid():
            return "L-2.2"
        case PenaltyPaid():
            return "L-12.2"
        case Looed() if state.ended == "FLUSH":
            return "L-6.4"
        case Looed():
            return "L-9.5" if state.ruleset.stakes == "unlimited" else "L-9.3"
        case PoolPaid():
            share = "L-9.1" if state.ruleset.form == "loo5" else "L-9.2"
            return {"walk_over": "L-4.5", "flush": "L-6.4", "tricks": share}[event.paid_for]


def _payment(event: AntePaid | PoolPaid | Looed | PenaltyPaid) -> str:
    match event:
        case AntePaid():
            return f"{event.amount}"
        case PoolPaid():
            return f"{event.amount} for {event.paid_for}"
        case Looed():
            return f"{event.amount} to {'the pool' if event.to is None else f'seat {event.to}'}"
        case PenaltyPaid():
            return f"{event.amount} to {event.to} for {event.reason}"


def _how(event: LooEvent) -> str:
    if not isinstance(event, DealEnded):
        return ""
    who = "" if event.out is None else f" by seat {event.out}"
    return f"deal {event.deal} {event.reason}{who}"


def _compare_score(event: DealScored, expected: LooEvent) -> Iterator[Judgement]:
    if not isinstance(expected, DealScored) or event == expected:
        return
    if event.deal != expected.deal:
        yield fault("AMOUNT_WRONG", "L-9.7", None, f"deal {expected.deal}", f"deal {event.deal}")
    for seat, (wanted, score) in enumerate(zip(expected.scores, event.scores, strict=True)):
        if score is not None and wanted is not None and score != wanted:
            yield fault("AMOUNT_WRONG", "L-9.7", seat, wanted, score)
    for seat, (wanted, total) in enumerate(zip(expected.totals, event.totals, strict=True)):
        if total is not None and wanted is not None and total != wanted:
            yield fault("POOL_WRONG", "15.3", seat, wanted, total)


def _compare_winner(event: GameEnded, expected: LooEvent) -> Iterator[Judgement]:
    if isinstance(expected, GameEnded) and event != expected:
        wanted, actual = _winner(expected), _winner(event)
        yield fault("WINNER_WRONG", "L-9.7", event.winner, wanted, actual)


def _winner(event: GameEnded) -> str:
    if event.abandoned:
        return "a session broken off"
    return "nobody" if event.winner is None else f"seat {event.winner}"
