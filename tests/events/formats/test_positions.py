"""Our own books of positions: each comes out as its text says, and `legal` knows the acts in them as `judge` does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from events.cards import UNKNOWN
from events.formats import casebook, casebook_loo
from events.formats.casebook import run_case
from events.game import Game, Violation
from events.games import LANTERLOO, RUMMY500
from events.rummy500.events import Floated, RummyCalled, StockDrawn, StockRenewed

HERE = Path(__file__).parent
BOOKS = ("positions-rummy500.yaml", "positions-lanterloo.yaml")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Ours are read before any test is run, by each of its processes, and by the one in C in a tenth of the time."""


def cases() -> Iterator[dict[str, Any]]:
    for book in BOOKS:
        with (HERE / book).open("rb") as stream:
            yield from (case for case in yaml.load_all(stream, LOADER) if case is not None)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case["id"])
def test_a_position_comes_out_as_the_text_has_it(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    agreed = Agreement()
    monkeypatch.setattr(casebook, "judge", agreed.asked(RUMMY500))
    monkeypatch.setattr(casebook_loo, "judge", agreed.asked(LANTERLOO))
    found = list(run_case(case, case["id"]))
    assert [(one.part, one.reason) for one in found if one.outcome != "passed"] == []
    assert agreed.differences == []


def test_there_are_enough_of_them() -> None:
    parts = [sum(1 for _ in run_case(case, "")) for case in cases()]
    assert sum(parts) > 600


class Agreement:
    """Whether `legal` lists what `judge` clears, act by act, as far as the actor's cards are known."""

    def __init__(self) -> None:
        self.differences: list[tuple[object, object]] = []

    def asked(self, game: Game[Any, Any]) -> Any:
        def judge(state: Any, event: Any) -> Any:
            found = game.judge(state, event)
            if _is_an_act(event) and UNKNOWN not in state.hands[event.seat]:
                listed = set(game.legal(state, event.seat))
                if (_as_listed(game, state, event) in listed) != (not found):
                    self.differences.append((event, found))
                wrong = (act for act in listed if _is_refused(game, state, act))
                self.differences += [(act, "listed") for act in wrong]
            return found

        return judge


def _is_an_act(event: Any) -> bool:
    refused = isinstance(event, RummyCalled) and not event.accepted
    return not refused and not isinstance(event, Floated | StockRenewed)


def _as_listed(game: Game[Any, Any], state: Any, event: Any) -> Any:
    act = game.normal(state, event)
    return replace(act, card=UNKNOWN) if isinstance(act, StockDrawn) else act


def _is_refused(game: Game[Any, Any], state: Any, act: Any) -> bool:
    return any(isinstance(found, Violation) for found in game.judge(state, act))
