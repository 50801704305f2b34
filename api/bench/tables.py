"""The tables at which bots play for the bench, a form each: the same games of the same numbers every time."""

from typing import Any, Final

import msgspec

from api.simulation import Order, Table
from events.games import game_named

DEALS: Final = 8
_SEATS: Final = (3, 5)


class Form(msgspec.Struct, frozen=True):
    """A game and the preset by which it is played."""

    game: str
    preset: str


FORMS: Final = {
    "rummy500": Form("rummy500", "seed"),
    "loo5": Form("lanterloo", "seed-loo5"),
    "loo3": Form("lanterloo", "seed-loo3"),
    "irish": Form("lanterloo", "seed-irish"),
}


def logs(form: str, count: int) -> list[list[Any]]:
    """Return so many games by the greedy bot, at tables of three and of five in turn."""
    return [log(form, number) for number in range(1, count + 1)]


def log(form: str, number: int) -> list[Any]:
    """Return one of these games."""
    played = FORMS[form]
    order = Order(
        game=played.game,
        seats=_SEATS[number % len(_SEATS)],
        seed=1,
        bot="greedy",
        ruleset=game_named(played.game).presets[played.preset],
        deals=DEALS,
    )
    return Table(order, number).play()
