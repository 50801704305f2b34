"""`lanterlog token`: who may do what over HTTP, made and ended by whoever owns the database."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from api import db, issuing
from api.commands import output, pick
from api.config import Config
from api.embedded import running
from api.issuing import Issued
from events import store
from events.codec import decode_stored
from events.errors import BadUsage

REVOKED_BEFORE = 1


def create(args: Namespace) -> int:
    """Make a token; the secret alone goes to standard output, so that a script can keep it."""
    lasts = None if args.expires is None else issuing.span(args.expires)
    with _owning() as conn:
        game_id = None if args.game is None else pick.game_id(conn, args.game)
        if game_id is not None and args.seat is not None:
            _check_seat(conn, game_id, args.seat)
        made, secret = issuing.create(
            conn, args.name, args.scopes, game_id=game_id, seat=args.seat, lasts=lasts
        )
    if args.json:
        output.as_json({"secret": secret} | asdict(made))
        return 0
    output.say(f"token {made.token_id} for {made.name}: {_good_for(made)}. Its secret, this once:")
    output.line(secret)
    return 0


def list_tokens(args: Namespace) -> int:
    """Print every token but its secret."""
    with _owning() as conn:
        found = issuing.listed(conn)
    if args.json:
        for one in found:
            output.as_json(one)
    else:
        columns = ("token", "name", "good for", "made", "last used", "state")
        output.table(columns, map(_row, found))
    return 0


def revoke(args: Namespace) -> int:
    """End a token."""
    with _owning() as conn:
        meant = issuing.find(conn, args.token)
        was_alive = issuing.revoke(conn, meant.token_id)
    output.line(
        f"token {meant.token_id} for {meant.name} {'is' if was_alive else 'was already'} revoked"
    )
    return 0 if was_alive else REVOKED_BEFORE


@contextmanager
def _owning() -> Iterator[Connection]:
    config = Config.from_environment()
    ours = config.database_url is None and config.migration_database_url is None
    if config.database_url is None and not ours:  # a server of the user's, where only this is done
        config = replace(config, database_url=config.migration_database_url)
    with running(config) as settled:
        if ours:
            db.keep_up(settled)
        with issuing.owner(settled) as conn:
            yield conn


def _check_seat(conn: Connection, game_id: UUID, seat: int) -> None:
    """Raise BadUsage for a seat that the game does not have; whoever owns the database may not read the read models."""
    game = store.head(conn, game_id).game
    first = [decode_stored(game, body) for body in store.read_bodies(conn, game_id, 1)]
    seats = len(getattr(first[0], "seats", ())) if first else 0
    if seat >= seats:
        raise BadUsage(f"seat {seat} of a game of {seats}, expected 0 to {seats - 1}")


def _row(one: Issued) -> tuple[object, ...]:
    return (
        one.token_id, one.name, _good_for(one), _minute(one.created_at),
        "never" if one.last_used_at is None else _minute(one.last_used_at), _state(one),
    )  # fmt: skip


def _good_for(one: Issued) -> str:
    scopes = ", ".join(one.scopes)
    if one.game_id is None:
        return scopes
    seat = "" if one.seat is None else f"seat {one.seat} of "
    return f"{scopes} for {seat}game {one.game_id}"


def _state(one: Issued) -> str:
    if one.revoked_at is not None:
        return f"revoked {_minute(one.revoked_at)}"
    if one.expires_at is None:
        return "good"
    over = one.expires_at <= datetime.now(UTC)
    return f"{'expired' if over else 'good until'} {_minute(one.expires_at)}"


def _minute(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
