"""`lanterlog erase`: a person's name and texts go for good, and the log stays whole."""

import sys
from argparse import Namespace
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine

from api import db
from api.access import NOBODY
from api.commands import output
from api.config import Config
from api.embedded import running
from events import erasure
from events.errors import BadUsage

DONE, LEFT_ALONE = 0, 1


def erase(args: Namespace) -> int:
    """Show what goes, ask, and erase; needs MIGRATION_DATABASE_URL on a server of one's own."""
    config = Config.from_environment()
    with running(config) as settled:
        if config.database_url is None:
            db.keep_up(settled)
        with db.as_owner(settled) as engine:
            return _erase(engine, args)


def _erase(engine: Engine, args: Namespace) -> int:
    with engine.connect() as conn:
        db.check_schema_version(conn)
        player_id = erasure.find_person(conn, args.person)
        planned = erasure.plan(conn, player_id, args.texts)
        conn.rollback()
        if not args.json:
            _show(planned)
        if not args.yes and not _confirmed():
            output.say("nothing was erased")
            return LEFT_ALONE
        done = erasure.erase(conn, player_id, args.texts, NOBODY)
        conn.commit()
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as conn:
        erasure.compact(conn)
        _checkpoint(conn)
    if args.json:
        # The name is not told again: this line is kept, to erase once more after an old backup was restored.
        output.as_json({"erased": str(player_id), "texts": len(done.texts), "left": done.elsewhere})
    else:
        output.line(f"erased {player_id} and {output.count(len(done.texts), 'text')}")
    return DONE


def _show(planned: erasure.Plan) -> None:
    shown = "no name" if planned.name is None else f"the name {planned.name!r}"
    seats = output.count(planned.games, "game")
    texts = output.count(len(planned.texts), "text")
    output.line(f"{planned.player_id}, in {seats}: {shown} and {texts} go for good")
    output.table(("game", "versions"), _rows(planned.texts))
    if planned.elsewhere:
        text = output.count(planned.elsewhere, "other text")
        output.line(f"{text} with this name will stay, see --texts")


def _rows(texts: tuple[tuple[UUID, int], ...]) -> list[tuple[str, str]]:
    return [
        (str(game_id), " ".join(str(version) for _, version in found))
        for game_id, found in groupby(texts, lambda text: text[0])
    ]


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise BadUsage("nobody to ask, expected --yes")
    sys.stderr.write("This cannot be undone. Erase? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _checkpoint(conn: Connection) -> None:
    """Let the server throw the old files away now; a login that may not ask for it has to wait a while."""
    allowed: Any = conn.exec_driver_sql(
        "SELECT r.rolsuper OR EXISTS (SELECT FROM pg_roles c"
        " WHERE c.rolname = 'pg_checkpoint' AND pg_has_role(session_user, c.oid, 'USAGE'))"
        " FROM pg_roles r WHERE r.rolname = session_user"
    ).scalar_one()
    if allowed:
        conn.exec_driver_sql("RESET ROLE")
        conn.exec_driver_sql("CHECKPOINT")
