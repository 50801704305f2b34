"""Calling "Rummy!" (section 8, V-4): when a call stands and why it falls."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from events.cards import UNKNOWN, Card, physical
from events.game import Judgement, Unchecked, Violation
from events.rummy500.calling import called_now, may_wait
from events.rummy500.duties import judge_lift
from events.rummy500.events import DiscardChallenged, End, Placement, RummyCalled
from events.rummy500.melds import fit_fault
from events.rummy500.moves import same_cards
from events.rummy500.reach import callable_cards, is_callable, lay_offs_with
from events.rummy500.state import State
from events.rummy500.turns import fault

WRONGLY_REFUSED: Final = "CALL_WRONGLY_REFUSED"
CHALLENGE_REFUSED: Final = "CHALLENGE_WRONGLY_REFUSED"
# Reasons of a refusal that the card alone decides; for others the caller may have named wrong cards or melds.
_TOLD_BY_THE_CARD: Final = frozenset(
    {
        "HAND_OVER",
        "CALLS_DISABLED",
        "NO_CALL_WINDOW",
        "CALLER_IS_DISCARDER",
        "NOT_CALLABLE",
        "DEEP_CARD_UNMELDABLE",
        "NO_LEGAL_DISCARD_LEFT",
        "MUST_KEEP_DISCARD",
    }
)


def judge_call(state: State, event: RummyCalled) -> tuple[Judgement, ...]:
    """Return what an accepted call breaks, and whether a refused one was refused rightly."""
    if not event.accepted:
        return _judge_refusal(state, event)
    closed = _window_fault(state, event.seat)
    if closed is not None:
        return (closed,)
    if state.ruleset.rummy == "latest_layoff":
        return tuple(_judge_lay_off_call(state, event))
    return tuple(_judge_full_call(state, event))


def _judge_refusal(state: State, event: RummyCalled) -> tuple[Judgement, ...]:
    """Return what is wrong with a refusal: the call stood, or a penalty hangs on the wrong reason (R-8.11)."""
    falls = judge_at_best(state, event)
    if not falls:
        if state.mode == "refereed" and event.code not in _TOLD_BY_THE_CARD:
            return ()
        refusal = event.code or "no call"
        return (fault(WRONGLY_REFUSED, "R-8.1", event.seat, "a call that stands", refusal),)
    first = falls[0]
    if isinstance(first, Unchecked):
        return (Unchecked(WRONGLY_REFUSED, first.rule, first.why, event.seat, first.params),)
    costs = state.ruleset.false_call_penalty and "NOT_CALLABLE" in (event.code, first.code)
    if costs and event.code != first.code:
        return (fault(WRONGLY_REFUSED, "R-8.11", event.seat, first.code, event.code or "no call"),)
    return ()


def judge_at_best(state: State, event: RummyCalled) -> tuple[Judgement, ...]:
    """Return what a refused call would have broken: nothing if it should have stood.

    What the caller named besides the card is not on record, so the best that he can have named is judged.
    """
    return min((judge_call(state, call) for call in _meant(state, event)), key=_weight)


def _meant(state: State, event: RummyCalled) -> tuple[RummyCalled, ...]:
    """Return the ways in which a refused call can have been meant: each copy of its card, each meld."""
    call = replace(event, accepted=True, code=None)
    pile, packs = state.pile, state.packs
    if state.ruleset.rummy == "latest_layoff":
        places = _lay_offs_of(state, event.card)
        return (*(replace(call, lay=place) for place in places), call)
    lying = [
        pile[i:] for i in range(len(pile)) if same_cards((event.card,), pile[i : i + 1], packs)
    ]
    return tuple(replace(call, cards=cards) for cards in reversed(lying)) or (
        replace(call, cards=(event.card,)),
    )


def _weight(judged: tuple[Judgement, ...]) -> tuple[int, int]:
    return sum(isinstance(found, Violation) for found in judged), len(judged)


def _lay_offs_of(state: State, card: Card) -> Iterator[Placement]:
    """Yield where a card can be laid off by itself, a joker in every place."""
    for meld in state.table if card != UNKNOWN else ():
        for play in lay_offs_with(card, (card,), meld, state.ruleset, state.wilds):
            at_low = meld.kind == "sequence" and play.new.low < meld.low
            end: End | None = None if meld.kind == "group" else "low" if at_low else "high"
            yield Placement(play.new.cards[0 if at_low else -1].card, meld.meld, end)


def open_calls(state: State) -> tuple[Card, ...]:
    """Return the cards that somebody could call now, the top one first (R-8.1, R-8.3)."""
    if not _is_open(state):
        return ()
    if state.ruleset.rummy == "latest_layoff" and not state.fresh:
        return ()
    if state.challenge is not None:
        return state.pile[-1:] if state.ruleset.rummy != "none" else ()
    return callable_cards(state.pile, state.table, state.ruleset, state.wilds)


def _is_open(state: State) -> bool:
    """Tell whether a call may be made now: in the window, or after a meld where that is played (D-R16)."""
    if state.phase == "play":
        return state.played and may_wait(state) and state.noted is None
    return state.phase == "window" and state.discarder is not None


def _window_fault(state: State, seat: int) -> Violation | None:
    if state.phase in ("over", "scored", "ended"):
        return fault("HAND_OVER", "R-8.8", seat, "no more calls", state.phase)
    if state.ruleset.rummy == "none":
        return fault("CALLS_DISABLED", "V-4b", seat, "no calls at this table")
    if seat in state.floaters and not state.ruleset.floater_calls:
        return fault("CALLS_DISABLED", "12.11", seat, "no calls by floaters")
    if not _is_open(state):
        return fault("NO_CALL_WINDOW", "R-8.3", seat, "phase window", f"phase {state.phase}")
    if any(claim.seat == seat for claim in state.claims):
        return fault("NO_CALL_WINDOW", "R-8.10", seat, "one claim a player", "a second claim")
    if seat == (state.turn if state.phase == "play" else state.discarder):
        return fault("CALLER_IS_DISCARDER", "R-8.2", seat, "another player", f"seat {seat}")
    return None


def _judge_full_call(state: State, event: RummyCalled) -> Iterator[Judgement]:
    pile, card = state.pile, event.card
    if event.lay is not None:
        yield fault("NO_SUCH_MELD", "V-4a", event.seat, "no meld named", event.lay.meld)
        return
    lying = pile[len(pile) - len(event.cards) :] if 0 < len(event.cards) <= len(pile) else ()
    if not lying or not same_cards((card,), lying[:1], state.packs):
        yield fault("NOT_IN_PILE", "R-8.4", event.seat, " ".join(pile), card)
        return
    if not same_cards(event.cards, lying, state.packs):
        yield fault("NOT_IN_PILE", "R-8.4", event.seat, " ".join(lying), " ".join(event.cards))
        return
    open_to_call = state.challenge is None or len(lying) == 1
    if not open_to_call or not is_callable(
        len(pile) - len(lying), pile, state.table, state.ruleset, state.wilds
    ):
        yield _not_callable(state, event.seat, card, lying)
        return
    judged = judge_lift(called_now(state, event), event.seat)
    if judged is not None:
        yield judged


def judge_challenge(state: State, event: DiscardChallenged) -> tuple[Judgement, ...]:
    """Return what a challenge of a last discard breaks, and whether a refused one fell rightly (12.7)."""
    if not event.accepted:
        if judge_challenge(state, replace(event, accepted=True, code=None)):
            return ()
        refusal = event.code or "no code"
        return (fault(CHALLENGE_REFUSED, "12.7", event.seat, "a challenge that stands", refusal),)
    if state.phase in ("over", "scored", "ended"):
        return (fault("HAND_OVER", "12.7", event.seat, "no more acts", state.phase),)
    if state.phase != "window" or state.challenge is None:
        return (fault("CHALLENGE_NOT_OPEN", "12.7", event.seat, "a last discard", event.card),)
    if event.seat == state.challenge:
        return (fault("CALLER_IS_DISCARDER", "12.7", event.seat, "another player"),)
    if not same_cards((event.card,), state.pile[-1:], state.packs):
        return (fault("NOT_IN_PILE", "12.7", event.seat, state.pile[-1], event.card),)
    return ()


def _not_callable(
    state: State, seat: int, card: Card, lying: tuple[Card, ...]
) -> Violation | Unchecked:
    if UNKNOWN in lying:
        return Unchecked("NOT_CALLABLE", "R-8.1", "unknown_card", seat, {"card": card})
    rule = "R-8.1" if state.challenge is None else "12.7"
    return fault("NOT_CALLABLE", rule, seat, _callable_text(state), card)


def _judge_lay_off_call(state: State, event: RummyCalled) -> Iterator[Judgement]:
    seat, card, packs = event.seat, event.card, state.packs
    if not any(same_cards((card,), (lying,), packs) for lying in state.pile):
        yield fault("NOT_IN_PILE", "R-8.4", seat, " ".join(state.pile), card)
        return
    if event.cards and not same_cards(event.cards, (card,), packs):
        yield fault("NOT_IN_PILE", "V-4a", seat, card, " ".join(event.cards))
        return
    top = state.pile[-1:]
    is_newest = state.fresh and same_cards((card,), top, packs)
    if top == (UNKNOWN,) and is_newest:
        yield Unchecked("NOT_CALLABLE", "V-4a", "unknown_card", seat, {"card": card})
    elif not is_newest or not open_calls(state):
        yield fault("NOT_CALLABLE", "V-4a", seat, _callable_text(state), card)
    if is_newest:
        yield from _where_it_goes(state, seat, card, event.lay)


def _where_it_goes(
    state: State, seat: int, card: Card, lay: Placement | None
) -> Iterator[Judgement]:
    if lay is None or not same_cards((physical(lay.card),), (card,), state.packs):
        yield fault("NO_SUCH_MELD", "V-4a", seat, f"a meld for {card}", "none named")
        return
    meld = state.meld(lay.meld)
    if meld is None:
        yield fault("NO_SUCH_MELD", "V-4a", seat, "a meld on the table", lay.meld)
        return
    found = fit_fault(meld, lay.card, lay.end, state.ruleset, state.wilds)
    if found is not None:
        yield Violation(found.code, found.rule, seat, found.params | {"meld": lay.meld})


def _callable_text(state: State) -> str:
    return " ".join(open_calls(state)) or "nothing callable"
