"""The store's tables, as SQLAlchemy Core sees them, and the names of the three roles.

PostgreSQL's own functions and triggers keep the promises (`migrations/versions/`);
this file only has to say the same as the migrations, which `api.db.schema_differences` compares.
It holds no queries and no rules.
"""

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON

SCHEMA = "lanterlog"

metadata = MetaData(
    schema=SCHEMA,
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    },
)


class Roles(msgspec.Struct, frozen=True):
    """Who may do what: the owner never logs in, the program only reads and executes.

    A PostgreSQL server has one set of roles for all its databases, so another server may need
    other names; they come from the configuration.
    """

    owner: str = "lanterlog_owner"
    app: str = "lanterlog_app"
    worker: str = "lanterlog_worker"


def _id(name: str) -> Column[object]:
    return Column(name, Uuid(), nullable=False)


def _version(name: str) -> Column[object]:
    return Column(name, Integer(), nullable=False)


def _time(name: str, *, default: bool = False) -> Column[object]:
    clock = text("clock_timestamp()") if default else None
    return Column(name, DateTime(timezone=True), nullable=False, server_default=clock)


def _bytes(name: str) -> Column[object]:
    return Column(name, LargeBinary(), nullable=False)


def _size(name: str, size: int) -> CheckConstraint:
    return CheckConstraint(f"octet_length({name}) = {size}", name=name)


def _of_a_game() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["game_id"], ["lanterlog.games.game_id"])


games = Table(
    "games",
    metadata,
    _id("game_id"),
    Column("kind", Text(), nullable=False),
    Column("game", Text(), nullable=False),
    Column("mode", Text(), nullable=False),
    Column("visibility", Text(), nullable=False),
    _version("version"),
    _bytes("head"),
    _time("created_at"),
    _time("changed_at"),
    PrimaryKeyConstraint("game_id"),
    CheckConstraint("kind IN ('game', 'dispute', 'admin')", name="kind"),
    CheckConstraint("mode IN ('refereed', 'recorded')", name="mode"),
    CheckConstraint("visibility IN ('public', 'unlisted', 'private')", name="visibility"),
    CheckConstraint("version >= 0", name="version"),
    _size("head", 32),
    Index("games_other_kind_idx", "kind", "game_id", postgresql_where=text("kind <> 'game'::text")),
    postgresql_with={"fillfactor": "70"},
    comment="One row a stream: what it is, and its head.",
)

events = Table(
    "events",
    metadata,
    _id("game_id"),
    _version("version"),
    _time("recorded_at"),
    _id("recorded_by"),
    _bytes("salt"),
    _bytes("hash"),
    Column("body", JSON(), nullable=False),
    PrimaryKeyConstraint("game_id", "version"),
    CheckConstraint("version >= 1", name="version"),
    _size("salt", 16),
    _size("hash", 32),
    comment="What happened, append-only: body::text are the very bytes that were hashed.",
)
Index(
    "events_disputed_idx",
    text("(body ->> 'game_id'::text)"),
    postgresql_where=text("version = 1 AND (body ->> 't'::text) = 'dispute_opened'::text"),
    _table=events,
)

commands = Table(
    "commands",
    metadata,
    _id("game_id"),
    _id("command_id"),
    _bytes("request_hash"),
    _version("first_version"),
    _version("last_version"),
    _time("recorded_at"),
    PrimaryKeyConstraint("game_id", "command_id"),
    _of_a_game(),
    _size("request_hash", 32),
    CheckConstraint("first_version BETWEEN 1 AND last_version", name="versions"),
    comment="Which append answered which request, so that a retry gets the first answer.",
)

texts = Table(
    "texts",
    metadata,
    _id("game_id"),
    _version("version"),
    _bytes("salt"),
    Column("text", Text(), nullable=False),
    PrimaryKeyConstraint("game_id", "version"),
    _of_a_game(),
    _size("salt", 16),
    comment="Free text beside the log: its event holds SHA-256(0x02 || salt || text).",
)

people = Table(
    "people",
    metadata,
    _id("player_id"),
    Column("name", Text(), nullable=False),
    PrimaryKeyConstraint("player_id"),
    comment="Names beside the log: labels, not evidence.",
)
Index(
    "people_name_idx",
    func.lower(people.c.name).label("folded"),
    postgresql_ops={"folded": "text_pattern_ops"},
)

