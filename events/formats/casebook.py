"""Case books: worked positions with their outcomes, run through the same rules as every game.

A case file is YAML, one position a document. The types `melds`, `play`, `totals` and `layout` of 500 Rummy
are run here, those of Lanterloo by `casebook_loo`, `act` of both by `casebook_acts`; others are counted as not run.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, Final, Literal, TypeAlias

import msgspec
import yaml
from msgspec.structs import replace

from events.cards import JOKERS_ONLY
from events.common import DealEnded
from events.errors import CaseError, LanterlogError
from events.formats import casebook_loo
from events.formats.acts import parse_act, read_placed
from events.formats.casebook_acts import run_act
from events.formats.casebook_keys import unknown_keys
from events.formats.positions import (
    expected_melds,
    opened_for,
    read_cards,
    read_position,
    show_state,
)
from events.game import Violation
from events.games import RUMMY500
from events.rummy500.calls import open_calls
from events.rummy500.due import due
from events.rummy500.events import Floated
from events.rummy500.evolve import evolve, initial
from events.rummy500.lying import lie_together
from events.rummy500.melds import meld_fault, sequence_low
from events.rummy500.moves import STOCK_EXHAUSTED
from events.rummy500.referee import judge
from events.rummy500.ruleset import (
    PRESETS,
    RUMMY5000,
    SEED,
    Ruleset,
    deal_size_for,
    pack_size,
    packs_for,
    problems,
)
from events.rummy500.scoring import table_values, winner_of
from events.rummy500.service import before
from events.rummy500.state import Laid, Meld, State

Outcome: TypeAlias = Literal["passed", "failed", "not run"]
Case: TypeAlias = dict[str, Any]

SIZE_LIMIT: Final = 4 * 1024 * 1024
SEATS: Final = "ABCDEFGH"


class CaseResult(msgspec.Struct, frozen=True):
    """How one row or variant of a case came out, and why if it did not pass."""

    case: str
    part: str
    outcome: Outcome
    reason: str = ""


def check(stream: IO[bytes]) -> Iterator[CaseResult]:
    """Yield the result of every row and variant of a case file; raise CaseError if it is none."""
    text = stream.read(SIZE_LIMIT + 1)
    if len(text) > SIZE_LIMIT:
        raise CaseError(f"case file larger than {SIZE_LIMIT} bytes")
    try:
        cases = list(yaml.safe_load_all(text))
    except _NO_YAML as error:
        raise CaseError(f"not a case file: {_one_line(error)}") from error
    for number, case in enumerate((case for case in cases if case is not None), 1):
        if not isinstance(case, dict) or not isinstance(case.get("type"), str):
            raise CaseError(f"document {number} has no type, expected e.g. 'type: play'")
        yield from run_case(case, str(case.get("id", f"#{number}")))


# The last five are how yaml says that a scalar is no such number, date or truth value.
_NO_YAML = (
    yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError, TypeError, ArithmeticError,
)  # fmt: skip


def run_case(case: Case, name: str) -> Iterator[CaseResult]:
    """Yield the results of one case's rows or variants."""
    runner = (casebook_loo.RUNNERS if "game" in case else _RUNNERS).get(case["type"])
    if runner is None:
        yield CaseResult(name, "", "not run", f"type {case['type']}")
        return
    key, run = runner
    parts = case.get(key, [{}])
    if not isinstance(parts, list) or not parts:
        reason = f"cannot be read: {key} must be a list with something in it"
        yield CaseResult(name, "", "failed", reason)
        return
    for number, part in enumerate(parts, 1):
        yield _outcome(name, str(number), run, case, part)


