"""The JSON of `GET /v1/games/{id}/legal`: what a seat may do, what is due, what speaks against the rest."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from api.wire import Judged, StateQuery, Viewer


class LegalQuery(StateQuery, frozen=True, kw_only=True):
    """Which seat, at which version, and how many acts at most are listed."""

    seat: Annotated[int, Meta(ge=0, le=7)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 200


class NotLegal(msgspec.Struct, frozen=True):
    """An act that the seat may not do, as an example of its kind, and the rules against it."""

    event: msgspec.Raw
    violations: list[Judged]


class LegalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat may do at version `at`, computed from what the viewer sees.

    `more` says that there are acts beyond those listed; an act leaves `??` where only the dealer knows the card.
    """

    game_id: UUID
    version: int
    at: int
    viewer: Viewer
    seat: int
    turn: int
    acts: list[msgspec.Raw]
    more: bool
    due: list[msgspec.Raw]
    refused: list[NotLegal]
