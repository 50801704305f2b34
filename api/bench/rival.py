"""The package `eventsourcing` with its PostgreSQL module, used as its documentation shows.

A game is an aggregate with a method for every kind of event, which carries the same fields as ours; the
application saves it and the repository gets it. It keeps cards where they lie and judges nothing, so it
does less than our fold. Imported only where the package is installed.
"""

# ruff: noqa: ARG002 - the parameters are the event's fields, stored whether used here or not

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.utils import Environment

from api.bench.place import Place
from api.bench.scripts import Script
from api.embedded import DATABASE, SUPERUSER

Fields = dict[str, Any]

_PAGE: Final = 2000
_TOGETHER: Final = 8


class Table(Aggregate):
    """A game of 500 Rummy: what each seat holds, stock, pile and melds."""

    @event("GameOpened")
    def __init__(
        self,
        game: str,
        ruleset: Fields,
        engine: str,
        seats: list[str],
        first_dealer: int | None,
        mode: str,
        source: str | None,
    ) -> None:
        self.seats, self.ruleset, self.dealer = seats, ruleset, first_dealer
        self.hands: list[list[str]] = [[] for _ in seats]
        self.stock: list[str] = []
        self.pile: list[str] = []
        self.melds: dict[int, list[str]] = {}
        self.totals = [0 for _ in seats]
        self.winner: int | None = None

    @event("Shuffled")
    def shuffled(self, deal: int, dealer: int, method: str, deck: list[str]) -> None:
        self.dealer, self.stock, self.pile, self.melds = dealer, list(deck), [], {}
        self.hands = [[] for _ in self.seats]

    @event("Dealt")
    def dealt(self, seat: int, cards: list[str]) -> None:
        self.hands[seat] = list(cards)
        for card in cards:
            self.stock.remove(card)

    @event("UpcardTurned")
    def upcard_turned(self, card: str) -> None:
        self.stock.remove(card)
        self.pile.append(card)

    @event("StockDrawn")
    def stock_drawn(self, seat: int, card: str) -> None:
        self.stock.remove(card)
        self.hands[seat].append(card)

    @event("PileTaken")
    def pile_taken(self, seat: int, cards: list[str]) -> None:
        del self.pile[-len(cards) :]
        self.hands[seat] += cards

    @event("DrawDeclined")
    def draw_declined(self, seat: int) -> None:
        pass

    @event("MeldLaid")
    def meld_laid(self, seat: int, meld: int, kind: str, cards: list[str]) -> None:
        self.melds[meld] = list(cards)
        for card in cards:
            self.hands[seat].remove(card.partition("=")[0])

    @event("LaidOff")
    def laid_off(self, seat: int, cards: list[Fields]) -> None:
        for placed in cards:
            meld, card = self.melds[placed["meld"]], placed["card"]
            meld.insert(0 if placed["end"] == "low" else len(meld), card)
            self.hands[seat].remove(card.partition("=")[0])

    @event("Discarded")
    def discarded(self, seat: int, card: str) -> None:
        self.hands[seat].remove(card)
        self.pile.append(card)

    @event("DealEnded")
    def deal_ended(self, deal: int, reason: str, out: int | None) -> None:
        pass

    @event("DealScored")
    def deal_scored(self, deal: int, scores: list[int], totals: list[int]) -> None:
        self.totals = totals

    @event("GameEnded")
    def game_ended(self, winner: int | None, abandoned: bool) -> None:
        self.winner = winner


class Archive(Application[UUID]):
    """The application, with its settings from us alone."""

    def construct_env(self, name: str, env: dict[str, str] | None = None) -> Environment:
        """Leave the surroundings' settings out."""
        return Environment(name, dict(env or {}))


class Rival:
    """The defaults of its documentation, or with `functions` the SQL functions of its own speed runs."""

    def __init__(self, place: Place, *, functions: bool = False, create: bool = False) -> None:
        self._app = Archive(
            {
                "PERSISTENCE_MODULE": "eventsourcing.postgres",
                "POSTGRES_DBNAME": DATABASE,
                "POSTGRES_HOST": place.sockets,
                "POSTGRES_PORT": "5432",
                "POSTGRES_USER": SUPERUSER,
                "POSTGRES_PASSWORD": "peer",
                "POSTGRES_POOL_SIZE": "1",
                "POSTGRES_MAX_OVERFLOW": "0",
                "POSTGRES_ENABLE_DB_FUNCTIONS": "y" if functions else "n",
                # Eight clients that make the same tables at once get in one another's way.
                "CREATE_TABLE": "y" if create else "n",
            }
        )

    def appends(self, script: Script) -> Iterator[None]:
        """An aggregate kept in memory, saved after every event."""
        table = Table(**script.acts[0][1])
        self._app.save(table)
        yield
        for name, fields in script.acts[1:]:
            getattr(table, name)(**fields)
            self._app.save(table)
            yield

    def records(self, script: Script) -> Iterator[None]:
        """The usual command: get the aggregate, call its method, save it. Nothing is judged."""
        table = Table(**script.acts[0][1])
        self._app.save(table)
        yield
        for name, fields in script.acts[1:]:
            found = self._app.repository.get(table.id)
            getattr(found, name)(**fields)
            self._app.save(found)
            yield

    def bring_in(self, games: Sequence[Script]) -> list[UUID]:
        """Whole games, eight of them saved together: with forty it waits for ever for its own pipeline."""
        tables = [played(script) for script in games]
        for first in range(0, len(tables), _TOGETHER):
            self._app.save(*tables[first : first + _TOGETHER])
        return [table.id for table in tables]

    def replay(self, game_id: UUID) -> Any:
        """The aggregate, without snapshots or cache, as ours has none."""
        return self._app.repository.get(game_id)

    def walk(self) -> int:
        """Every event of the application's notification log, read and decoded; nothing is judged."""
        events, last, select = 0, 0, self._app.recorder.select_notifications
        while page := select(last, _PAGE, inclusive_of_start=False):
            for notification in page:
                self._app.mapper.to_domain_event(notification)
            events, last = events + len(page), page[-1].id
        return events

    def close(self) -> None:
        self._app.close()


def played(script: Script) -> Any:
    """Return the aggregate after a whole game, not saved yet."""
    table = Table(**script.acts[0][1])
    for name, fields in script.acts[1:]:
        getattr(table, name)(**fields)
    return table
