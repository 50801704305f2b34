"""Games that nobody played, at the tables of a service: bots act over HTTP, through the same client as everybody.

The service deals and judges; the bots need to see all hands, so whoever asks must be one who may. Knows no store.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

import msgspec

from api import simulation
from api.client import Client, event_of
from api.client_errors import BadSettings, NotAllowed
from api.client_wire import Retries
from api.wire import Added, EventLine, Person, RecordAnswer, RulesetChoice
from events.common import GameEnded
from events.games import game_named

TOKEN: Final = "LANTERLOG_TOKEN"  # noqa: S105 - where it is, not what it is
"""The variable of the environment with the token: on a command line others could read it."""
_PATIENT: Final = Retries(attempts=20, first=0.1, longest=65.0)
"""Limits on requests are by the minute."""


def service(url: str, token: str | None) -> Client:
    """Return a client that waits out limits; raise BadSettings for an address or a token that is none."""
    return Client(url, token or None, retries=_PATIENT)


def play_there(client: Client, order: simulation.Order, number: int) -> tuple[UUID, list[Any]]:
    """Play one game to its end; return its id and its log. Raises BadSettings if not all cards are shown."""
    opened = _opened(client, order)
    record = partial(_recorded, client, order.game, opened.game_id)
    return opened.game_id, simulation.play_at(
        order, number, _events(order.game, opened.events), record
    )


def _opened(client: Client, order: simulation.Order) -> RecordAnswer:
    seats = [Person(id=UUID(id_), name=name) for id_, name in order.players().items()]
    opening = order.opening()
    try:
        opened = client.open_game(
            seats,
            game=order.game,
            ruleset=_choice(order),
            first_dealer=opening.first_dealer,
            source=opening.source,
            viewer="all",
        )
    except NotAllowed as error:
        raise _blind(str(error)) from error
    if opened.viewer != "all":
        end = GameEnded(winner=None, abandoned=True)
        client.record(opened.game_id, [end], opened.version)
        raise _blind(f"as {opened.viewer!r} we see not all cards")
    return opened


def _recorded(client: Client, game: str, game_id: UUID, act: Any, version: int) -> Sequence[Any]:
    return _events(game, client.record(game_id, [act], version, viewer="all").events)


def _events(game: str, added: Sequence[Added | EventLine]) -> list[Any]:
    return [event_of(game, one.event) for one in added]


def _choice(order: simulation.Order) -> RulesetChoice:
    """Return the ruleset as a preset and what differs from it."""
    presets = game_named(order.game).presets
    preset = order.ruleset.preset if order.ruleset.preset in presets else next(iter(presets))
    base, wanted = msgspec.to_builtins(presets[preset]), msgspec.to_builtins(order.ruleset)
    options = {
        name: value for name, value in wanted.items() if name != "preset" and value != base[name]
    }
    return RulesetChoice(preset=preset, options=options)


def _blind(reason: str) -> BadSettings:
    wanted = f"expected a service with --open-table, or an admin's token in {TOKEN}"
    return BadSettings(f"the bots cannot play there: {reason}; {wanted}")
