"""Chips: antes, loos, shares and penalties (section 9, L-12.2), and chips moving between seats and pool."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from events.common import AMOUNT_LIMIT
from events.lanterloo.events import AntePaid, Fund, Looed, PaidFor, PenaltyPaid, PoolPaid
from events.lanterloo.flushes import payers, sweepers
from events.lanterloo.ruleset import Ruleset, hand_size
from events.lanterloo.state import State

# Unlimited loos without an agreed maximum stop growing here, far beyond any table: an amount must have a shape.
CEILING: Final = 1_000_000_000_000

MISDEAL: Final = "MISDEAL"
# Which of them a hand that is not known may have broken cannot be told.
_FAULTS_OF_PLAY: Final = frozenset(
    {"MUST_FOLLOW", "MUST_HEAD", "MUST_LEAD_TRUMP", "MUST_LEAD_ACE", "PAM_BE_CIVIL"}
)
# Faults for which the book that demands four singles asks for one (its laws 3, 5, 6 and 15).
LESSER: Final = frozenset({"NOT_YOUR_TURN", "MISS_IS_HIDDEN"})


def ante(ruleset: Ruleset) -> int:
    """Return the dealer's ante in chips, a unit for every trick (L-2.2)."""
    return hand_size(ruleset) * ruleset.unit


def antes_due(state: State) -> tuple[AntePaid, ...]:
    """Return the antes still to be paid for this deal, eldest first (L-2.2, `ante_by`)."""
    one = ante(state.ruleset)
    if state.ruleset.ante_by == "dealer":
        wanted = {state.dealer: one}
    else:
        wanted = {seat: one * (1 + (seat == state.dealer)) for seat in state.order}
    return tuple(
        AntePaid(seat=seat, amount=amount)
        for seat, amount in wanted.items()
        if not state.anted[seat]
    )


def loo(ruleset: Ruleset, stake: int) -> int:
    """Return what one loo costs when so much is played for (L-9.3 to L-9.5)."""
    if ruleset.stakes == "limited":
        return ruleset.limited_loo or ante(ruleset)
    most = ruleset.unlimited_cap or CEILING - CEILING % ante(ruleset)
    return min(stake, most)


def penalty(state: State, seat: int, code: str) -> PenaltyPaid | None:
    """Return what an irregularity costs under the options of this table, None if nothing (L-12.2)."""
    rule = state.ruleset.misdeal if code == MISDEAL else state.ruleset.on_violation
    single = ante(state.ruleset)
    match rule:
        case "loo":
            return _penalty(seat, code, max(loo(state.ruleset, state.stake), single), "next")
        case "ante":
            return _penalty(seat, code, single, "pool")
        case "four_singles" if code in LESSER:
            return _penalty(seat, code, single, "pool")
        case "four_singles":
            return _penalty(seat, code, 4 * single, "next")
        case _:
            return None


def _penalty(seat: int, code: str, amount: int, to: Fund) -> PenaltyPaid:
    return PenaltyPaid(seat=seat, amount=amount, to=to, reason=code)


def with_penalty(state: State, seat: int, code: str) -> State:
    """Return the table with what an irregularity costs still to be paid; four singles forfeit the tricks too."""
    owed = penalty(state, seat, code)
    if owed is None:
        return state
    forfeits = state.ruleset.on_violation == "four_singles" and owed.to == "next"
    return replace(
        state,
        penalties=(*state.penalties, owed),
        forfeits=(*state.forfeits, seat) if forfeits and code != MISDEAL else state.forfeits,
    )


def with_doubt(state: State, seat: int, code: str) -> State:
    """Return the table with what an act may cost whose hand the record does not know whole (L-12.3)."""
    owed = penalty(state, seat, code)
    return state if owed is None else replace(state, doubtful=(*state.doubtful, owed))


def doubt_about(state: State, paid: PenaltyPaid) -> PenaltyPaid | None:
    """Return the penalty that may have been owed of which this can be the payment, None if there is none."""
    if paid.reason not in _FAULTS_OF_PLAY:
        return None
    alike = (one for one in state.doubtful if replace(one, reason=paid.reason) == paid)
    return next(alike, None)


