"""What case books of Lanterloo are run at: a table by a case's options, set up as a recorded game sets one up."""

from typing import Any, TypeAlias

import msgspec
from msgspec import inspect
from msgspec.structs import replace

from events.cards import Card, parse_card
from events.common import GameOpened
from events.errors import CaseError
from events.lanterloo.events import PositionSet
from events.lanterloo.evolve import evolve, initial
from events.lanterloo.pool import ante
from events.lanterloo.ruleset import FEWEST, PRESETS, SEED, Ruleset, problems
from events.lanterloo.state import State

Case: TypeAlias = dict[str, Any]


def ruleset_from(case: Case, players: int) -> Ruleset:
    """Return the ruleset that a case is played by; raise CaseError for a strange or impossible option."""
    opts = {name: _option(name, value) for name, value in case["opts"].items()}
    base = _preset(str(opts.pop("preset", SEED.preset)), case["game"])
    values = msgspec.to_builtins(base) | {"form": case["game"]} | opts
    try:
        ruleset = msgspec.convert(values, Ruleset)
    except msgspec.ValidationError as error:
        raise CaseError(f"options {opts}: {error}") from error
    found = problems(opened_for(ruleset, max(players, FEWEST)))
    if found:
        raise CaseError("; ".join(f"{p.code} {p.params.get('option')}" for p in found))
    return ruleset


def _preset(name: str, form: str) -> Ruleset:
    """Return a book's rules for the form that is played: a bare name means the book, whatever the form."""
    for known in (f"{name}-{form}", name):
        if known in PRESETS:
            return PRESETS[known]
    if name == "custom":
        return SEED
    raise CaseError(f"no such preset: {name!r}, expected one of {', '.join(PRESETS)}")


def _option(name: str, value: object) -> object:
    """Return an option's value as the ruleset writes it: YAML reads a bare `off` as false, `on` as true."""
    if name == "lead_ace" and value is True:
        return "ace_or_king"
    allowed = _literals(name)
    if value is False and "off" in allowed:
        return "off"
    others = [one for one in allowed if one != "off"]
    return others[0] if value is True and len(others) == 1 else value


def _literals(name: str) -> tuple[object, ...]:
    shape = inspect.type_info(Ruleset)
    assert isinstance(shape, inspect.StructType)
    field = next((one.type for one in shape.fields if one.name == name), None)
    return tuple(field.values) if isinstance(field, inspect.LiteralType) else ()


def opened_for(ruleset: Ruleset, players: int) -> GameOpened[Ruleset]:
    """Return the opening of a recorded session between nameless players, the last of whom deals."""
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


def table_at(ruleset: Ruleset, seats: int, **changes: Any) -> State:
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
    return evolve(initial(opened_for(ruleset, seats)), replace(start, **changes))


def trump_of(case: Case) -> str:
    """Return the suit of trumps, that of the turn-up where the case names only the card."""
    return str(case["trump"] if "turnup" not in case else case.get("trump", case["turnup"][-1]))


def names_in(given: str | list[str] | None) -> tuple[str, ...]:
    """Return names written in a row, or as a list."""
    return tuple(given) if isinstance(given, list) else tuple((given or "").split())


def cards_in(text: str | list[str] | None) -> tuple[Card, ...]:
    """Return the cards of a line with spaces between them, or of a list; none for an empty or missing one."""
    return tuple(map(parse_card, names_in(text)))


def wrong(expected: Case, actual: Case) -> list[str]:
    """Return one line for every key whose actual value is not the expected one."""
    return [
        f"{key}: expected {value}, got {actual[key]}"
        for key, value in expected.items()
        if actual[key] != value
    ]
