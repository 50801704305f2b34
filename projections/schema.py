"""The tables of the read models, as SQLAlchemy Core sees them, and where they lie.

Everything here can be made again from the log, and belongs to the worker's login; the program may only read.
A new version of a model changes its tables here, without a migration: a rebuild makes them anew in BUILDING
and moves them to READING. Holds no queries.
"""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSON, dialect
from sqlalchemy.schema import CreateIndex, CreateTable, SetTableComment
from sqlalchemy.types import TypeEngine

from events.schema import metadata as store_metadata

READING: Final = "lanterlog_read"
BUILDING: Final = "lanterlog_build"

metadata = MetaData(schema=READING, naming_convention=store_metadata.naming_convention)

_DIALECT: Final = dialect()  # type: ignore[no-untyped-call]
_SHORT: Final = {
    "UUID": "uuid",
    "TEXT": "text",
    "INTEGER": "int4",
    "SMALLINT": "int2",
    "BIGINT": "int8",
    "BOOLEAN": "bool",
    "JSON": "json",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
}


def _must(name: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(name, kind, nullable=False)


def _time(name: str) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=False)


_KIND_OF_A_GAME: Final = ("game", "mode", "status", "visibility")
_KIND_OF_A_FINDING: Final = ("game", "severity", "visibility", "is_open")

catalogue_games = Table(
    "catalogue_games",
    metadata,
    _must("game_id", Uuid()),
    _must("game", Text()),
    _must("mode", Text()),
    _must("visibility", Text()),
    _must("status", Text()),
    _must("ruleset", Text()),
    _must("engine", Text()),
    _must("players", ARRAY(Uuid())),
    _must("deals", Integer()),
    _must("scores", ARRAY(BigInteger())),
    Column("winner", SmallInteger()),
    _time("opened_at"),
    _time("first_at"),
    _time("last_at"),
    _must("version", Integer()),
    _must("scores_played", ARRAY(BigInteger())),
    Column("winner_played", SmallInteger()),
    _must("disputes", Integer()),
    PrimaryKeyConstraint("game_id"),
    # Of kinds (`api.kinds`), whose columns have few values each: the rows of each kind in the order of their ids.
    Index("catalogue_games_kinds_idx", *_KIND_OF_A_GAME, "game_id"),
    Index("catalogue_games_ruleset_idx", "ruleset", *_KIND_OF_A_GAME, "game_id"),
    Index(None, "first_at", "game_id"),
    Index(None, "last_at", "game_id"),
    Index(None, "players", postgresql_using="gin"),
    comment="A row a game: players, rules, where it stands; scores by seat, as ruled and as played.",
)

catalogue_deals = Table(
    "catalogue_deals",
    metadata,
    _must("game_id", Uuid()),
    _must("from_version", Integer()),
    _must("to_version", Integer()),
    _must("deal", Integer()),
    _must("dealer", SmallInteger()),
    Column("ended", Text()),
    Column("out", SmallInteger()),
    Column("scores", ARRAY(BigInteger())),
    Column("scores_played", ARRAY(BigInteger())),
    PrimaryKeyConstraint("game_id", "from_version"),
    comment="A row a deal: its events, how it ended, what it scored, as ruled and as played.",
)

standings_games = Table(
    "standings_games",
    metadata,
    _must("game_id", Uuid()),
    _must("player_id", Uuid()),
    _must("game", Text()),
    _must("visibility", Text()),
    _must("status", Text()),
    _must("deals", Integer()),
    _must("wins", Integer()),
    Column("points", BigInteger()),
    Column("calls_made", Integer()),
    Column("calls_won", Integer()),
    Column("calls_lost", Integer()),
    Column("loos", Integer()),
    Column("chips", BigInteger()),
    _must("wins_played", Integer()),
    Column("points_played", BigInteger()),
    Column("chips_played", BigInteger()),
    PrimaryKeyConstraint("player_id", "game_id"),
    Index(None, "game_id"),
    comment="A row a player and game, of which standings are the sums.",
)

findings = Table(
    "findings",
    metadata,
    _must("game_id", Uuid()),
    _must("number", Integer()),
    _must("game", Text()),
    _must("visibility", Text()),
    _must("version", Integer()),
    Column("deal", Integer()),
    Column("seat", SmallInteger()),
    _must("severity", Text()),
    _must("code", Text()),
    _must("rule", Text()),
    _must("event", Text()),
    _must("params", JSON()),
    _must("is_open", Boolean()),
    PrimaryKeyConstraint("game_id", "number"),
    Index("findings_kinds_idx", *_KIND_OF_A_FINDING, "game_id", "number"),
    Index("findings_code_idx", "code", "rule", *_KIND_OF_A_FINDING, "game_id", "number"),
    Index("findings_rule_idx", "rule", *_KIND_OF_A_FINDING, "game_id", "number"),
    Index("findings_breaches_idx", "game_id", postgresql_where=text("severity = 'breach'::text")),
    comment="A row a finding of the audit that every sealed game goes through.",
)

checkpoints = Table(
    "checkpoints",
    metadata,
    _must("name", Text()),
    _must("version", Integer()),
    _must("position", BigInteger()),
    _time("updated_at"),
    Column("failed_at", DateTime(timezone=True)),
    Column("failed_position", BigInteger()),
    Column("failed_game_id", Uuid()),
    Column("failed_version", Integer()),
    Column("failure", Text()),
    PrimaryKeyConstraint("name"),
    CheckConstraint("position >= 0", name="position"),
    comment="How far each read model has come in the ledger, and where it has stopped on an error.",
)


def table(name: str) -> Table:
    """Return a table of a read model by its name."""
    return metadata.tables[f"{READING}.{name}"]


def types(name: str) -> list[str]:
    """Return PostgreSQL's short names for the types of a table's columns, in order."""
    return [_short(column.type) for column in table(name).columns]


def creation(name: str, schema: str) -> Iterator[str]:
    """Yield the statements that make a table in a schema, without its indexes but with its keys."""
    made = _placed(name, schema)
    yield str(CreateTable(made).compile(dialect=_DIALECT))
    comment = SetTableComment(made).compile(
        dialect=_DIALECT, compile_kwargs={"literal_binds": True}
    )
    yield str(comment)


def indexes(name: str, schema: str) -> Iterator[str]:
    """Yield the statements that make a table's indexes."""
    found = _placed(name, schema).indexes
    for index in sorted(found, key=lambda one: str(one.name)):
        yield str(CreateIndex(index).compile(dialect=_DIALECT))


def _placed(name: str, schema: str) -> Table:
    return table(name).to_metadata(
        MetaData(naming_convention=metadata.naming_convention), schema=schema
    )


def _short(kind: TypeEngine[Any]) -> str:
    if isinstance(kind, ARRAY):
        return f"{_short(kind.item_type)}[]"
    return _SHORT[kind.compile(dialect=_DIALECT)]