def _outcome(
    name: str, number: str, run: Callable[[Case], list[str]], case: Case, part: Case
) -> CaseResult:
    try:
        strange = unknown_keys(case, part)
        if strange:
            raise CaseError(f"unknown in a case of type {case['type']}: {', '.join(strange)}")
        wrong = run(case | part | {"opts": case.get("opts", {}) | part.get("opts", {})})
    except KeyError as error:
        return CaseResult(name, number, "failed", f"cannot be read: it says no {error.args[0]}")
    except (LanterlogError, LookupError, TypeError, AttributeError, ValueError) as error:
        return CaseResult(name, number, "failed", f"cannot be read: {_one_line(error)}")
    return CaseResult(name, number, "failed" if wrong else "passed", "; ".join(wrong))


def ruleset_from(opts: dict[str, Any], players: int, jokers: bool = True) -> Ruleset:
    """Return the seed's ruleset with a case's options put in; raise CaseError for a strange option."""
    if not 2 <= players <= len(SEATS):
        raise CaseError(f"{players} players, expected 2 to {len(SEATS)}")
    values = dict(opts)
    base = _preset(values.pop("preset", None), values.get("variant"))
    if not values.pop("jokers", jokers):
        values["jokers_per_pack"] = 0
    if isinstance(values.get("deal_size"), int):
        values["deal_size"] = (values["deal_size"],) * 7
    try:
        ruleset = msgspec.convert(msgspec.to_builtins(base) | values, Ruleset)
    except msgspec.ValidationError as error:
        raise CaseError(f"options {opts}: {error}") from error
    found = problems(opened_for(ruleset, players))
    if found:
        reason = "; ".join(
            f"{p.code} {p.params.get('option')}={p.params.get('actual')}" for p in found
        )
        raise CaseError(reason)
    return ruleset


def _preset(name: str | None, variant: str | None) -> Ruleset:
    """Return the rules that a case's options change: the seed's, those named, or those of 5000 Rummy (V-9b)."""
    if name in (None, "custom"):
        return RUMMY5000 if variant == RUMMY5000.variant else SEED
    if name not in PRESETS:
        raise CaseError(f"no such preset: {name!r}, expected one of {', '.join(PRESETS)}")
    return PRESETS[name]


def _fewest(opts: Case) -> int:
    """Return how few can play by these options: a case about melds or totals alone need not say how many do."""
    return 3 if RUMMY5000.variant in (opts.get("variant"), opts.get("preset")) else 2


def _run_meld(row: Case) -> list[str]:
    letter, *cards = row["meld"].split()
    if letter not in ("G", "R"):
        raise CaseError(f"not a meld: {row['meld']!r}, expected G or R and its cards")
    placed = tuple(map(read_placed, cards))
    ruleset = ruleset_from(row["opts"], row.get("players", _fewest(row["opts"])))
    kind: Literal["group", "sequence"] = "group" if letter == "G" else "sequence"
    wilds = JOKERS_ONLY + str(row.get("wild", ""))
    found = meld_fault(kind, placed, ruleset, wilds)
    actual: Case = {"valid": found is None, "error": found.code if found else None}
    if found is None:
        lying = lie_together(kind, placed, wilds)
        low = sequence_low(lying) if kind == "sequence" else 0
        meld = Meld(1, kind, 0, tuple(Laid(card, 0) for card in lying), low)
        actual["points"] = sum(table_values(meld, ruleset, wilds))
    return _differences({k: row[k] for k in ("valid", "error", "points") if k in row}, actual)


def _run_layout(row: Case) -> list[str]:
    players = row["players"]
    ruleset = ruleset_from(row["opts"], players, row.get("jokers", True))
    size, cards = deal_size_for(ruleset, players), pack_size(ruleset, players)
    actual = {
        "cards": cards,
        "deal": size,
        "stock": cards - players * size - 1,
        "packs": packs_for(ruleset, players),
    }
    return _differences({k: v for k, v in row.items() if k in actual}, actual)


def _run_totals(row: Case) -> list[str]:
    names = list(row["totals"])
    ruleset = ruleset_from(row["opts"], max(_fewest(row["opts"]), len(names)))
    out = row.get("went_out")
    winner = winner_of(
        [row["totals"][name] for name in names], ruleset, None if out is None else names.index(out)
    )
    actual = {"winner": None if winner is None else names[winner]}
    return _differences({"winner": row["winner"]}, actual)


