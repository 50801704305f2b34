"""The dealer's and the scorer's facts against what was due (sections 1, 7, 9, D-R12)."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Final, get_args

from events.cards import UNKNOWN, Card, whole_pack
from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    Event,
    GameEnded,
    Redealt,
    Shuffled,
)
from events.game import Judgement, Unchecked
from events.rummy500.dealing import lowest, share_of
from events.rummy500.due import due, renewal
from events.rummy500.events import (
    FirstCardTurned,
    Floated,
    RummyEvent,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.moves import same_cards
from events.rummy500.ruleset import MOST_AFTER_THE_FIRST
from events.rummy500.scoring import ABANDONED, score_bounds
from events.rummy500.state import IN_PLAY, State
from events.rummy500.turns import fault, order_fault
from events.rummy500.whereabouts import copies_in_pack

# What dealer and scorer write.
DealersFact = (
    Shuffled | Dealt | FirstCardTurned | UpcardTurned | DealEnded | DealScored | GameEnded | Floated
)

FACTS: Final[tuple[type[Event], ...]] = get_args(DealersFact)

# The phases in which a deal can be broken off.
_UNFINISHED: Final = ("deal", "upcard", "redeal", *IN_PLAY)
# The code and rule under which it is reported that something else was due.
_OWED: Final[dict[type[Event], tuple[str, str]]] = {
    Shuffled: ("DEALER_WRONG", "R-1.5"),
    Dealt: ("DEAL_COUNT", "R-1.3"),
    FirstCardTurned: ("DEAL_COUNT", "V-9b"),
    UpcardTurned: ("DEAL_COUNT", "R-1.4"),
    DealEnded: ("DEAL_END_WRONG", "R-7.4"),
    DealScored: ("SCORE_WRONG", "R-9.1"),
    GameEnded: ("WINNER_WRONG", "R-9.5"),
    Floated: ("DEAL_END_WRONG", "12.6"),
    Redealt: ("DEALER_WRONG", "D-R02"),
    DealerDrawn: ("DEALER_WRONG", "R-1.5"),
}


def judge_fact(state: State, event: DealersFact) -> tuple[Judgement, ...]:
    """Return where a dealer's or scorer's fact differs from what was due; a game or deal may be broken off."""
    if isinstance(event, Dealt) and _is_to_be_dealt_to(state, event.seat):
        return tuple(_compare_hand(state, event, share_of(state, event.seat)))
    if isinstance(event, GameEnded) and event.abandoned:
        return tuple(_judge_abandoned(state, event))
    if isinstance(event, DealScored) and state.phase == "over" and state.closed:
        return tuple(_compare_score(state, event))
    expected = due(state)
    if isinstance(event, DealEnded) and event.reason == ABANDONED and state.phase in _UNFINISHED:
        expected = (DealEnded(deal=state.deal, reason=ABANDONED, out=None),)
    if not any(type(event) is type(one) for one in expected):
        code, rule = _OWED[type(expected[0]) if expected else type(event)]
        wanted = _tag(expected[0]) if expected else "no such fact now"
        return (fault(code, rule, None, wanted, _tag(event)),)
    return tuple(_compare(state, event, expected))


def _is_to_be_dealt_to(state: State, seat: int) -> bool:
    """Tell whether a seat is to get a hand now; under V-9b that takes asking what is due."""
    waits = state.phase == "deal" and not state.dealt[seat]
    return waits and state.ruleset.variant != "rummy5000"


def _judge_abandoned(state: State, event: GameEnded) -> Iterator[Judgement]:
    """Yield what is wrong with breaking off a game: it has ended, or it would give somebody the win."""
    if state.phase == "ended":
        yield fault("HAND_OVER", "R-9.5", None, "a game that goes on", f"phase {state.phase}")
    elif event.winner is not None:
        yield fault("WINNER_WRONG", "R-9.5", event.winner, "no winner", f"seat {event.winner}")


def _tag(event: Event) -> str:
    return str(event.__struct_config__.tag)


def _compare(
    state: State, event: DealersFact, expected: tuple[RummyEvent, ...]
) -> Iterator[Judgement]:
    match event:
        case Shuffled():
            yield from _compare_shuffle(state, event, expected[0])
        case Dealt():
            yield from _compare_hand(state, event, _share_in(expected, event.seat))
        case UpcardTurned() | FirstCardTurned():
            yield from _compare_turned(state, event, expected[0])
        case DealEnded():
            yield from _compare_end(event, expected[0])
        case GameEnded():
            if isinstance(expected[0], GameEnded) and event.winner != expected[0].winner:
                wanted, actual = f"seat {expected[0].winner}", f"seat {event.winner}"
                yield fault("WINNER_WRONG", "R-9.5", event.winner, wanted, actual)
        case Floated():
            if event not in expected:
                yield fault(
                    "DEAL_END_WRONG", "12.6", event.seat, _who(state.turn), _who(event.seat)
                )


def _compare_shuffle(state: State, event: Shuffled, expected: RummyEvent) -> Iterator[Judgement]:
    if not isinstance(expected, Shuffled):
        return
    if (event.deal, event.dealer) != (expected.deal, expected.dealer):
        wanted = f"deal {expected.deal} by seat {expected.dealer}"
        actual = f"deal {event.deal} by seat {event.dealer}"
        yield fault("DEALER_WRONG", "R-1.5", event.dealer, wanted, actual)
    if len(event.deck) != len(expected.deck):
        yield fault("DEAL_COUNT", "R-1.2", None, len(expected.deck), len(event.deck))
    yield from _twice(state, event.deck, ())


def _share_in(expected: tuple[RummyEvent, ...], seat: int) -> tuple[Card, ...] | None:
    """Return the hand that is due to a seat, None if there is none."""
    dealt = (one for one in expected if isinstance(one, Dealt) and one.seat == seat)
    return next((one.cards for one in dealt), None)


def _compare_hand(
    state: State, event: Dealt, share: tuple[Card, ...] | None
) -> Iterator[Judgement]:
    if share is None:
        yield fault("DEAL_COUNT", "R-1.3", event.seat, "one hand a seat", "a second hand")
    elif len(share) != len(event.cards):
        yield _miscount(state, event, len(share))
    elif not same_cards(event.cards, share, state.packs):
        yield fault("DRAW_NOT_TOP", "R-1.3", event.seat, " ".join(share), " ".join(event.cards))
    else:
        yield from _twice(state, event.cards, state.hands)


def _miscount(state: State, event: Dealt, due_to_it: int) -> Judgement:
    """Return what a hand of another size is: open where it goes by a first card that nobody knows (V-9b)."""
    seat, count = event.seat, len(event.cards)
    if state.hands[seat][:1] == (UNKNOWN,) and due_to_it < count <= MOST_AFTER_THE_FIRST:
        return Unchecked("DEAL_COUNT", "V-9b", "unknown_card", seat, {"actual": count})
    rule = "V-9b" if state.ruleset.variant == "rummy5000" else "R-1.3"
    return fault("DEAL_COUNT", rule, seat, due_to_it, count)


def _compare_turned(
    state: State, event: UpcardTurned | FirstCardTurned, expected: RummyEvent
) -> Iterator[Judgement]:
    if not isinstance(expected, UpcardTurned | FirstCardTurned):
        return
    seat, next_seat = getattr(event, "seat", None), getattr(expected, "seat", None)
    if seat != next_seat:
        yield fault("DEAL_COUNT", "V-9b", seat, _who(next_seat), _who(seat))
    elif same_cards((event.card,), (expected.card,), state.packs):
        yield from _twice(state, (event.card,), state.hands)
    else:
        rule = "R-1.4" if seat is None else "V-9b"
        yield fault("DRAW_NOT_TOP", rule, seat, expected.card, event.card)


def _twice(
    state: State, cards: tuple[Card, ...], places: tuple[tuple[Card, ...], ...]
) -> Iterator[Judgement]:
    """Yield the first card of which there would be more copies than the pack holds (invariant 1)."""
    pack = whole_pack(state.packs, state.ruleset.jokers_per_pack)
    if _is_each_once(cards, places, pack, state.packs):
        return
    counts = Counter(card for card in chain(cards, *places) if card != UNKNOWN)
    for card in cards:
        seen = counts[card]
        if card == UNKNOWN:
            continue
        either = seen if state.packs == 1 or card[0] == "X" else _of_either_pack(counts, card)
        allowed = copies_in_pack(state, card)
        if either > allowed or (len(card) == 3 and seen > 1):
            yield fault("CARD_TWICE", "14.1", None, f"{allowed} of {card}", f"{either} of {card}")
            return


def _is_each_once(
    cards: tuple[Card, ...], places: tuple[tuple[Card, ...], ...], pack: frozenset[Card], packs: int
) -> bool:
    """Tell whether all cards are known, are of the pack and lie nowhere else, so that nothing need be counted.

    Of two packs those in the places must be plain too, since a card without prime means either copy.
    """
    once, lying = set(cards), chain.from_iterable(places)
    if len(once) < len(cards) or not once <= pack:
        return False
    if packs == 1:
        return once.isdisjoint(lying)
    shown = [*cards, *lying]
    return len(set(shown)) == len(shown) and pack.issuperset(shown)


def _of_either_pack(counts: Counter[Card], card: Card) -> int:
    return counts[card[:2]] + counts[card[:2] + "'"]


def _compare_end(event: DealEnded, expected: RummyEvent) -> Iterator[Judgement]:
    if isinstance(expected, DealEnded) and event != expected:
        yield fault("DEAL_END_WRONG", "R-7.4", event.out, _how(expected), _how(event))


def _how(event: DealEnded) -> str:
    return f"deal {event.deal} {event.reason} by {_who(event.out)}"


def _who(seat: int | None) -> str:
    return "nobody" if seat is None else f"seat {seat}"


def _compare_score(state: State, event: DealScored) -> Iterator[Judgement]:
    for seat, (low, high) in enumerate(score_bounds(state)):
        score = event.scores[seat]
        if score is not None and not low <= score <= high:
            wanted = low if low == high else f"{low} to {high}"
            yield fault("SCORE_WRONG", "R-9.1", seat, wanted, score)
        elif score is not None and low != high:
            bounds: dict[str, str | int] = {"expected": f"{low} to {high}", "actual": score}
            yield Unchecked("SCORE_WRONG", "R-9.1", "unknown_card", seat, bounds)
    yield from _compare_totals(state, event)


def _compare_totals(state: State, event: DealScored) -> Iterator[Judgement]:
    for seat, (before, score, total) in enumerate(
        zip(state.totals, event.scores, event.totals, strict=True)
    ):
        if score is not None and total is not None and before + score != total:
            yield fault("TOTAL_WRONG", "R-9.4", seat, before + score, total)


def judge_cut(state: State, event: DealerDrawn) -> tuple[Judgement, ...]:
    """Return what a draw for the first deal breaks: not due, other players, or another dealer (R-1.5)."""
    if state.phase != "cut":
        return (fault("DEALER_WRONG", "R-1.5", event.dealer, "no draw for the deal now", "a draw"),)
    seats = tuple(draw.seat for draw in event.draws)
    if sorted(seats) != sorted(state.drawing):
        wanted, drew = (" ".join(map(str, who)) for who in (state.drawing, seats))
        return (fault("DEALER_WRONG", "R-1.5", None, f"seats {wanted}", f"seats {drew}"),)
    tied = lowest(event)
    if not tied:
        return (Unchecked("DEALER_WRONG", "R-1.5", "unknown_card", event.dealer),)
    dealer = tied[0] if len(tied) == 1 else None
    if event.dealer != dealer:
        return (fault("DEALER_WRONG", "R-1.5", event.dealer, _who(dealer), _who(event.dealer)),)
    return tuple(_twice(state, tuple(draw.card for draw in event.draws), ()))


def judge_renewal(state: State, event: StockRenewed) -> tuple[Judgement, ...]:
    """Return what a new stock breaks: made out of turn, not needed, or not of the pile's cards (R-6.12)."""
    order = order_fault(state, event.seat, "draw")
    if order is not None:
        return (order,)
    if state.stock:
        return (fault("MUST_DRAW", "R-6.12", event.seat, "an empty stock", len(state.stock)),)
    expected = renewal(state, event.seat)
    if expected is None:
        return (fault("STOCK_EMPTY", "R-6.12", event.seat, "no new stock", len(event.stock)),)
    if len(event.stock) != len(expected.stock) or len(event.pile) != len(expected.pile):
        wanted = f"{len(expected.stock)} + {len(expected.pile)} cards"
        actual = f"{len(event.stock)} + {len(event.pile)} cards"
        return (fault("DEAL_COUNT", "R-6.12", event.seat, wanted, actual),)
    if not _same_pile(state, event, expected):
        return (fault("CARD_TWICE", "14.1", event.seat, "the cards of the pile"),)
    return ()


def _same_pile(state: State, event: StockRenewed, expected: StockRenewed) -> bool:
    """Tell whether the new stock and pile can be the old pile's cards, each once."""
    if not same_cards(event.pile, expected.pile, state.packs):
        return False
    left = list(state.pile)
    for card in (*event.pile, *event.stock):
        if card == UNKNOWN:
            continue
        if card in left:
            left.remove(card)
        elif UNKNOWN in left:
            left.remove(UNKNOWN)
        else:
            return False
    return True
