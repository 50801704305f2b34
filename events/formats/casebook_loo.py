"""Case books of Lanterloo: the types settle, declare, follow, lead, trick, flush and ledger, by the game's own rules.

A position is set up as a recorded game sets one up, and then the same functions are asked as at every table.
Those about chips are in `casebook_loo_money.py`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from events.cards import UNKNOWN, parse_card
from events.errors import CaseError
from events.formats.casebook_acts import run_act
from events.formats.casebook_loo_money import compare_money, run_ledger, run_settle
from events.formats.casebook_loo_table import (
    Case,
    cards_in,
    names_in,
    opened_for,
    ruleset_from,
    table_at,
    trump_of,
    wrong,
)
from events.game import Violation
from events.games import LANTERLOO
from events.lanterloo.declaring import may_exchange
from events.lanterloo.due import due
from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Choice,
    Exchanged,
    FlushShown,
    LooEvent,
    Played,
    Said,
    TrickTaken,
)
from events.lanterloo.evolve import evolve
from events.lanterloo.flushes import sweepers
from events.lanterloo.legal import legal
from events.lanterloo.pool import ante
from events.lanterloo.referee import judge
from events.lanterloo.ruleset import FEWEST, Ruleset, hand_size, has_miss
from events.lanterloo.state import State

_WORDS: Final[dict[str, Choice]] = {
    "play": "stand",
    "stand": "stand",
    "pass": "pass",
    "miss": "miss",
    "defend": "defend",
}


def _run_declare(case: Case) -> list[str]:
    names = names_in(case["order"])
    ruleset = ruleset_from(case, len(names))
    state = _to_declare(case, ruleset, len(names))
    error: str | None = None
    for seat, word in enumerate(names_in(case["says"])):
        event = _word(state, seat, word)
        broken = [found for found in judge(state, event) if isinstance(found, Violation)]
        if broken:
            error = broken[0].code
            break
        state = evolve(state, event)
    found: Case = {"error": error} | _outcome(state, names)
    expected: Case = {"error": None} | {key: case[key] for key in found if key in case}
    if "standers" in expected:
        expected["standers"] = names_in(case["standers"])
    return wrong(expected, found) + compare_money(case, names, state)


def _to_declare(case: Case, ruleset: Ruleset, seats: int) -> State:
    size = hand_size(ruleset)
    antes = ante(ruleset) * (1 if ruleset.ante_by == "dealer" else seats + 1)
    single = bool(case.get("force", case.get("pool") == antes))
    pool = case.get("pool", antes if single else 2 * antes)
    spare = 52 - size * (seats + has_miss(ruleset)) - 1
    return table_at(
        ruleset,
        seats,
        phase="declare",
        deal=1 if single else 2,
        single=single,
        pool=pool,
        trump=trump_of(case if "turnup" in case else {"trump": "S"} | case),
        turn_up=case.get("turnup", UNKNOWN),
        hands=((UNKNOWN,) * size,) * seats,
        miss=(UNKNOWN,) * size if has_miss(ruleset) else (),
        stock=(UNKNOWN,) * spare,
    )


def _word(state: State, seat: int, word: str) -> LooEvent:
    if word == "exchange":
        size = len(state.hands[seat]) if may_exchange(state) else 0
        unknown = (UNKNOWN,) * size
        return Exchanged(seat=seat, put_out=unknown, drawn=unknown)
    if word not in _WORDS:
        raise CaseError(f"not a declaration: {word!r}, expected one of {', '.join(_WORDS)}")
    return Bid(seat=seat, choice=_WORDS[word], cards=())


def _outcome(state: State, names: Sequence[str]) -> Case:
    standers = tuple(names[seat] for seat in state.standers)
    if state.lone is not None:
        return {"outcome": "WALKOVER", "by": names[state.lone], "standers": standers}
    leads = state.phase in ("play", "claim")
    outcome = "PLAY" if leads else "CARRIED" if state.ended == "CARRIED" else None
    by = names[state.turn] if leads else None
    return {"outcome": outcome, "by": by, "standers": standers}


# Playing


def _run_follow(case: Case) -> list[str]:
    trick = cards_in(case["trick"])
    ruleset = ruleset_from(case, len(trick) + 1)
    played = tuple(
        Played(seat, card, bool(case.get("civil", False)) and seat == 0)
        for seat, card in enumerate(trick)
    )
    return _compare_legal(case, ruleset, played, len(trick))


def _run_lead(case: Case) -> list[str]:
    # A flush in hand would be shown before the lead; which cards may be led is asked here.
    quiet = replace(ruleset_from(case, FEWEST), flush_autoclaim=False)
    return _compare_legal(case, quiet, (), 0)


def _compare_legal(case: Case, ruleset: Ruleset, trick: tuple[Played, ...], seat: int) -> list[str]:
    seats = max(FEWEST, len(trick) + 1)
    standing = 2 if case.get("two_players", False) else seats
    if trick:
        standing = max(standing, seat + 1)
    won_before = bool(case.get("won_prev", False))
    first = bool(case.get("first", not won_before))
    taken = 0 if won_before else 1
    tricks = tuple(int(not first and not trick and index == taken) for index in range(seats))
    hands = tuple(cards_in(case["hand"]) if index == seat else () for index in range(seats))
    declared: tuple[Said | None, ...] = tuple(
        "stand" if index < standing else "pass" for index in range(seats)
    )
    state = table_at(
        ruleset,
        seats,
        turn=seat,
        trump=trump_of(case),
        turn_up=case.get("turnup", UNKNOWN),
        hands=hands,
        declared=declared,
        tricks=tricks,
        trick=trick,
    )
    cards = {act.card for act in legal(state, seat) if isinstance(act, CardPlayed)}
    return wrong({"legal": sorted(cards_in(case["legal"]))}, {"legal": sorted(cards)})


def _run_trick(case: Case) -> list[str]:
    plays = [play.partition(":") for play in names_in(case["plays"])]
    names = [name for name, _, _ in plays]
    ruleset = ruleset_from(case, len(names))
    state = table_at(
        ruleset,
        len(names),
        trump=trump_of(case),
        turn_up=case.get("turnup", UNKNOWN),
        hands=((UNKNOWN,) * hand_size(ruleset),) * len(names),
        declared=("stand",) * len(names),
    )
    for seat, (_, _, card) in enumerate(plays):
        civil = bool(case.get("civil", False)) and seat == 0
        state = evolve(state, CardPlayed(seat=seat, card=parse_card(card), civil=civil))
    taken = [event for event in due(state) if isinstance(event, TrickTaken)]
    winner = names[taken[0].seat] if len(taken) == 1 else None
    return wrong({"winner": case["winner"]}, {"winner": winner})


def _run_flush(case: Case) -> list[str]:
    names = names_in(case.get("all")) or names_in(case["order"])
    ruleset = ruleset_from(case, len(names))
    standing = tuple(case["hands"])
    state = table_at(
        ruleset,
        len(names),
        pool=case.get("pool", ante(ruleset)),
        trump=trump_of(case),
        turn_up=case.get("turnup", UNKNOWN),
        hands=tuple(cards_in(case["hands"].get(name)) for name in names),
        declared=tuple("stand" if name in standing else "pass" for name in names),
    )
    while state.phase == "show":
        state = evolve(state, next(one for one in due(state) if isinstance(one, FlushShown)))
    winners = sweepers(state)
    kinds = {one.seat: one.kind.upper() for one in state.shown}
    found: Case = {
        "winner": tuple(names[seat] for seat in winners),
        "class": kinds[winners[0]] if winners else None,
    }
    expected: Case = {"winner": names_in(case["winner"])}
    if "class" in case:
        expected["class"] = case["class"]
    faults = wrong(expected, found)
    return faults + (compare_money(case, names, state) if winners else [])


def _run_act(case: Case) -> list[str]:
    seats = int(case["players"])
    return run_act(case, LANTERLOO, opened_for(ruleset_from(case, seats), seats))


# A case is one position, or several in its `rows`.
RUNNERS: Final[dict[str, tuple[str, Callable[[Case], list[str]]]]] = {
    "settle": ("rows", run_settle),
    "ledger": ("rows", run_ledger),
    "declare": ("rows", _run_declare),
    "follow": ("rows", _run_follow),
    "lead": ("rows", _run_lead),
    "trick": ("rows", _run_trick),
    "flush": ("rows", _run_flush),
    "act": ("rows", _run_act),
}