def _run_play(case: Case) -> list[str]:
    hands = case["state"]["hands"]
    players = int(case.get("players", max(3, len(hands))))
    names = SEATS[:players]
    ruleset = ruleset_from(case["opts"], players)
    state, error = _play(_table(case["state"], ruleset, names), case.get("do", ()), names)
    actual = show_state(state, names) | {
        "error": error,
        "callable": tuple(sorted(open_calls(state))),
    }
    expected = dict(case["expect"])
    expected.setdefault("error", None)
    return _differences(_read_expected(expected, names), actual)


def _table(shown: Case, ruleset: Ruleset, names: str) -> State:
    """Return the table at a position; in phase `over` its play has ended as it says, or for want of a stock."""
    start = initial(opened_for(ruleset, len(names)))
    if shown["phase"] != "over":
        return evolve(start, read_position(shown, names))
    how, out = shown.get("ended", STOCK_EXHAUSTED), shown.get("out")
    before_end = {key: one for key, one in shown.items() if key not in ("ended", "out")}
    state = evolve(start, read_position(before_end | {"phase": "draw"}, names))
    end = DealEnded(deal=state.deal, reason=how, out=None if out is None else names.index(out))
    return replace(evolve(state, end), closed=False)


def _play(state: State, lines: str | Sequence[str], names: str) -> tuple[State, str | None]:
    """Carry out the acts up to the first that is refused; return the state and that refusal's code."""
    for line in [lines] if isinstance(lines, str) else lines:
        act = parse_act(line, state, names)
        for event in (*before(state, act), act):
            broken = [found for found in judge(state, event) if isinstance(found, Violation)]
            if broken:
                return state, broken[0].code
            state = _settled(evolve(state, event))
    return state, None


def _settled(state: State) -> State:
    """Return the state after what follows by itself: a float, an end because nothing can be drawn, or both."""
    while state.phase in ("play", "draw", "window"):
        match due(state):
            case (Floated() as float_due,):
                state = evolve(state, float_due)
            case (DealEnded() as end,):
                state = replace(evolve(state, end), closed=False)
            case _:
                break
    return state


def _read_expected(expected: Case, names: str) -> Case:
    """Return what is expected in the shape in which `show_state` gives it."""
    readers: dict[str, Callable[[Any], Any]] = {
        "pile": read_cards,
        "callable": lambda value: tuple(sorted(read_cards(value))),
        "hands": lambda value: {n: tuple(sorted(read_cards(hand))) for n, hand in value.items()},
        "table": lambda value: expected_melds(value, names),
        "floaters": lambda value: sorted(value.split() if isinstance(value, str) else value),
    }
    return {key: readers.get(key, lambda value: value)(value) for key, value in expected.items()}


def _differences(expected: Case, actual: Case) -> list[str]:
    """Return one line for every key whose actual value is not the expected one."""
    wrong = []
    for key, value in expected.items():
        if key not in actual:
            wrong.append(f"{key}: nothing to compare with")
        elif isinstance(value, dict) and isinstance(actual[key], dict):
            shown = {name: actual[key].get(name) for name in value}
            if shown != value:
                wrong.append(f"{key}: expected {value}, got {shown}")
        elif _plain(actual[key]) != _plain(value):
            wrong.append(f"{key}: expected {value}, got {actual[key]}")
    return wrong


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__} {' '.join(str(error).split())[:200]}"


def _run_act(case: Case) -> list[str]:
    players = int(case["players"])
    return run_act(case, RUMMY500, opened_for(ruleset_from(case["opts"], players), players))


# By type: the key under which its parts stand, and what runs one of them.
_RUNNERS: Final[dict[str, tuple[str, Callable[[Case], list[str]]]]] = {
    "melds": ("rows", _run_meld),
    "layout": ("rows", _run_layout),
    "totals": ("rows", _run_totals),
    "play": ("variants", _run_play),
    "act": ("rows", _run_act),
}