def from_pool(state: State, seat: int, amount: int) -> State:
    """Move chips from the pool to a seat."""
    return replace(state, pool=state.pool - amount, balances=_changed(state, {seat: amount}))


def into_pool(state: State, seat: int, amount: int) -> State:
    """Move chips from a seat into the pool."""
    return replace(state, pool=state.pool + amount, balances=_changed(state, {seat: -amount}))


def across(state: State, seat: int, to: int, amount: int) -> State:
    """Move chips from one seat to another."""
    changes = {seat: -amount, to: amount} if seat != to else {}
    return replace(state, balances=_changed(state, changes))


def _changed(state: State, changes: dict[int, int]) -> tuple[int, ...]:
    return tuple(have + changes.get(seat, 0) for seat, have in enumerate(state.balances))


def divided(total: int, seats: tuple[int, ...]) -> dict[int, int]:
    """Return equal shares of an amount, odd chips to those first in the order given (L-10.3, L-6.4)."""
    each, odd = divmod(total, len(seats))
    return {seat: each + (index < odd) for index, seat in enumerate(seats)}


# Settling a hand


def _stake(state: State) -> int:
    """Return what is played for, with the penalties that are still to come into this pool."""
    return state.stake + sum(owed.amount for owed in state.penalties if owed.to == "pool")


def walk_over(state: State, seat: int) -> State:
    """Return the table with the pool owed to a seat that takes it unplayed (L-4.5)."""
    return _settling(state, "WALK_OVER", list(_paid(seat, _stake(state), "walk_over")), ())


def carried(state: State) -> State:
    """Return the table with the pool left for the next hand, because nobody wants it (`all_pass=carry`)."""
    return _settling(state, "CARRIED", [], ())


def after_tricks(state: State) -> State:
    """Return the table with the shares and loos of a hand that was played (L-9.1 to L-9.5)."""
    stake, tricks = _stake(state), hand_size(state.ruleset)
    owed: list[PoolPaid | Looed] = []
    for seat in state.standers:
        if seat not in state.forfeits:
            owed += _paid(seat, stake * state.tricks[seat] // tricks, "tricks")
    amount = loo(state.ruleset, stake)
    owed += _loos([seat for seat in state.standers if not state.tricks[seat]], amount, {})
    return _settling(state, "PLAYED", owed, ())


def after_flush(state: State) -> State:
    """Return the table with what the best flush sweeps and the others pay (L-6.4)."""
    winners = sweepers(state)
    certain, open_ones = payers(state)
    stake = _stake(state)
    owed: list[PoolPaid | Looed] = []
    for seat, amount in divided(stake, winners).items():
        owed += _paid(seat, amount, "flush")
    amount = loo(state.ruleset, stake)
    to_winners = state.ruleset.flush_paid_to == "winner"
    owed += _loos(certain, amount, divided(amount, winners) if to_winners else {})
    return _settling(state, "FLUSH", owed, open_ones)


def _settling(
    state: State, reason: str, owed: list[PoolPaid | Looed], open_loos: tuple[int, ...]
) -> State:
    return replace(state, phase="settle", ended=reason, owed=tuple(owed), open_loos=open_loos)


def _paid(seat: int, amount: int, paid_for: PaidFor) -> Iterator[PoolPaid]:
    if amount > 0:
        yield PoolPaid(seat=seat, amount=min(amount, AMOUNT_LIMIT), paid_for=paid_for)


def _loos(seats: list[int] | tuple[int, ...], amount: int, to: dict[int, int]) -> Iterator[Looed]:
    """Yield the loos of these seats, each to the pool or shared out among those who sweep."""
    for seat in seats if amount > 0 else ():
        if not to:
            yield Looed(seat=seat, amount=amount, to=None)
        for winner, share in to.items():
            if share:
                yield Looed(seat=seat, amount=share, to=winner)
