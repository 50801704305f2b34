"""Case books of Lanterloo: the types settle, declare, follow, lead, trick, flush and ledger, by the game's own rules.

A position is set up as a recorded game sets one up, and then the same functions are asked as at every table.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import inspect
from msgspec.structs import replace

from events.cards import UNKNOWN, Card, parse_card
from events.common import GameOpened
from events.errors import CaseError
from events.game import Violation
from events.lanterloo.declaring import may_exchange
from events.lanterloo.due import due
from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Choice,
    Exchanged,
    FlushShown,
    Looed,
    LooEvent,
    Played,
    PoolPaid,
    PositionSet,
    Said,
    TrickTaken,
)
from events.lanterloo.evolve import evolve, initial
from events.lanterloo.flushes import sweepers
from events.lanterloo.legal import legal
from events.lanterloo.pool import ante
from events.lanterloo.referee import judge
from events.lanterloo.ruleset import FEWEST, PRESETS, SEED, Ruleset, hand_size, has_miss, problems
from events.lanterloo.state import State

Case: TypeAlias = dict[str, Any]

_SEATS: Final = "ABCDEFGH"
_WORDS: Final[dict[str, Choice]] = {
    "play": "stand",
    "stand": "stand",
    "pass": "pass",
    "miss": "miss",
    "defend": "defend",
}


def ruleset_from(case: Case, players: int) -> Ruleset:
    """Return the ruleset that a case is played by; raise CaseError for a strange or impossible option."""
    opts = {name: _option(name, value) for name, value in case["opts"].items()}
    base = PRESETS.get(str(opts.pop("preset", SEED.preset)), SEED)
    values = msgspec.to_builtins(base) | {"form": case["game"]} | opts
    try:
        ruleset = msgspec.convert(values, Ruleset)
    except msgspec.ValidationError as error:
        raise CaseError(f"options {opts}: {error}") from error
    found = problems(_opened(ruleset, max(players, FEWEST)))
    if found:
        raise CaseError("; ".join(f"{p.code} {p.params.get('option')}" for p in found))
    return ruleset


def _option(name: str, value: object) -> object:
    """Return an option's value as the ruleset writes it: YAML reads a bare `off` as false."""
    if name == "lead_ace" and value is True:
        return "ace_or_king"
    allowed = _literals(name)
    return "off" if value is False and "off" in allowed else value


def _literals(name: str) -> tuple[object, ...]:
    shape = inspect.type_info(Ruleset)
    assert isinstance(shape, inspect.StructType)
    field = next((one.type for one in shape.fields if one.name == name), None)
    return tuple(field.values) if isinstance(field, inspect.LiteralType) else ()


def _opened(ruleset: Ruleset, players: int) -> GameOpened[Ruleset]:
    seats = tuple(f"00000000-0000-4000-8000-{seat:012x}" for seat in range(1, players + 1))
    return GameOpened(
        game="lanterloo",
        ruleset=ruleset,
        engine="casebook",
        seats=seats,
        first_dealer=players - 1,
        mode="recorded",
        source=None,
    )


def _table(ruleset: Ruleset, seats: int, **changes: Any) -> State:
    """Return a table of so many seats, the last of them dealer, at a position."""
    start = PositionSet(
        deal=1,
        dealer=seats - 1,
        turn=0,
        phase="play",
        pool=ante(ruleset),
        single=False,
        trump="S",
        turn_up=None,
        stock=(),
        miss=(),
        hands=((),) * seats,
        aside=((),) * seats,
        declared=(None,) * seats,
        tricks=(0,) * seats,
        trick=(),
        balances=(0,) * seats,
    )
    return evolve(initial(_opened(ruleset, seats)), replace(start, **changes))


def _names(given: str | list[str] | None) -> tuple[str, ...]:
    """Return names written in a row, or as a list."""
    return tuple(given) if isinstance(given, list) else tuple((given or "").split())


def _cards(text: str | None) -> tuple[Card, ...]:
    return tuple(map(parse_card, (text or "").split()))


def _wrong(expected: Case, actual: Case) -> list[str]:
    return [
        f"{key}: expected {value}, got {actual[key]}"
        for key, value in expected.items()
        if actual[key] != value
    ]


# Money


def _run_settle(case: Case) -> list[str]:
    names = _seated(case["tricks"])
    ruleset = ruleset_from(case, len(names))
    tricks = tuple(int(case["tricks"].get(name, 0)) for name in names)
    declared: tuple[Said | None, ...] = tuple(
        "stand" if name in case["tricks"] else "pass" for name in names
    )
    state = _table(ruleset, len(names), pool=case["pool"], declared=declared, tricks=tricks)
    return _compare_money(case, names, state)


def _seated(tricks: Case) -> str:
    """Return the letters of the table: those who stood, with seats left for those who passed."""
    last = max(map(_SEATS.index, tricks), default=0)
    return _SEATS[: max(FEWEST, last + 1)]


def _compare_money(case: Case, names: Sequence[str], state: State) -> list[str]:
    """Return where the payments of a hand and the next pool differ from what a case expects."""
    paid, loos, state = _settle(state)
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
        expected["looed"] = tuple(sorted(_names(case["looed"])))
        found["looed"] = tuple(sorted(found["looed"]))
    if "loo" in expected:
        expected["loo"] = [case["loo"]] if loos else []
    return _wrong(expected, found)


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


