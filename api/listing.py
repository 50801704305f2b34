"""The list of games, straight from the streams: one query a page, whatever the archive holds.

Order is by game id, which never changes, so a page never skips or repeats a game. Reads only what a
list shows of a game: its head, the event that opened it, and whether the last act ended it.
"""

import base64
import binascii
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import (
    Connection,
    FromClause,
    Select,
    Text,
    cast,
    func,
    literal_column,
    select,
    true,
)

from api import catalogue
from api.asker import Asker
from api.times import microseconds, rfc3339
from api.wire import GameSummary, ListQuery, Player
from events import store
from events.codec import decode_stored
from events.common import GameOpened
from events.errors import RequestError
from events.records import Head
from events.schema import events, games


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
    wanted = select(games).where(games.c.kind == "game")
    if not asker.reads_private:
        is_shown = games.c.visibility == "public"
        if asker.own_game is not None:
            is_shown |= games.c.game_id == asker.own_game
        wanted = wanted.where(is_shown)
    if asked.cursor is not None:
        wanted = wanted.where(games.c.game_id > read_cursor(asked.cursor))
    if asked.game is not None:
        wanted = wanted.where(games.c.game == asked.game)
    if asked.mode is not None:
        wanted = wanted.where(games.c.mode == asked.mode)
    if asked.status is not None:
        last = _last_act(games)
        has_ended = func.coalesce(last.c.tag == "game_ended", False)
        wanted = wanted.outerjoin(last, true()).where(has_ended.is_(asked.status == "ended"))
    known = catalogue.narrowed(asked, asker)
    if known is not None:
        wanted = wanted.where(games.c.game_id.in_(known))
    on_page = wanted.order_by(games.c.game_id).limit(asked.limit + 1).subquery("on_page")
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
    """Return these heads, each with its first event and the tag of its last act: heads are chosen before they get here."""
    first = events.alias("first_event")
    last = _last_act(heads)
    return (
        select(heads, cast(first.c.body, Text).label("opening"), last.c.tag)
        .outerjoin(first, (first.c.game_id == heads.c.game_id) & (first.c.version == 1))
        .outerjoin(last, true())
    )


def _last_act(heads: FromClause) -> FromClause:
    """Return a lateral row: the tag of a game's last event that is no remark."""
    return (
        select(literal_column("body->>'t'").label("tag"))
        .select_from(events)
        .where(events.c.game_id == heads.c.game_id)
        .where(literal_column("body->>'t'") != "remarked")
        .order_by(events.c.version.desc())
        .limit(1)
        .lateral("last_act")
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
    return Listed(head, opened, row.tag == "game_ended")


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
