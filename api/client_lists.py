"""The client's part that reads across games: games, standings, findings, chances; each page is asked for when it is needed."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from api.chances_wire import ChancesAnswer
from api.client_asking import Asking, switch
from api.client_recording import Mode
from api.lists_wire import By, FindingLine, FindingPage, Severity, StandingLine, StandingPage
from api.wire import GamePage, GameSummary, Status
from projections.chances import BIAS, EDGE


class Lists(Asking):
    """Games, players, findings."""

    def games(
        self,
        *,
        game: str | None = None,
        status: Status | None = None,
        mode: Mode | None = None,
        player: UUID | None = None,
        search: str | None = None,
        ruleset: str | None = None,
        findings: bool | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Iterator[GameSummary]:
        """Yield the games there are, by id; *since* and *until* are times of play, with a time zone."""
        query = {
            "game": game,
            "status": status,
            "mode": mode,
            "player": _text(player),
            "search": search,
            "ruleset": ruleset,
            "findings": switch(findings),
            "since": _moment(since),
            "until": _moment(until),
        }
        return self._pages("/v1/games", GamePage, query, lambda page: (page.games, page.next))

    def standings(
        self, *, game: str | None = None, player: UUID | None = None, by: By = "wins"
    ) -> Iterator[StandingLine]:
        """Yield players with their sums as ruled and as played, whoever has most of *by* first."""
        query = {"game": game, "player": _text(player), "by": by}
        return self._pages(
            "/v1/standings", StandingPage, query, lambda page: (page.standings, page.next)
        )

    def findings(
        self,
        *,
        game: str | None = None,
        game_id: UUID | None = None,
        code: str | None = None,
        rule: str | None = None,
        severity: Severity | None = None,
    ) -> Iterator[FindingLine]:
        """Yield what the audits of all games have found, as far as it tells nothing hidden."""
        query = {
            "game": game,
            "game_id": _text(game_id),
            "code": code,
            "rule": rule,
            "severity": severity,
        }
        return self._pages(
            "/v1/findings", FindingPage, query, lambda page: (page.findings, page.next)
        )

    def chances(
        self,
        *,
        game: str | None = None,
        game_id: UUID | None = None,
        ruleset: str | None = None,
        players: Sequence[UUID] = (),
        dealer: UUID | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        bias: float = BIAS,
        edge: float = EDGE,
    ) -> ChancesAnswer:
        """Return cards and scores by position over many deals, beside what chance gives; no verdict on anybody.

        *players* are all at the table, *dealer* dealt. Raises Unavailable while too many reckon.
        """
        query = {
            "game": game,
            "game_id": _text(game_id),
            "ruleset": ruleset,
            "players": ",".join(map(str, players)) or None,
            "dealer": _text(dealer),
            "since": _moment(since),
            "until": _moment(until),
            "bias": bias,
            "edge": edge,
        }
        return self._get("/v1/chances", ChancesAnswer, query)


def _text(value: UUID | None) -> str | None:
    return None if value is None else str(value)


def _moment(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()
