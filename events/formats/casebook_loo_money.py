"""Case books of Lanterloo, the types settle and ledger: who is paid, who is looed, and what the next pool is."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from events.errors import CaseError
from events.formats.casebook_keys import MONEY
from events.formats.casebook_loo_table import (
    Case,
    names_in,
    opened_for,
    ruleset_from,
    table_at,
    wrong,
)
from events.lanterloo.due import due
from events.lanterloo.events import Looed, PoolPaid, Said
from events.lanterloo.evolve import evolve, initial
from events.lanterloo.ruleset import FEWEST, Ruleset
from events.lanterloo.state import State

_SEATS: Final = "ABCDEFGH"


def run_settle(case: Case) -> list[str]:
    """Return where a hand's settlement differs from what the case expects."""
    names = _seated((*_standing(case), *(case.get("tricks") or ())))
    ruleset = ruleset_from(case, len(names))
    state = table_at(ruleset, len(names), pool=case["pool"], **_played(case, names, ruleset))
    return compare_money(case, names, state)


def _standing(hand: Case) -> tuple[str, ...]:
    """Return who stood: he who took the pool unplayed, those named, or those whose tricks are given."""
    alone = names_in(hand.get("walkover"))
    return alone or names_in(hand.get("standers")) or tuple(hand["tricks"])


def _played(hand: Case, names: Sequence[str], ruleset: Ruleset) -> dict[str, Any]:
    """Return a position's declarations and tricks at the end of a hand's play, or where none was played.

    Who has tricks and did not stand is the dealer who defended the pool, where that is played (L-4.8).
    """
    standing, tricks = _standing(hand), hand.get("tricks") or {}
    others = set(tricks) - set(standing)
    strange = others or set(standing) - set(names)
    if strange and (ruleset.lone_vs_dealer != "must_defend" or len(others) != 1):
        raise CaseError(f"{' '.join(sorted(strange))} did not stand, expected {' '.join(standing)}")
    declared: tuple[Said | None, ...] = tuple(
        "stand" if name in standing else "defend" if name in others else "pass" for name in names
    )
    return {
        "declared": declared,
        "tricks": tuple(int(tricks.get(name, 0)) for name in names),
        "phase": "play" if tricks else "declare",
    }


def _seated(standing: Sequence[str]) -> str:
    """Return the letters of the table: those who stood, with seats left for those who passed."""
    last = max(map(_SEATS.index, standing), default=0)
    return _SEATS[: max(FEWEST, last + 1)]


def compare_money(case: Case, names: Sequence[str], state: State) -> list[str]:
    """Return where the payments of a hand and the next pool differ from what a case expects, if it says so."""
    if not MONEY.intersection(case):
        return []
    paid, loos, state = _settle(state)
    return _differences(case, names, (paid, loos, state))


def _differences(
    case: Case, names: Sequence[str], settled: tuple[dict[int, int], dict[int, int], State]
) -> list[str]:
    paid, loos, state = settled
    pool = state.pool
    following = _next_pool(state)
    found: Case = {
        "paid": {names[seat]: amount for seat, amount in paid.items()},
        "looed": tuple(names[seat] for seat in sorted(loos)),
        "loo": sorted(set(loos.values())),
        "pool_after": pool,
        "next_pool": following.pool,
        "next_is_single": following.single,
    }
    expected: Case = {key: case[key] for key in found if key in case}
    if "looed" in expected:
        expected["looed"] = tuple(sorted(names_in(case["looed"])))
        found["looed"] = tuple(sorted(found["looed"]))
    if "loo" in expected:
        expected["loo"] = [case["loo"]] if loos else []
    return wrong(expected, found)


def _settle(state: State) -> tuple[dict[int, int], dict[int, int], State]:
    """Carry out what is due up to the end of the deal; return who was paid, who was looed, and the table."""
    paid: dict[int, int] = {}
    loos: dict[int, int] = {}
    while state.phase in ("show", "settle"):
        event = due(state)[0]
        if isinstance(event, PoolPaid):
            paid[event.seat] = paid.get(event.seat, 0) + event.amount
        if isinstance(event, Looed):
            loos[event.seat] = loos.get(event.seat, 0) + event.amount
        state = evolve(state, event)
    return paid, loos, state


def _next_pool(state: State) -> State:
    """Return the table once the next dealer has paid his ante, `single` saying what the pool then is."""
    state = evolve(state, due(state)[0]) if state.phase == "over" else state
    rounds = replace(state.ruleset, rounds=state.deal + 1)
    (shuffled,) = due(replace(state, ruleset=rounds))
    state = evolve(state, shuffled)
    while state.phase == "ante":
        state = evolve(state, due(state)[0])
    return replace(state, single=state.pool == state.antes)


def run_ledger(case: Case) -> list[str]:
    """Return where the hands of a session, one after the other, differ from what the case expects."""
    names = names_in(case["players"])
    ruleset = ruleset_from(case, len(names))
    balances, pool, faults = (0,) * len(names), 0, list[str]()
    for number, hand in enumerate(case["hands"], 1):
        state = _ledger_hand(ruleset, names, hand, balances, pool)
        if state.pool != hand["pool"]:
            faults.append(f"hand {number} pool: expected {hand['pool']}, got {state.pool}")
        paid, loos, state = _settle(state)
        if MONEY.intersection(hand):
            told = _differences(hand, names, (paid, loos, state))
            faults += [f"hand {number} {fault}" for fault in told]
        balances, pool = state.balances, state.pool
        if "after" in hand and pool != hand["after"]:
            faults.append(f"hand {number} after: expected {hand['after']}, got {pool}")
        if sum(balances) + pool:
            faults.append(f"hand {number}: {sum(balances)} and {pool} do not sum to 0")
    found: Case = {"balances": dict(zip(names, balances, strict=True)), "pool_end": pool}
    return faults + wrong({key: case[key] for key in found if key in case}, found)


def _ledger_hand(
    ruleset: Ruleset, names: Sequence[str], hand: Case, balances: tuple[int, ...], pool: int
) -> State:
    """Return the table at the end of a hand's play, antes paid, before anything is settled."""
    dealer = names.index(hand["dealer"])
    opened = opened_for(ruleset, len(names))
    state = replace(
        initial(replace(opened, first_dealer=dealer)), balances=balances, pool=pool, before=balances
    )
    while state.phase in ("shuffle", "ante"):
        state = evolve(state, due(state)[0])
    position = {"dealer": dealer, "pool": state.pool, "balances": state.balances}
    return table_at(ruleset, len(names), **position, **_played(hand, names, ruleset))
