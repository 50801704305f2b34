"""Bots play any table of Loo to its end, every act a legal one, and the same chance makes the same session."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.cli import main
from api.simulation import Order, Table
from events.common import GameEnded
from events.formats.detect import read_file
from events.lanterloo.bots import BOTS
from events.lanterloo.events import Bid, CardPlayed, Exchanged, FlushShown, Looed
from events.lanterloo.ruleset import FORMS, PRESETS, Form, Ruleset
from projections.audit import audit
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO
from tests.profiles import examples


def played(bot: str, seats: int, ruleset: Ruleset, *, deals: int = 3, seed: int = 1) -> Table:
    """Play a session in which the referee lets every act pass, or raise."""
    table = Table(Order("lanterloo", seats, seed, bot, ruleset, deals), 1)
    table.play()
    return table


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, Ruleset]:
    seats = draw(st.integers(3, 8))
    return seats, draw(rulesets(seats))


@pytest.mark.parametrize("bot", sorted(BOTS))
@given(table=tables(), seed=st.integers(0, 1000))
@examples(25)
def test_a_bot_is_never_stuck_and_never_refused(
    bot: str, table: tuple[int, Ruleset], seed: int
) -> None:
    seats, ruleset = table
    report = audit(LOO, played(bot, seats, ruleset, seed=seed).events)
    assert (report.findings, report.unchecked) == ((), ())


@pytest.mark.parametrize("form", FORMS)
def test_the_greedy_bot_comes_to_a_natural_end(form: Form) -> None:
    kinds: Counter[type] = Counter()
    for seed in range(8):
        table = played("greedy", 5, PRESETS[f"seed-{form}"], deals=80, seed=seed)
        ended = table.events[-1]
        assert isinstance(ended, GameEnded)
        assert not ended.abandoned
        assert (table.state.pool, table.state.loos) == (0, 0)
        kinds.update(map(type, table.events))
    assert all(kinds[kind] for kind in (Bid, CardPlayed, Looed))
    assert bool(kinds[Exchanged]) == (form != "loo3")
    assert bool(kinds[FlushShown]) <= (form == "loo5")


def test_the_command_makes_the_same_file_of_the_same_seed(tmp_path: Path) -> None:
    words = ("simulate", "--game", "loo3", "--games", "2", "--seats", "4", "--deals", "6")
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        path = tmp_path / f"{name}.ndjson"
        options = ("--ruleset", "hoyle1909 unit=2", "--seed", seed, "-o", str(path))
        assert main([*words, *options]) == 0
    first, again, other = ((tmp_path / f"{name}.ndjson").read_bytes() for name in "abc")
    assert first == again != other
    with (tmp_path / "a.ndjson").open("rb") as file:
        for game in read_file(file):
            assert game.events[0].ruleset.preset == "hoyle1909-loo3"
            assert game.events[0].ruleset.unit == 2
            assert audit(LOO, game.events).is_clean
