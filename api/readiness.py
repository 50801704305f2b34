"""Whether the service can do its work: the database, its schema, what keeps the log append-only, the login's rights.

Says of each what is missing, in words that hold no address, name of a login or password. Changes nothing.
"""

from collections.abc import Iterator
from typing import Final, Literal

import msgspec
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from api import db
from events.errors import NotMigrated, TooManyRights
from events.schema import SCHEMA

Check = Literal["database", "migrations", "triggers", "grants"]

TRIGGERS: Final[dict[str, dict[str, str]]] = {
    "events": {
        "check_event": "check_event",
        "refuse_change": "refuse_change",
        "refuse_truncate": "refuse_change",
    },
    "games": {
        "keep_game": "keep_game",
        "refuse_change": "refuse_change",
        "refuse_truncate": "refuse_change",
    },
    "commands": {
        "refuse_change": "refuse_change",
        "refuse_young_command": "refuse_young_command",
        "refuse_truncate": "refuse_change",
    },
    "ledger": {
        "check_ledger": "check_ledger",
        "refuse_change": "refuse_change",
        "refuse_truncate": "refuse_change",
    },
    "tokens": {
        "check_token": "check_token",
        "refuse_change": "refuse_change",
        "refuse_truncate": "refuse_change",
    },
    "sessions": {"refuse_change": "refuse_change"},
    "people": {"pass_over_erased": "pass_over_erased_person"},
    "texts": {"pass_over_erased": "pass_over_erased_text"},
    "staged_games": {"take_in": "take_in_staged"},
}
"""By table: every trigger that must be there and fire always, and its function."""

NEEDED: Final = ("open_game", "lock_head", "append_events", "import_game", "ensure_people")
"""Functions without which nothing can be recorded."""

_FIRING: Final = text("""
SELECT c.relname AS table, t.tgname AS trigger, p.proname AS function
FROM pg_catalog.pg_trigger t
JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid AND p.pronamespace = c.relnamespace
WHERE c.relnamespace = to_regnamespace(:schema) AND NOT t.tgisinternal AND t.tgenabled = 'A'""")
_LACKING: Final = text("""
SELECT 'cannot read ' || c.relname FROM pg_catalog.pg_class c
WHERE c.relnamespace = to_regnamespace(:schema) AND c.relkind = 'r'
  AND c.relname IN ('events', 'games', 'commands', 'ledger', 'people', 'texts')
  AND NOT has_table_privilege(session_user, c.oid, 'SELECT')
UNION ALL
SELECT 'cannot call ' || p.proname FROM pg_catalog.pg_proc p
WHERE p.pronamespace = to_regnamespace(:schema) AND p.proname = ANY (:needed)
  AND NOT has_function_privilege(session_user, p.oid, 'EXECUTE')
ORDER BY 1""")


class Readiness(msgspec.Struct, frozen=True):
    """What is missing, by check; a check that could not be made is not among them."""

    missing: dict[Check, tuple[str, ...]]

    @property
    def is_ready(self) -> bool:
        """Tell whether nothing is missing."""
        return not any(self.missing.values())


def readiness(engine: Engine) -> Readiness:
    """Return what is missing; never raises for what the database does or does not do."""
    missing: dict[Check, tuple[str, ...]] = {"database": ()}
    try:
        with db.autocommit(engine).connect() as conn:
            missing["migrations"] = _migrations(conn)
            missing["triggers"] = tuple(_triggers(conn))
            missing["grants"] = _grants(conn)
    except SQLAlchemyError:
        missing["database"] = ("the database does not answer",)
    return Readiness(missing)


def _migrations(conn: Connection) -> tuple[str, ...]:
    try:
        db.check_schema_version(conn)
    except NotMigrated as error:
        return (str(error),)
    return ()


def _triggers(conn: Connection) -> Iterator[str]:
    firing = {tuple(row) for row in conn.execute(_FIRING, {"schema": SCHEMA})}
    for table, triggers in TRIGGERS.items():
        for name, function in triggers.items():
            if (table, name, function) not in firing:
                yield f"{name} on {table} is missing or does not always fire"


def _grants(conn: Connection) -> tuple[str, ...]:
    try:
        db.check_login_rights(conn)
    except TooManyRights as error:
        return tuple(f"the login {reason}" for reason in error.reasons)
    lacking = conn.execute(_LACKING, {"schema": SCHEMA, "needed": list(NEEDED)})
    return tuple(f"the login {one}" for one in lacking.scalars())
