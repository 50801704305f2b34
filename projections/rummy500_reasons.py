"""Why a legal act of 500 Rummy is legal: the rule that allows it and what it rests on, as codes and parameters.

Pure, and no judge: ask only of acts that `judge` has nothing against. What is shown as an example, such as the
meld that a card can go into, is one of several at times.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, assert_never

from msgspec.structs import replace

from events.cards import UNKNOWN, Card, Placed, is_joker
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
from events.game import Params
from events.rummy500.calling import called_now, claims_wait, settle_claims
from events.rummy500.ending import Outlook, barred_cards, duty_plays, may_discard_some, outlook
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    FirstCardTurned,
    Floated,
    JokerSwapped,
    LaidOff,
    MeldLaid,
    PileTaken,
    PositionSet,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.evolve import evolve
from events.rummy500.lying import is_natural, lie_together
from events.rummy500.reach import plays_with
from events.rummy500.smallest import Play
from events.rummy500.state import Meld, State
from projections.wording import Reason

_ENDS: Final = {"MELDED_OUT": "R-7.1", "DISCARDED_OUT": "R-7.2", "STOCK_EXHAUSTED": "R-7.3"}
# How many ways of melding a card are looked at for one that leaves a discard.
_WAYS: Final = 50


def reasons(state: State, event: RummyEvent) -> tuple[Reason, ...]:
    """Return why this legal act is legal, the main reason first; there is always one."""
    if isinstance(event, StockDrawn | PileTaken | DrawDeclined):
        if state.claims:
            return (Reason("OK_DRAW_SETTLES", "R-8.10", event.seat),)
        if state.challenge is not None:
            return (Reason("OK_DRAW_ENDS_DEAL", "12.7", event.seat),)
    if state.claims and not isinstance(event, RummyCalled | Remarked):
        state = settle_claims(state)
    return tuple(_reasons(state, event))


def _reasons(state: State, event: RummyEvent) -> Iterator[Reason]:
    match event:
        case StockDrawn():
            yield Reason("OK_STOCK", "R-6.2", event.seat)
        case PileTaken():
            yield _taken(state, event)
        case DrawDeclined():
            yield Reason("OK_PASS", "R-6.12", event.seat)
        case StockRenewed():
            yield Reason("OK_RENEW", "D-R12", event.seat)
        case MeldLaid():
            yield _melded(state, event)
            yield from _comes_of(state, event)
        case LaidOff():
            yield _laid_off(state, event)
            yield from _comes_of(state, event)
        case JokerSwapped():
            params: Params = {"card": event.card, "joker": event.joker, "meld": f"m{event.meld}"}
            yield Reason("OK_SWAP", "12.11", event.seat, params)
        case Discarded():
            yield _discarded(state, event)
        case RummyCalled():
            yield from _called(state, event)
        case DiscardChallenged():
            code = "OK_CHALLENGE" if event.accepted else "OK_CHALLENGE_FELL"
            yield Reason(code, "12.7", event.seat, {"card": event.card})
        case Floated():
            yield Reason("OK_FLOAT", "12.6", event.seat)
        case (
            Shuffled()
            | Dealt()
            | UpcardTurned()
            | DealerDrawn()
            | Redealt()
            | DealEnded()
            | DealScored()
            | GameEnded()
        ):
            yield _fact(event)
        case FirstCardTurned():
            is_dealer = event.seat == state.dealer
            code = "OK_FIRST_CARD_WILD" if is_dealer else "OK_FIRST_CARD"
            yield Reason(code, "V-9b", event.seat, {"card": event.card})
        case Remarked() | Retracted() | GameOpened() | PositionSet():
            yield Reason("OK_FACT", "")
        case _ as never:
            assert_never(never)


def _fact(
    event: Shuffled
    | Dealt
    | UpcardTurned
    | DealerDrawn
    | Redealt
    | DealEnded
    | DealScored
    | GameEnded,
) -> Reason:
    """Return why the dealer or the scorer wrote this."""
    match event:
        case Shuffled():
            return Reason("OK_SHUFFLE", "R-1.5", event.dealer)
        case Dealt():
            return Reason("OK_DEALT", "R-1.3", event.seat, {"actual": len(event.cards)})
        case UpcardTurned():
            return Reason("OK_UPCARD", "R-1.4", None, {"card": event.card})
        case DealerDrawn():
            return Reason("OK_DEALER_DRAWN", "R-1.5", event.dealer)
        case Redealt():
            return Reason("OK_REDEALT", "12.12")
        case DealEnded():
            who = "nobody" if event.out is None else f"seat {event.out}"
            how = f"{event.reason} by {who}" if event.out is not None else event.reason
            return Reason("OK_DEAL_ENDED", _ENDS.get(event.reason, "R-7.4"), None, {"actual": how})
        case DealScored():
            return Reason("OK_SCORED", "R-9.1")
        case GameEnded():
            if event.abandoned:
                return Reason("OK_GAME_ABANDONED", "R-9.5")
            return Reason("OK_GAME_WON", "R-9.5", event.winner)


def _taken(state: State, event: PileTaken) -> Reason:
    seat, after = event.seat, evolve(state, event)
    if after.duty is None:
        return Reason("OK_TOP_CARD", "R-6.3", seat, {"card": event.cards[0]})
    always = "V-3b" if state.ruleset.pile_rule == "always_new_meld" else "V-3a"
    rule = "R-6.6" if len(event.cards) > 1 else always
    when = "LATER" if state.ruleset.deep_timing == "by_turn_end" else "NOW"
    params: Params = {"card": after.duty, "when": when}
    view = outlook(after, seat)
    play = _leaving_a_discard(view, duty_plays(view, all_bridges=False))
    return _with_play("OK_TAKE", rule, seat, params, play)


def _leaving_a_discard(view: Outlook, plays: Iterable[Play]) -> Play | None:
    """Return a play after which the turn can end, the first one if none is seen to."""
    ways = list(islice(plays, _WAYS))
    for play in ways:
        rest = list(view.hand)
        for card in play.used:
            rest.remove(card)
        if may_discard_some(tuple(rest), view.barred):
            return play
    return ways[0] if ways else None


def _with_play(code: str, rule: str, seat: int | None, params: Params, play: Play | None) -> Reason:
    """Return a reason that rests on a play: the cards that go down, and the meld that they go on."""
    if play is None:
        return Reason(code, rule, seat, params)
    if play.old is None:
        cards = " ".join(laid.card for laid in play.new.cards)
        return Reason(f"{code}_MELD", rule, seat, params | {"cards": cards})
    added: Params = {"cards": " ".join(_laid(play.old, play.new)), "meld": f"m{play.old.meld}"}
    return Reason(f"{code}_LAY", rule, seat, params | added)


def _laid(old: Meld, new: Meld) -> list[Placed]:
    """Return the cards by which a meld has grown at one end, outward from it."""
    count = len(new.cards) - len(old.cards)
    grows_low = old.kind == "sequence" and new.low < old.low
    laid = new.cards[:count][::-1] if grows_low else new.cards[len(old.cards) :]
    return [one.card for one in laid]


def _melded(state: State, event: MeldLaid) -> Reason:
    lying = lie_together(event.kind, event.cards, state.may_stand)
    standing = [card for card in lying if not is_natural(card)]
    code, rule = ("OK_GROUP", "R-3.2") if event.kind == "group" else ("OK_SEQUENCE", "R-3.4")
    if standing:
        code += "_JOKER" if any(map(is_joker, standing)) else "_WILD"
        rule = "R-4.4" if event.kind == "group" else "R-4.2"
    return Reason(code, rule, event.seat, {"cards": " ".join(event.cards)})


def _laid_off(state: State, event: LaidOff) -> Reason:
    first = event.cards[0]
    meld = state.meld(first.meld)
    is_group = meld is not None and meld.kind == "group"
    code, rule = ("OK_LAY_GROUP", "R-5.2") if is_group else ("OK_LAY_SEQUENCE", "R-5.3")
    cards = " ".join(placement.card for placement in event.cards)
    return Reason(code, rule, event.seat, {"cards": cards, "meld": f"m{first.meld}"})


def _comes_of(state: State, event: MeldLaid | LaidOff) -> Iterator[Reason]:
    """Yield what else an act does: a duty met, a hand that is empty."""
    after, seat = evolve(state, event), event.seat
    if state.duty not in (None, UNKNOWN) and after.duty is None:
        rule = "R-8.5" if state.drawn == "call" else "R-6.6"
        rule = rule if state.drawn is not None else "12.7"
        yield Reason("OK_DUTY_MET", rule, seat, {"card": state.duty or UNKNOWN})
    if not after.hands[seat]:
        floats = after.phase == "play"
        yield Reason("OK_FLOATS" if floats else "OK_OUT", "12.6" if floats else "R-7.1", seat)


def _discarded(state: State, event: Discarded) -> Reason:
    params: Params = {"card": event.card}
    if len(state.hands[event.seat]) == 1:
        if evolve(state, event).challenge is not None:
            return Reason("OK_DISCARD_OPEN", "12.7", event.seat, params)
        return Reason("OK_DISCARD_OUT", "R-7.2", event.seat, params)
    if state.drawn == "pile" and len(state.taken) > 1 and not barred_cards(state):
        return Reason("OK_DISCARD_ANY", "R-6.10", event.seat, params)
    return Reason("OK_DISCARD", "R-6.9", event.seat, params)


def _called(state: State, event: RummyCalled) -> Iterator[Reason]:
    if not event.accepted:
        yield Reason("OK_CALL_FELL", "R-8.11", event.seat, {"card": event.card})
        return
    yield call_reason(state, event)
    if claims_wait(state):
        yield Reason("OK_CLAIM", "R-8.10", event.seat)
    elif state.phase == "play":
        yield Reason("OK_CALL_NOTED", "D-R16", event.seat)


def call_reason(state: State, event: RummyCalled, code: str = "OK_CALL") -> Reason:
    """Return on what a call rests: a meld of the pile's own cards, or one on the table (R-8.1, V-4a)."""
    params: Params = {"card": event.card}
    if event.lay is not None:
        meld: Params = {"cards": event.lay.card, "meld": f"m{event.lay.meld}"}
        return Reason(f"{code}_LAY", "V-4a", event.seat, params | meld)
    taken = _as_they_lie(state, event)
    plays = plays_with(taken[0], taken, state.table, state.ruleset, state.wilds, all_bridges=False)
    play = None if taken[0] == UNKNOWN else next(plays, None)
    return _with_play(code, "R-8.1", event.seat, params, play)


def _as_they_lie(state: State, event: RummyCalled) -> tuple[Card, ...]:
    """Return the cards taken as the pile knows them, where a record writes `??` or leaves a prime out."""
    hand = len(state.hands[event.seat])
    return called_now(replace(state, challenge=None), event).hands[event.seat][hand:]