erased_people = Table(
    "erased_people",
    metadata,
    _id("player_id"),
    _time("erased_at", default=True),
    PrimaryKeyConstraint("player_id"),
    comment="Whose names are gone and must not come back, by the ids that the logs hold.",
)

erased_texts = Table(
    "erased_texts",
    metadata,
    _id("game_id"),
    _version("version"),
    _time("erased_at", default=True),
    PrimaryKeyConstraint("game_id", "version"),
    comment="Which texts are gone and must not come back.",
)

imports = Table(
    "imports",
    metadata,
    _id("game_id"),
    _id("imported_by"),
    _time("imported_at", default=True),
    _version("version"),
    PrimaryKeyConstraint("game_id"),
    _of_a_game(),
    comment="Who brought in a game with its chain, when, and up to which version.",
)

staged_events = Table(
    "staged_events",
    metadata,
    _id("batch_id"),
    _id("game_id"),
    _version("version"),
    _time("recorded_at"),
    _id("recorded_by"),
    _bytes("salt"),
    _bytes("hash"),
    Column("body", JSON(), nullable=False),
    Index(None, "batch_id"),
    prefixes=["UNLOGGED"],
    comment="Events on their way in, until their transaction ends.",
)

staged_games = Table(
    "staged_games",
    metadata,
    _id("batch_id"),
    _id("game_id"),
    Column("kind", Text(), nullable=False),
    Column("game", Text(), nullable=False),
    Column("mode", Text(), nullable=False),
    Column("visibility", Text(), nullable=False),
    _version("version"),
    _bytes("head"),
    _time("created_at"),
    _id("imported_by"),
    Column("is_new", Boolean(), nullable=False),
    PrimaryKeyConstraint("batch_id", "game_id"),
    prefixes=["UNLOGGED"],
    comment="Heads of the games that are on their way in.",
)

outbox = Table(
    "outbox",
    metadata,
    _id("game_id"),
    _version("version"),
    _time("appended_at", default=True),
    PrimaryKeyConstraint("game_id", "version"),
    postgresql_with={
        "autovacuum_vacuum_scale_factor": "0",
        "autovacuum_vacuum_threshold": "5000",
        "autovacuum_vacuum_cost_delay": "0",
    },
    comment="One row an append, its last version, until the sealer has taken it into the ledger.",
)

ledger = Table(
    "ledger",
    metadata,
    Column("position", BigInteger(), nullable=False, autoincrement=False),
    _id("game_id"),
    _version("from_version"),
    _version("to_version"),
    _bytes("head"),
    _bytes("previous"),
    _time("sealed_at", default=True),
    PrimaryKeyConstraint("position"),
    UniqueConstraint("game_id", "from_version"),
    CheckConstraint("position >= 1", name="position"),
    CheckConstraint("from_version BETWEEN 1 AND to_version", name="versions"),
    _size("head", 32),
    _size("previous", 32),
    comment="All games in one order without gaps: the only feed across games.",
)

tokens = Table(
    "tokens",
    metadata,
    _id("token_id"),
    Column("name", Text(), nullable=False),
    _bytes("secret_hash"),
    Column("scopes", ARRAY(Text()), nullable=False),
    Column("game_id", Uuid()),
    Column("seat", Integer()),
    _time("created_at", default=True),
    Column("expires_at", DateTime(timezone=True)),
    Column("revoked_at", DateTime(timezone=True)),
    Column("last_used_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("token_id"),
    UniqueConstraint("secret_hash"),
    _size("secret_hash", 32),
    CheckConstraint("name <> '' AND length(name) <= 80", name="name"),
    CheckConstraint(
        "cardinality(scopes) > 0 AND scopes"
        " <@ ARRAY['games:read', 'games:write', 'audit', 'export', 'metrics', 'admin']",
        name="scopes",
    ),
    CheckConstraint(
        "seat IS NULL OR (seat BETWEEN 0 AND 7 AND game_id IS NOT NULL"
        " AND NOT scopes && ARRAY['admin'])",
        name="seat",
    ),
    comment="Who may do what over HTTP; of the secret only its SHA-256.",
)

sessions = Table(
    "sessions",
    metadata,
    _bytes("session_hash"),
    _id("token_id"),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    PrimaryKeyConstraint("session_hash"),
    ForeignKeyConstraint(["token_id"], ["lanterlog.tokens.token_id"]),
    _size("session_hash", 32),
    comment="Browsers that have shown a token: the SHA-256 of what is in the cookie.",
)
