"""Cases of type `act`, of both games: a position, what was played and booked from there, and the acts that are judged.

Acts are events, as they stand in a log; any act of any game can be written so. `played` and `booked` are taken as
they were recorded, whatever they break: from the end of what was played the scores are worked out anew.
"""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, Final, TypeAlias

import msgspec

from events.common import DealScored, GameOpened
from events.errors import CaseError
from events.game import Game, Violation

Case: TypeAlias = dict[str, Any]
Points: TypeAlias = tuple[int | None, ...]

MOST_DUE: Final = 200
"""Facts in a row; no table owes so many."""


def run_act(case: Case, game: Game[Any, Any], opened: GameOpened[Any]) -> list[str]:
    """Return where a case differs from the rules: `error` is a breach of the first act that has one.

    Where that act has several the one that is expected is as good as the first. Without a `state` the game begins.
    """
    state = game.initial(msgspec.structs.replace(opened, first_dealer=_dealer(case, opened)))
    if "state" in case:
        state = game.evolve(state, _event(game, {"t": "position_set"} | case["state"]))
    for values in case.get("played", ()):
        state = game.evolve(state, _event(game, values))
    settled = state
    for values in case.get("booked", ()):
        state = game.evolve(state, _event(game, values))
    expected = case["expect"]
    found: Case = {"error": _judged(game, state, case["do"], expected.get("error"))}
    if "scores" in expected:
        found["scores"] = _by_letter(scores_due(game, settled))
    strange = set(expected) - set(found) - {"error"}
    if strange:
        raise CaseError(f"unknown in what is expected: {', '.join(sorted(strange))}")
    wanted = {"error": None} | expected
    return [
        f"{key}: expected {wanted[key]}, got {one}"
        for key, one in found.items()
        if wanted[key] != one
    ]


def _dealer(case: Case, opened: GameOpened[Any]) -> int | None:
    found: int | None = case.get("first_dealer", opened.first_dealer)
    return found


def scores_due(game: Game[Any, Any], state: Any) -> Points | None:
    """Return what the deal brings by the rules from here, None while players have to act or cards are not known."""
    for _ in range(MOST_DUE):
        due = game.due(state)
        if due and isinstance(due[0], DealScored):
            return tuple(due[0].scores)
        if not due or len({_key(one) for one in due}) < len(due):
            return None
        state = game.evolve(state, due[0])
    return None


def _key(event: Any) -> tuple[str, object]:
    """Return what tells facts that are all due from those of which only one can be."""
    tag = str(event.__struct_config__.tag)
    return tag, None if tag == "trick_taken" else getattr(event, "seat", None)


def _judged(
    game: Game[Any, Any], state: Any, acts: Sequence[Any], expected: str | None
) -> str | None:
    for values in acts:
        event = _event(game, values)
        codes = [one.code for one in game.judge(state, event) if isinstance(one, Violation)]
        if codes:
            return expected if expected in codes else codes[0]
        state = game.evolve(state, event)
    return None


def _event(game: Game[Any, Any], values: Any) -> Any:
    return msgspec.convert(values, game.event_type)


def _by_letter(scores: Points | None) -> dict[str, int | None] | None:
    return None if scores is None else dict(zip(ascii_uppercase, scores, strict=False))
