"""Games that nobody played: bots at a table whose every act the referee has to let pass.

`Table` plays without any database and makes the same game of the same seed, down to ids, times and salts;
`record_game` plays at a refereed table of the store, where the operating system shuffles. Never commits.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID, uuid5

import msgspec
from sqlalchemy import Connection

from api.files import Filed
from events import recorder
from events.chain import NIL_HEAD, event_hash, inner_hash
from events.codec import encode
from events.common import GameEnded, GameOpened, Shuffled
from events.errors import RefusedError, RulesetError
from events.game import Violation
from events.games import game_named
from events.records import Head, StoredEvent
from events.version import ENGINE

SOURCE: Final = "simulated"
METHOD: Final = "seeded"
"""How a deck was shuffled whose order follows from a seed."""

LONGEST_DEAL: Final = 2000
"""Events after which a deal counts as endless: where the pile is shuffled again, players may draw and discard for ever."""

_NAMESPACE: Final = UUID("6c616e74-6572-4c6f-8567-73696d756c61")
# Simulated games lie on made-up days: a game a minute from here on, an act a millisecond.
_BEGINNING: Final = 946_684_800_000_000
_BETWEEN_GAMES: Final = 60_000_000
_BETWEEN_ACTS: Final = 1000


class Order(msgspec.Struct, frozen=True):
    """What is to be played; a game that has not ended after *deals* deals, or has an endless one, is abandoned."""

    game: str
    seats: int
    seed: int
    bot: str
    ruleset: Any
    deals: int

    def name(self, number: int) -> str:
        """Return a text that no other simulated game has, of this engine or another one."""
        made = msgspec.json.encode(self, order="deterministic").decode()
        return f"{made} {number} {ENGINE}"

    def chance(self, number: int, use: str) -> random.Random:
        """Return the chance of one game, a stream for each use of it."""
        return random.Random(f"{use} {self.name(number)}")  # noqa: S311  (nothing secret: it must repeat)

    def players(self) -> dict[str, str]:
        """Return who sits there in the order of seats, with their names: the same in every game of a bot."""
        numbers = range(1, self.seats + 1)
        return {str(uuid5(_NAMESPACE, f"{self.bot} {n}")): f"{self.bot} {n}" for n in numbers}

    def opening(self) -> GameOpened[Any]:
        """Return the first event; raise RulesetError for options that cannot be played."""
        opened = GameOpened(
            game=self.game,
            ruleset=self.ruleset,
            engine=ENGINE,
            seats=tuple(self.players()),
            first_dealer=0 if self.ruleset.first_dealer == "seat" else None,
            mode="refereed",
            source=SOURCE,
        )
        found = game_named(self.game).problems(opened)
        if found:
            raise RulesetError("; ".join(map(_problem, found)), found)
        return opened


class Table:
    """One game in memory: players act, the referee judges, and what is due is done at once."""

    def __init__(self, order: Order, number: int) -> None:
        self.order = order
        self.game = game_named(order.game)
        self.events: list[Any] = [order.opening()]
        self.state: Any = self.game.initial(self.events[0])
        self._deck = order.chance(number, "deck")
        self._players = order.chance(number, "players")
        self._dealt_at = 0

    @property
    def is_endless(self) -> bool:
        """Whether this deal has gone on for so long that it will not end."""
        return len(self.events) - self._dealt_at >= LONGEST_DEAL

    def play(self) -> list[Any]:
        """Play to the end, or until so many deals are scored or one is endless; return the log."""
        bot = self.game.bots[self.order.bot]
        self._do_what_is_due()
        while self.state.phase not in ("ended", "scored") and not self.is_endless:
            self._act(self.game.next_act(self.state, bot, self._players))
            self._do_what_is_due()
        if self.state.phase != "ended":
            self._act(GameEnded(winner=None, abandoned=True))
        return self.events

    def _act(self, act: Any) -> None:
        for event in (*self.game.before(self.state, act), act):
            self._take(event)

    def _do_what_is_due(self) -> None:
        while due := self.game.due(self.state):
            is_next_deal = isinstance(due[0], Shuffled) and self.state.phase == "scored"
            if is_next_deal and self.state.deal >= self.order.deals:
                return
            self._take(due[0])

    def _take(self, event: Any) -> None:
        """Put an event on record; raise RefusedError if the referee has anything against it."""
        event = self.game.shuffle(self.state, event, self._deck.shuffle)
        if isinstance(event, Shuffled):
            event = msgspec.structs.replace(event, method=METHOD)
        event = self.game.complete(self.state, event)
        broken = [f for f in self.game.judge(self.state, event) if isinstance(f, Violation)]
        if broken:
            raise RefusedError(0, len(self.events), broken)
        if isinstance(event, Shuffled):
            self._dealt_at = len(self.events)
        self.events.append(event)
        self.state = self.game.evolve(self.state, event)


def play_games(order: Order, count: int) -> Iterator[Filed]:
    """Yield games as files hold them, a chain each; the same order gives the same bytes."""
    for number in range(1, count + 1):
        events = Table(order, number).play()
        yield _filed(order, number, events)


def record_game(conn: Connection, order: Order, number: int) -> recorder.Log:
    """Play a game at a refereed table of the store, and return it as it stands there.

    Who acts how follows from the seed and the cards; the cards are shuffled by the operating system. After
    the last deal the next one is dealt before the game is abandoned, since a table of the store never waits.
    """
    by = uuid5(_NAMESPACE, SOURCE)
    players = order.players()
    opened = recorder.open_game(conn, order.opening(), recorded_by=by, names=players)

    def record(act: Any, version: int) -> Sequence[Any]:
        return recorder.record(
            conn,
            opened.game_id,
            [act],
            expected_version=version,
            command_id=uuid5(opened.game_id, str(version)),
            recorded_by=by,
        ).events

    play_at(order, number, opened.events, record)
    return recorder.load(conn, opened.game_id)


def play_at(
    order: Order,
    number: int,
    opened: Sequence[Any],
    record: Callable[[Any, int], Sequence[Any]],
) -> list[Any]:
    """Play a game to its end at a refereed table anywhere; return its log.

    *opened* are the events that there are, *record* takes an act and the version that it comes after, and gives
    all events that it made, with every card.
    """
    game, chance = game_named(order.game), order.chance(number, "players")
    state, events, fresh, dealt_at = game.initial(opened[0]), list[Any](), opened, 0
    while True:
        for event in fresh:
            state = game.evolve(state, event)
            events.append(event)
            dealt_at = len(events) if isinstance(event, Shuffled) else dealt_at
        if state.phase == "ended":
            return events
        over = state.deal > order.deals or len(events) - dealt_at >= LONGEST_DEAL
        abandon = GameEnded(winner=None, abandoned=True)
        act = abandon if over else game.next_act(state, game.bots[order.bot], chance)
        fresh = record(act, len(events))


def _problem(found: Violation) -> str:
    option, actual, expected = (found.params[key] for key in ("option", "actual", "expected"))
    return f"{found.code}: {option}={actual}, expected {expected}"


def _filed(order: Order, number: int, events: list[Any]) -> Filed:
    game_id = uuid5(_NAMESPACE, order.name(number))
    began = _BEGINNING + number * _BETWEEN_GAMES
    stored = list(_chained(game_id, began, order.chance(number, "salts"), events))
    head = Head(
        game_id=game_id,
        kind="game",
        game=order.game,
        mode="refereed",
        visibility="public",
        version=len(stored),
        head=stored[-1].hash,
        created_at=began,
        changed_at=stored[-1].recorded_at,
    )
    return Filed(head, stored, events, order.players(), {})


def _chained(
    game_id: UUID, began: int, salts: random.Random, events: list[Any]
) -> Iterator[StoredEvent]:
    by, previous = uuid5(_NAMESPACE, SOURCE), NIL_HEAD
    for version, event in enumerate(events, 1):
        at, salt, body = began + version * _BETWEEN_ACTS, salts.randbytes(16), encode(event)
        previous = event_hash(game_id, version, previous, at, by, inner_hash(salt, body))
        yield StoredEvent(game_id, version, at, by, salt, previous, body)
