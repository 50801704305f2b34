"""Rulings as cases of a case book: the position before the disputed act, the act, and what was found or was not.

Pure. Both games: 500 Rummy in the words of the table (type `play`), Lanterloo with the act as its event (type
`act`). A case holds what the arbiter found; whether the rules program agrees is found out by running it, and
said in the case where it does not, so that a precedent is never bent to the program.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
import yaml

from events.cards import UNKNOWN
from events.common import Event
from events.disputes import Fact
from events.errors import CaseError
from events.formats.acts import write_act
from events.formats.casebook import SEATS, Case, run_case
from events.formats.positions import write_meld
from events.game import effective, fold
from events.games import game_named
from events.lanterloo.events import PositionSet as LooPosition
from events.lanterloo.ruleset import SEED as LOO_SEED
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import IN_PLAY
from events.rummy500.state import State as RummyState
from events.version import ENGINE


def case_of(
    game_name: str,
    events: Sequence[Event],
    fact: Fact,
    name: str,
    *,
    rules: Iterable[str],
    text: str | None = None,
) -> Case:
    """Return what was found at a version as a case, with a `note` if the rules program says otherwise.

    *text* are the reasons. Raises CaseError for a version where nobody acted in play: no position shows it.
    """
    if not 1 < fact.version <= len(events):
        raise CaseError(f"version {fact.version}, expected an act from 2 to {len(events)}")
    game = game_named(game_name)
    before, act = events[: fact.version - 1], events[fact.version - 1]
    if fact.version not in {version for version, _ in effective(events, fact.version)}:
        raise CaseError(f"version {fact.version} was retracted, expected an act in force")
    make = _rummy if game_name == "rummy500" else _loo
    body = make(events[0], fold(game, before), act, fact.version)
    case: Case = {"id": name, "rule": list(rules)} | body
    found = {"do": case.pop("do"), "expect": {"error": fact.code if fact.breach else None}}
    case["variants" if game_name == "rummy500" else "rows"] = [found]
    if text is not None:
        case["reasons"] = text
    return case | _note(case, name)


def write_cases(cases: Iterable[Case]) -> str:
    """Return a case file."""
    return yaml.safe_dump_all(
        cases, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None
    )


def _note(case: Case, name: str) -> Case:
    failed = [one.reason for one in run_case(case, name) if one.outcome != "passed"]
    if not failed:
        return {}
    return {"note": f"the rules program (engine {ENGINE}) says otherwise: {'; '.join(failed)}"}


def _rummy(opened: Any, state: RummyState, act: Any, version: int) -> Case:
    names = SEATS[: len(opened.seats)]
    line = write_act(act, names)
    if line is None or state.phase not in IN_PLAY:
        tag = act.__struct_config__.tag
        raise CaseError(f"version {version} ({tag}) is no act of a player in play")
    return {
        "type": "play",
        "players": len(names),
        "opts": _options(opened.ruleset, Ruleset()),
        "state": _without_nothing(_rummy_position(state, names)),
        "do": [line],
    }


def _rummy_position(state: RummyState, names: str) -> dict[str, Any]:
    unknown = all(card == UNKNOWN for card in state.stock)
    return {
        "turn": names[state.turn],
        "phase": state.phase,
        "hands": {names[seat]: " ".join(hand) for seat, hand in enumerate(state.hands)},
        "pile": " ".join(state.pile),
        "stock": len(state.stock) if unknown else " ".join(state.stock),
        "table": [write_meld(meld, names) for meld in state.table],
        "totals": {names[seat]: total for seat, total in enumerate(state.totals)},
        "floaters": [names[seat] for seat in state.floaters],
        "drawn": state.drawn,
        "taken": " ".join(state.taken),
        "duty": state.duty,
        "discarder": None if state.discarder is None else names[state.discarder],
        "wild": state.wilds[1:] or None,
    }


_KEPT: Final = ("stock",)


def _without_nothing(values: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in values.items() if one or name in _KEPT}


def _loo(opened: Any, state: Any, act: Any, version: int) -> Case:
    if state.phase not in ("declare", "play") or state.trump is None:
        tag = act.__struct_config__.tag
        raise CaseError(f"version {version} ({tag}) is no declaration and no play")
    if state.pool < 0:
        raise CaseError(f"version {version}: a pool of {state.pool}, expected one that can be laid")
    position = LooPosition(
        deal=state.deal,
        dealer=state.dealer,
        turn=state.turn,
        phase=state.phase,
        pool=state.pool,
        single=state.single,
        trump=state.trump,
        turn_up=state.turn_up,
        stock=state.stock,
        miss=state.miss,
        hands=state.hands,
        aside=state.aside,
        declared=state.bids,
        tricks=state.tricks,
        trick=state.trick,
        balances=state.balances,
    )
    return {
        "game": opened.ruleset.form,
        "type": "act",
        "players": len(opened.seats),
        "opts": _options(opened.ruleset, LOO_SEED, "form"),
        "state": msgspec.to_builtins(position),
        "do": [msgspec.to_builtins(act)],
    }


def _options(ruleset: Any, seed: Any, *without: str) -> dict[str, Any]:
    """Return the options in which a table differs from the seed's game."""
    mine, theirs = msgspec.to_builtins(ruleset), msgspec.to_builtins(seed)
    # Without the preset's name: what differs is told from the seed, not from a book.
    named = {name: one for name, one in mine.items() if theirs[name] != one and name != "preset"}
    return {name: _plain(one) for name, one in named.items() if name not in without}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
