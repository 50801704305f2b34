"""Which options a table keeps when it is judged by a book, and which are the book's."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from api.simulation import Order, Table
from events.games import GAMES, LANTERLOO, RUMMY500
from projections.audit import audit
from projections.books import TABLES_OWN, by_book

OWN_AMOUNTS: dict[str, dict[str, Any]] = {
    "rummy500": {"target": 200, "jokers_per_pack": 1, "out_bonus": 5, "max_players": 5},
    "lanterloo": {
        "form": "irish",
        "unit": 3,
        "stakes": "unlimited",
        "unlimited_cap": 90,
        "rounds": 4,
    },
}


@pytest.mark.parametrize("name", GAMES)
def test_every_option_of_a_table_is_one(name: str) -> None:
    for preset in GAMES[name].presets.values():
        assert set(preset.__struct_fields__) >= TABLES_OWN[name]
    assert "preset" not in TABLES_OWN[name]


@pytest.mark.parametrize("name", GAMES)
def test_amounts_are_the_tables_and_rules_the_books(name: str) -> None:
    game = GAMES[name]
    own = replace(game.presets["seed"], preset="house", **OWN_AMOUNTS[name])
    for preset in game.presets.values():
        judged = by_book(game, own, preset)
        for option in TABLES_OWN[name]:
            assert getattr(judged, option) == getattr(own, option), option
        assert judged.preset != "house"


def test_the_books_own_rules_hold() -> None:
    own = replace(RUMMY500.presets["delboycodes"], target=300)
    judged = by_book(RUMMY500, own, RUMMY500.presets["seed"])
    assert (judged.target, judged.packs, judged.jokers_per_pack) == (300, 1, 0)
    seed = RUMMY500.presets["seed"]
    for option in ("deal_size", "low_ace", "layoff_credit", "pile_rule", "go_out", "rummy"):
        assert getattr(judged, option) == getattr(seed, option)


def test_a_book_is_taken_in_the_tables_form() -> None:
    own = replace(LANTERLOO.presets["seed-loo3"], unit=2)
    for asked in ("hoyle1909", "hoyle1909-loo3", "hoyle1909-irish"):
        judged = by_book(LANTERLOO, own, LANTERLOO.presets[asked])
        assert (judged.preset, judged.unit) == ("hoyle1909-loo3", 2)
        assert judged.lone_vs_dealer == "must_defend"


def test_options_that_are_given_hold() -> None:
    own, seed = RUMMY500.presets["delboycodes"], RUMMY500.presets["seed"]
    assert by_book(RUMMY500, own, seed, {"jokers_per_pack": 2}).jokers_per_pack == 2
    with pytest.raises(msgspec.ValidationError):
        by_book(RUMMY500, own, seed, {"target": 0})


def test_a_session_for_other_stakes_is_not_found_wrong_for_them() -> None:
    own = replace(LANTERLOO.presets["seed-irish"], preset="custom", unit=5, rounds=2)
    events = Table(Order("lanterloo", 4, 1, "greedy", own, 20), 1).play()
    plain = LANTERLOO.presets["seed-irish"]
    assert audit(LANTERLOO, events, plain).findings
    assert audit(LANTERLOO, events, by_book(LANTERLOO, own, plain)).findings == ()
