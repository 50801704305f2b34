"""The list of games, from the streams: a page costs the same whatever the archive holds.

Order is by game id, which never changes, so a page never skips or repeats a game. Reads only what a
list shows of a game: its head, the event that opened it, and whether it has ended.
"""

import base64
import binascii
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection, FromClause, Select, Text, cast, select, true

from api import choosing
from api.asker import Asker
from api.times import microseconds, rfc3339
from api.wire import GameSummary, ListQuery, Player
from events import store
from events.codec import decode_stored
from events.common import GameOpened
from events.errors import RequestError
from events.records import Head
from events.schema import events, games
from projections.schema import catalogue_games


class Listed(msgspec.Struct, frozen=True):
    """A game with the event that opened it, if there is one, and whether it has ended."""

    head: Head
    opened: GameOpened[Any] | None
    ended: bool


def page(
    conn: Connection,
    asked: ListQuery,
    asker: Asker = Asker(),  # noqa: B008 - frozen
) -> tuple[list[Listed], bool]:
    """Return one page of the games that a list shows whoever asks, and whether more follow."""
    after = None if asked.cursor is None else read_cursor(asked.cursor)
    found = choosing.chosen(conn, asked, asker, after).subquery("found")
    on_page = select(games).join(found, found.c.game_id == games.c.game_id).subquery("on_page")
    rows = conn.execute(_listed(on_page).order_by(on_page.c.game_id)).all()
    return [_read(row) for row in rows[: asked.limit]], len(rows) > asked.limit


def one(conn: Connection, game_id: UUID) -> Listed | None:
    """Return one game, whoever may see it, or None."""
    head = select(games).where(games.c.game_id == game_id).subquery("head")
    row = conn.execute(_listed(head)).first()
    return None if row is None else _read(row)


def summaries(conn: Connection, listed: Sequence[Listed]) -> list[GameSummary]:
    """Return the games as they are shown, with the players' names: one query for all of them."""
    ids = {UUID(seat) for game in listed if game.opened for seat in game.opened.seats}
    names = store.people(conn, ids) if ids else {}
    return [_summary(game, names) for game in listed]


def cursor(game_id: UUID) -> str:
    """Return the opaque text that means: the games after this one."""
    return base64.urlsafe_b64encode(b"1" + game_id.bytes).decode().rstrip("=")


def read_cursor(text: str) -> UUID:
    """Return the game id that a cursor holds; raise RequestError for a text that is none."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 17 or raw[:1] != b"1":
        raise RequestError("bad_cursor", f"cursor {text[:60]!r}, expected one that was given out")
    return UUID(bytes=raw[1:])


def links(game_id: UUID) -> dict[str, str]:
    """Return where everything about a game is found."""
    base = f"/v1/games/{game_id}"
    names = (
        "events",
        "state",
        "frames",
        "timeline",
        "legal",
        "audits",
        "disputes",
        "export.ndjson",
        "export.txt",
        "export.csv",
        "export.html",
    )
    return {"self": base} | {name: f"{base}/{name}" for name in names}


def _listed(heads: FromClause) -> Select[Any]:
    """Return these heads, each with its first event, and how it stands: heads are chosen before they get here.

    That is what the catalogue says where it has read as far, and where not the tag of the last act.
    """
    first, known = events.alias("first_event"), catalogue_games
    last = choosing.last_act(heads, known.c.status.is_(None))
    is_read = (known.c.game_id == heads.c.game_id) & (known.c.version == heads.c.version)
    return (
        select(heads, cast(first.c.body, Text).label("opening"), known.c.status, last.c.tag)
        .outerjoin(first, (first.c.game_id == heads.c.game_id) & (first.c.version == 1))
        .outerjoin(known, is_read)
        .outerjoin(last, true())
    )


def _read(row: Any) -> Listed:
    head = Head(
        game_id=row.game_id,
        kind=row.kind,
        game=row.game,
        mode=row.mode,
        visibility=row.visibility,
        version=row.version,
        head=row.head,
        created_at=microseconds(row.created_at),
        changed_at=microseconds(row.changed_at),
    )
    opened = None if row.opening is None else decode_stored(head.game, row.opening.encode())
    has_ended = row.tag == "game_ended" if row.status is None else row.status != "open"
    return Listed(head, opened, has_ended)


def _summary(listed: Listed, names: dict[UUID, str]) -> GameSummary:
    head, opened = listed.head, listed.opened
    return GameSummary(
        game_id=head.game_id,
        game=head.game,
        mode=head.mode,
        visibility=head.visibility,
        status="ended" if listed.ended else "open",
        version=head.version,
        head=head.head.hex(),
        ruleset=getattr(opened.ruleset, "preset", None) if opened else None,
        players=_players(opened.seats if opened else (), names),
        created_at=rfc3339(head.created_at),
        changed_at=rfc3339(head.changed_at),
        links=links(head.game_id),
    )


def _players(seats: Iterable[str], names: dict[UUID, str]) -> list[Player]:
    return [Player(seat, player, names.get(UUID(player))) for seat, player in enumerate(seats)]
