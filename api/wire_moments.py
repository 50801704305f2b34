"""The JSON of `GET /v1/games/{id}/frames` and `/cards/{card}`; see `api.wire`."""

from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from api.wire import LAST_VERSION, Viewer, ViewQuery
from projections.whereabouts import Stay

MOST_FRAMES: Final = 200
"""Frames of one answer."""

At = Annotated[int, Meta(ge=1, le=LAST_VERSION)]


class FramesQuery(ViewQuery, frozen=True, kw_only=True):
    """Which versions, both included; without `to`, all that there are, a piece at a time."""

    first: At = field(default=1, name="from")
    last: At | UnsetType = field(default=UNSET, name="to")


class FrameLine(msgspec.Struct, frozen=True):
    """One version: the event as the viewer may see it, and what it changed in his view.

    `changed` holds whole values of a state by key, except `hands` (the changed ones, by seat) and `melds`
    (the changed ones by id, null for one that is gone).
    """

    version: int
    event: msgspec.Raw
    changed: dict[str, Any]


class FramesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Frames in order; the first builds on the state before it, frame 1 on nothing.

    `next` is the version with which the next piece begins, null when all that was asked for is here. Nothing
    in it tells how long the game is now, or who anybody is, so what is wholly open never changes.
    """

    game_id: UUID
    first: int = field(name="from")
    last: int = field(name="to")
    viewer: Viewer
    frames: list[FrameLine]
    next: int | None


class CardAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Where a card was, as the viewer sees the table; between two stays he cannot tell.

    `copies` are the texts that were looked for: at two packs a card without its prime may be either copy.
    """

    game_id: UUID
    version: int
    viewer: Viewer
    card: str
    copies: list[str]
    stays: list[Stay]