def _run_ledger(case: Case) -> list[str]:
    names = _names(case["players"])
    ruleset = ruleset_from(case, len(names))
    balances, pool, wrong = (0,) * len(names), 0, []
    for number, hand in enumerate(case["hands"], 1):
        state = _ledger_hand(ruleset, names, hand, balances, pool)
        if state.pool != hand["pool"]:
            wrong.append(f"hand {number} pool: expected {hand['pool']}, got {state.pool}")
        _, _, state = _settle(state)
        balances, pool = state.balances, state.pool
        if "after" in hand and pool != hand["after"]:
            wrong.append(f"hand {number} after: expected {hand['after']}, got {pool}")
        if sum(balances) + pool:
            wrong.append(f"hand {number}: {sum(balances)} and {pool} do not sum to 0")
    found: Case = {"balances": dict(zip(names, balances, strict=True)), "pool_end": pool}
    return wrong + _wrong({key: case[key] for key in found if key in case}, found)


def _ledger_hand(
    ruleset: Ruleset, names: Sequence[str], hand: Case, balances: tuple[int, ...], pool: int
) -> State:
    """Return the table at the end of a hand's play, antes paid, before anything is settled."""
    dealer = names.index(hand["dealer"])
    opened = _opened(ruleset, len(names))
    state = replace(
        initial(replace(opened, first_dealer=dealer)), balances=balances, pool=pool, before=balances
    )
    while state.phase in ("shuffle", "ante"):
        state = evolve(state, due(state)[0])
    tricks = hand.get("tricks") or {}
    standing = _names(hand.get("walkover")) or tuple(tricks)
    position = {
        "dealer": dealer,
        "pool": state.pool,
        "balances": state.balances,
        "declared": tuple("stand" if name in standing else "pass" for name in names),
        "tricks": tuple(int(tricks.get(name, 0)) for name in names),
        "phase": "play" if tricks else "declare",
    }
    return _table(ruleset, len(names), **position)


# Declaring


def _run_declare(case: Case) -> list[str]:
    names = _names(case["order"])
    ruleset = ruleset_from(case, len(names))
    state = _to_declare(case, ruleset, len(names))
    error: str | None = None
    for seat, word in enumerate(_names(case["says"])):
        event = _word(state, seat, word)
        broken = [found for found in judge(state, event) if isinstance(found, Violation)]
        if broken:
            error = broken[0].code
            break
        state = evolve(state, event)
    found: Case = {"error": error} | _outcome(state, names)
    expected: Case = {"error": None} | {key: case[key] for key in found if key in case}
    if "standers" in expected:
        expected["standers"] = _names(case["standers"])
    return _wrong(expected, found)


def _to_declare(case: Case, ruleset: Ruleset, seats: int) -> State:
    size = hand_size(ruleset)
    single = bool(case.get("force", case["pool"] == ante(ruleset)))
    spare = 52 - size * (seats + has_miss(ruleset)) - 1
    return _table(
        ruleset,
        seats,
        phase="declare",
        deal=1 if single else 2,
        single=single,
        pool=case["pool"],
        trump=case.get("trump", "S"),
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
    trick = _cards(case["trick"])
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
    hands = tuple(_cards(case["hand"]) if index == seat else () for index in range(seats))
    declared: tuple[Said | None, ...] = tuple(
        "stand" if index < standing else "pass" for index in range(seats)
    )
    state = _table(
        ruleset,
        seats,
        turn=seat,
        trump=case["trump"],
        turn_up=case.get("turnup", UNKNOWN),
        hands=hands,
        declared=declared,
        tricks=tricks,
        trick=trick,
    )
    cards = {act.card for act in legal(state, seat) if isinstance(act, CardPlayed)}
    return _wrong({"legal": sorted(_cards(case["legal"]))}, {"legal": sorted(cards)})


def _run_trick(case: Case) -> list[str]:
    plays = [play.partition(":") for play in _names(case["plays"])]
    names = [name for name, _, _ in plays]
    ruleset = ruleset_from(case, len(names))
    state = _table(
        ruleset,
        len(names),
        trump=case["trump"],
        turn_up=case.get("turnup", UNKNOWN),
        hands=((UNKNOWN,) * hand_size(ruleset),) * len(names),
        declared=("stand",) * len(names),
    )
    for seat, (_, _, card) in enumerate(plays):
        civil = bool(case.get("civil", False)) and seat == 0
        state = evolve(state, CardPlayed(seat=seat, card=parse_card(card), civil=civil))
    taken = [event for event in due(state) if isinstance(event, TrickTaken)]
    winner = names[taken[0].seat] if len(taken) == 1 else None
    return _wrong({"winner": case["winner"]}, {"winner": winner})


def _run_flush(case: Case) -> list[str]:
    names = _names(case.get("all")) or _names(case["order"])
    ruleset = ruleset_from(case, len(names))
    standing = tuple(case["hands"])
    state = _table(
        ruleset,
        len(names),
        pool=case["pool"],
        trump=case["trump"],
        turn_up=case.get("turnup", UNKNOWN),
        hands=tuple(_cards(case["hands"].get(name)) for name in names),
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
    expected: Case = {"winner": _names(case["winner"])}
    if "class" in case:
        expected["class"] = case["class"]
    wrong = _wrong(expected, found)
    return wrong + (_compare_money(case, names, state) if winners else [])


# A case is one position, or several in its `rows`.
RUNNERS: Final[dict[str, tuple[str, Callable[[Case], list[str]]]]] = {
    "settle": ("rows", _run_settle),
    "ledger": ("rows", _run_ledger),
    "declare": ("rows", _run_declare),
    "follow": ("rows", _run_follow),
    "lead": ("rows", _run_lead),
    "trick": ("rows", _run_trick),
    "flush": ("rows", _run_flush),
}
