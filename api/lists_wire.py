"""What the lists of deals, standings and findings can be asked, and what they answer; see `api.wire`."""

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from api import shapes
from api.wire import AuditFinding, GameName, Request

Limit = Annotated[int, Meta(ge=1, le=100)]
Severity = Literal["breach", "unchecked"]
By = Literal["player", "games", "deals", "wins", "points", "calls_won", "loos", "chips"]


class DealsQuery(Request, frozen=True, kw_only=True):
    """What `GET /v1/games/{id}/deals` can be asked."""

    cursor: str | None = None
    limit: Limit = 50


class StandingsQuery(Request, frozen=True, kw_only=True):
    """What `GET /v1/standings` can be asked; `by` is what the most of comes first."""

    game: GameName | None = None
    player: UUID | None = None
    by: By = "wins"
    cursor: str | None = None
    limit: Limit = 50


class FindingsQuery(Request, frozen=True, kw_only=True):
    """What `GET /v1/findings` can be asked."""

    game: GameName | None = None
    game_id: UUID | None = None
    code: str | None = None
    rule: str | None = None
    severity: Severity | None = None
    cursor: str | None = None
    limit: Limit = 50


class DealLine(msgspec.Struct, frozen=True, kw_only=True):
    """A deal, from its first version to its last; what has not happened yet is null, scores are by seat.

    `scores` are as ruled, where somebody ruled.
    """

    deal: int
    from_version: int
    to_version: int
    dealer: int
    ended: str | None
    out: int | None
    scores: list[int | None] | None
    scores_played: list[int | None] | None
    findings: int
    unchecked: int


class DealPage(msgspec.Struct, frozen=True):
    """Some deals of a game that is at `version` now, of which the list knows the events up to `as_of`."""

    game_id: UUID
    version: int
    as_of: int
    deals: list[DealLine]
    next: str | None


class StandingLine(msgspec.Struct, frozen=True, kw_only=True):
    """What a player has done in the games of one kind; null is what that game does not have.

    Wins, points and chips are as ruled, and beside them what they were as played.
    """

    player: UUID
    name: str | None
    game: shapes.GameKind
    games: int
    deals: int
    wins: int
    points: int | None
    calls_made: int | None
    calls_won: int | None
    calls_lost: int | None
    loos: int | None
    chips: int | None
    wins_played: int
    points_played: int | None
    chips_played: int | None


class StandingPage(msgspec.Struct, frozen=True):
    """Some players, and the cursor of the next."""

    standings: list[StandingLine]
    next: str | None


class FindingLine(AuditFinding, frozen=True, kw_only=True):
    """A finding, and where it was found; `number` counts the findings of its game."""

    game_id: UUID
    game: shapes.GameKind
    number: int


class FindingPage(msgspec.Struct, frozen=True):
    """Some findings, and the cursor of the next."""

    findings: list[FindingLine]
    next: str | None
