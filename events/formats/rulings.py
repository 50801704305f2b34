"""Rulings as cases of a case book: the position before the disputed act, the act, and what was found or was not.

Pure. Both games: acts of 500 Rummy in the words of the table (type `play`); all others, and what dealer and scorer
wrote, as events (type `act`, `rulings_record.py`). A case holds what the arbiter found; whether the rules program agrees is found out by running it, and
said in the case where it does not, so that a precedent is never bent to the program.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
import yaml

from events.cards import UNKNOWN
from events.common import Event
from events.disputes import Adjustment, Fact
from events.errors import CaseError
from events.formats.acts import write_act
from events.formats.casebook import SEATS, Case, run_case
from events.formats.positions import write_meld
from events.formats.rulings_record import Record, heading, is_act, options, position_of, shown
from events.game import effective
from events.games import RUMMY500, game_named
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
    adjustments: Sequence[Adjustment] = (),
) -> Case:
    """Return what was found at a version as a case, with a `note` if the rules program says otherwise.

    *text* are the reasons, *adjustments* what the decision adds: of a fact that the scorer wrote they say what the deal
    should have brought. Raises CaseError for a version that is not there, opens the game or was retracted.
    """
    if not 1 < fact.version <= len(events):
        raise CaseError(f"version {fact.version}, expected an act from 2 to {len(events)}")
    kept = effective(events)
    places = [place for place, (version, _) in enumerate(kept) if version == fact.version]
    if not places:
        raise CaseError(f"version {fact.version} was retracted, expected an act in force")
    found = Record(game_named(game_name), [event for _, event in kept], places[0])
    body = _act_in_play(found) or shown(found)
    expected: Case = {"error": fact.code if fact.breach else None}
    scores = found.scores_as_ruled(adjustments, breach=fact.breach)
    if scores is not None and body["type"] == "act":
        expected["scores"] = scores
    case: Case = {"id": name, "rule": list(rules)} | body
    key = "variants" if body["type"] == "play" else "rows"
    case[key] = [{"do": case.pop("do"), "expect": expected}]
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


def _act_in_play(found: Record) -> Case | None:
    """Return a player's act in a position, None where none shows it with all that tells."""
    body = _rummy(found) if found.game.name == RUMMY500.name else _loo(found)
    if body is None:
        return None
    key = "variants" if body["type"] == "play" else "rows"
    part = {"do": body["do"], "expect": {"error": found.code}}
    case = {name: one for name, one in body.items() if name != "do"} | {key: [part]}
    return body if all(one.outcome == "passed" for one in run_case(case, "")) else None


def _rummy(found: Record) -> Case | None:
    names, state = SEATS[: len(found.opened.seats)], found.before
    line = write_act(found.event, names)
    if line is None or state.phase not in IN_PLAY:
        return None
    return {
        "type": "play",
        "players": len(names),
        "opts": options(found.opened.ruleset, Ruleset()),
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


def _loo(found: Record) -> Case | None:
    position = position_of(found.before) if is_act(found.event) else None
    if position is None:
        return None
    return heading(found) | {"state": position, "do": [msgspec.to_builtins(found.event)]}
