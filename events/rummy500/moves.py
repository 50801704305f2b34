"""The moves that turns are made of: cards from pile and hand, a turn begun, a window opened, a deal over."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from events.cards import UNKNOWN, Card, Placed, lies_as, physical
from events.game import Violation
from events.rummy500.events import Drawn, End
from events.rummy500.melds import fit, put_beside, put_on
from events.rummy500.state import IN_PLAY, Laid, Meld, State
from events.rummy500.whereabouts import (
    all_copies_known,
    means,
    take_from_anywhere,
    take_from_hand,
    with_hand,
    with_meld,
    without,
)

MELDED_OUT: Final = "MELDED_OUT"
DISCARDED_OUT: Final = "DISCARDED_OUT"
STOCK_EXHAUSTED: Final = "STOCK_EXHAUSTED"


def begin_turn(
    state: State,
    seat: int,
    drawn: Drawn,
    taken: tuple[Card, ...] = (),
    duty: Card | None = None,
) -> State:
    """Return the table with a seat in the middle of its turn; *duty* is the card that it must meld."""
    return replace(
        state,
        phase="play",
        turn=seat,
        drawn=drawn,
        taken=taken,
        duty=duty,
        owed=(),
        played=False,
        anyone_starts=False,
        renewed=False,
        fresh=False,
        ended=None,
        out=None,
        closed=False,
    )


def window(state: State, seat: int, *, fresh: bool) -> State:
    """Open the call window after a seat's turn (R-8.3)."""
    return replace(
        state,
        phase="window",
        turn=state.seat_after(seat),
        discarder=seat,
        fresh=fresh,
        drawn=None,
        taken=(),
        duty=None,
        owed=(),
        played=False,
        ended=None,
        out=None,
        closed=False,
    )


def over(state: State, reason: str, out: int | None) -> State:
    """Return the table with the play of the deal ended, and who went out."""
    return replace(
        state,
        phase="over",
        ended=reason,
        out=out,
        drawn=None,
        taken=(),
        duty=None,
        owed=(),
        noted=None,
        fresh=False,
    )


def has_run_dry(state: State) -> bool:
    """Tell whether the deal ends with this turn for want of a stock (`end_at_once`, `idle_rounds`)."""
    if state.stock:
        return False
    rounds = state.ruleset.idle_rounds
    idle_out = rounds is not None and state.idle >= rounds * state.seats
    return idle_out or state.ruleset.stock_out == "end_at_once"


def lifted(state: State, seat: int, cards: tuple[Card, ...], drawn: Drawn) -> State:
    """Move cards from the pile to a hand and begin the turn with them, the deepest first."""
    state, taken = out_of_pile(state, cards, seat)
    state = with_hand(state, seat, state.hands[seat] + taken)
    owes = drawn == "call" or len(taken) > 1 or state.ruleset.pile_rule != "top_free"
    return begin_turn(state, seat, drawn, taken, taken[0] if owes else None)


def out_of_pile(state: State, cards: tuple[Card, ...], seat: int) -> tuple[State, tuple[Card, ...]]:
    """Take cards off the pile for a seat, or from wherever the record had them; return them as it knew them."""
    lying = state.pile[len(state.pile) - len(cards) :] if len(cards) <= len(state.pile) else ()
    if same_cards(cards, lying, state.packs):
        known = tuple(
            c if there == UNKNOWN else there for c, there in zip(cards, lying, strict=True)
        )
        return replace(state, pile=state.pile[: len(state.pile) - len(cards)]), known
    taken = []
    for card in cards:
        state, moved = one_out_of_pile(state, card, seat)
        taken.append(moved)
    return state, tuple(taken)


def one_out_of_pile(state: State, card: Card, seat: int) -> tuple[State, Card]:
    """Take one card off the pile, the topmost that can be meant; return it as the record knew it."""
    pile = state.pile
    ways: tuple[Callable[[Card], bool], ...] = (
        lambda lying: lying == card,
        lambda lying: means(card, lying, state.packs),
        lambda lying: lying == UNKNOWN and not all_copies_known(state, card),
    )
    for can_be in ways:
        for index in range(len(pile) - 1, -1, -1):
            if can_be(pile[index]):
                lying = card if pile[index] == UNKNOWN else pile[index]
                return replace(state, pile=pile[:index] + pile[index + 1 :]), lying
    return take_from_anywhere(state, card, seat), card


def same_cards(written: tuple[Card, ...], lying: tuple[Card, ...], packs: int) -> bool:
    """Tell whether cards as written can be the ones that lie there, `??` on either side fitting all."""
    if written == lying:
        return True
    if lying.count(UNKNOWN) == len(lying):
        return len(written) == len(lying)
    return len(written) == len(lying) and all(
        UNKNOWN in (card, there) or means(card, there, packs)
        for card, there in zip(written, lying, strict=True)
    )


def put_all_down(
    state: State, seat: int, cards: tuple[Placed, ...]
) -> tuple[State, tuple[Placed, ...]]:
    """Take cards from a hand for the table, as `put_down` does one by one."""
    hand, used = list(state.hands[seat]), [physical(card) for card in cards]
    for card in used:
        if card not in hand or card in state.owed:
            return _put_down_singly(state, seat, cards)
        hand.remove(card)
    duty = None if state.duty in used else state.duty
    return replace(with_hand(state, seat, tuple(hand)), duty=duty), cards


def _put_down_singly(
    state: State, seat: int, cards: tuple[Placed, ...]
) -> tuple[State, tuple[Placed, ...]]:
    down = []
    for card in cards:
        state, said = put_down(state, seat, card)
        down.append(said)
    return state, tuple(down)


def put_down(state: State, seat: int, placed: Placed) -> tuple[State, Placed]:
    """Take a card from a hand for the table, as it was said to lie there; the duty's card fulfils the duty (R-6.6)."""
    state, held = take_from_hand(state, seat, physical(placed))
    if held == state.duty:
        state = replace(state, duty=None)
    if held in state.owed:
        state = replace(state, owed=without(state.owed, held))
    return state, held + placed[len(physical(placed)) :]


def put_at(state: State, laid: Laid, meld_id: int, end: End | None) -> State:
    """Put a card on a meld, beside it if it does not fit, or alone if there is no such meld."""
    meld = state.meld(meld_id)
    if meld is None:
        alone = Meld(meld_id, "group", laid.seat, (), 0, (_as_itself(laid),))
        return replace(state, table=(*state.table, alone))
    fitting = fit(meld, laid.card, end, state.ruleset, state.may_stand)
    if isinstance(fitting, Violation):
        return with_meld(state, put_beside(meld, _as_itself(laid)))
    card, at = fitting
    laid = laid if card == laid.card else Laid(card, laid.seat)
    return with_meld(state, put_on(meld, laid, at))


def _as_itself(laid: Laid) -> Laid:
    """Return a card as it lies where it stands for nothing: only a joker keeps what was said of it."""
    return Laid(lies_as(physical(laid.card), laid.card), laid.seat)


def after_play(state: State, seat: int) -> State:
    """Carry on after a meld or lay-off: an empty hand ends the deal, or the player will float.

    The turn's own discard counts `idle` up to nought again.
    """
    state = replace(state, idle=-1, played=True)
    if not state.hands[seat] and state.ruleset.go_out in ("free", "discard_required"):
        return over(state, MELDED_OUT, seat)
    if state.phase not in IN_PLAY:
        return replace(state, phase="play", turn=seat, ended=None, out=None, closed=False)
    return state
