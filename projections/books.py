"""Judging a table by a book: which options are the book's, and which the table had agreed on for itself.

Pure. A book says how the game is played; how many jokers lie in the pack, how long is played and for how much, the
table decides. So an audit by another preset keeps the table's own amounts, and finds no breach in the stakes.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from events.game import Game

TABLES_OWN: Final[Mapping[str, frozenset[str]]] = {
    # The pack that lies there, how many may sit down, the target, limits, and agreed points.
    "rummy500": frozenset(
        (
            *("variant", "max_players", "packs", "jokers_per_pack", "target"),
            *("idle_rounds", "false_call_penalty", "out_bonus"),
        )
    ),
    # The form of the game, the stakes and amounts, and how long is played.
    "lanterloo": frozenset(("form", "stakes", "unit", "limited_loo", "unlimited_cap", "rounds")),
}
"""By game, the options in which every table differs and that no book decides."""


def by_book(
    game: Game[Any, Any], own: Any, preset: Any, given: Mapping[str, Any] | None = None
) -> Any:
    """Return a preset for judging a table that was played under *own*: with that table's own amounts.

    Options *given* hold whatever they are about. Of a book that has a preset for the table's form of the game, that
    one is taken. Raises msgspec.ValidationError for options that there are not.
    """
    preset = _in_form(game, own, preset)
    kept = {name: getattr(own, name) for name in TABLES_OWN[game.name]}
    values = msgspec.to_builtins(preset) | msgspec.to_builtins(kept) | dict(given or {})
    return msgspec.convert(values, type(preset))


def _in_form(game: Game[Any, Any], own: Any, preset: Any) -> Any:
    """Return the same book's preset for the table's form of the game, the preset itself if there is none."""
    form = getattr(own, "form", None)
    if form is None or form == preset.form:
        return preset
    book = preset.preset.removesuffix(f"-{preset.form}")
    return game.presets.get(f"{book}-{form}", preset)
