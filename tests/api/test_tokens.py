"""Tokens in the database: what is kept of them, who may ask, what may change, and when they end."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from api import issuing, tokens
from events.errors import BadSetting, BadUsage
from tests.api import passes
from tests.postgres import Database, both_servers, connected

pytestmark = [pytest.mark.store, both_servers]

OWNER = "lanterlog_owner"


def used(engine: Engine, secret: str) -> tokens.Token | None:
    with engine.begin() as conn:
        return tokens.use(conn, secret)


def test_a_secret_leads_to_its_token_and_no_other(database: Database, engine: Engine):
    game = uuid4()
    first = passes.made(database, "games:read", "audit", name="Ann", game=game, seat=1)
    second = passes.made(database, "admin", name="Bob")
    found = used(engine, first.secret)
    assert found == tokens.Token(
        token_id=first.token_id, name="Ann", scopes=frozenset({"games:read", "audit"}),
        game_id=game, seat=1,
    )  # fmt: skip
    other = used(engine, second.secret)
    assert other is not None
    assert other.token_id == second.token_id


def test_of_a_secret_only_its_hash_is_kept(database: Database):
    given = passes.made(database, "audit")
    assert tokens.SECRET.fullmatch(given.secret)
    with connected(database.superuser_url) as conn:
        row = str(conn.exec_driver_sql("SELECT t::text FROM lanterlog.tokens t").scalar_one())
    assert tokens.digest(given.secret).hex() in row
    assert given.secret[3:] not in row


SPOILED: dict[str, Callable[[str], str]] = {
    "another": lambda secret: tokens.new_secret(),
    "upper case": str.upper,
    "lower case": str.lower,
    "one letter more": lambda secret: secret + "A",
    "one letter less": lambda secret: secret[:-1],
    "another last letter": lambda secret: secret[:-1] + ("A" if secret[-1] != "A" else "B"),
    "without its prefix": lambda secret: secret[3:],
    "nothing": lambda secret: "",
    "a line end after it": lambda secret: secret + "\n",
    "a zero in it": lambda secret: secret[:-1] + "\0",
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=list(SPOILED))
def test_a_spoiled_secret_is_nobodys(
    database: Database, engine: Engine, spoil: Callable[[str], str]
):
    given = passes.made(database, "admin")
    spoiled = spoil(given.secret)
    assert spoiled != given.secret
    assert used(engine, spoiled) is None


def test_a_revoked_token_is_nobodys_at_once_with_its_sessions(database: Database, engine: Engine):
    given = passes.made(database, "admin")
    with engine.begin() as conn:
        opened = tokens.open_session(conn, given.secret, 3600)
        assert opened is not None
        assert tokens.use_session(conn, opened[1]) == opened[0] == tokens.use(conn, given.secret)
    passes.revoked(database, given)
    with engine.begin() as conn:
        assert tokens.use(conn, given.secret) is None
        assert tokens.use_session(conn, opened[1]) is None
        assert tokens.open_session(conn, given.secret, 3600) is None
        assert tokens.are_there(conn)
    with issuing.owner(database.config) as conn:
        assert not issuing.revoke(conn, given.token_id)


def test_an_expired_token_is_nobodys(database: Database, engine: Engine):
    given = passes.made(database, "admin", lasts=timedelta(0))
    later = passes.made(database, "admin", lasts=timedelta(minutes=5))
    assert used(engine, given.secret) is None
    assert used(engine, later.secret) is not None


def test_a_session_ends_by_itself_and_when_it_is_closed(database: Database, engine: Engine):
    given = passes.made(database, "admin")
    with engine.begin() as conn:
        short, long = (tokens.open_session(conn, given.secret, n) for n in (0, 3600))
        assert short is not None
        assert long is not None
        assert tokens.use_session(conn, short[1]) is None
        assert tokens.use_session(conn, long[1]) is not None
        tokens.close_session(conn, long[1])
        assert tokens.use_session(conn, long[1]) is None
        assert tokens.use(conn, given.secret) is not None


def test_a_sessions_secret_is_no_token_and_a_token_no_session(database: Database, engine: Engine):
    given = passes.made(database, "admin")
    with engine.begin() as conn:
        opened = tokens.open_session(conn, given.secret, 3600)
        assert opened is not None
        assert tokens.use(conn, opened[1]) is None
        assert tokens.use_session(conn, given.secret) is None


def test_the_last_use_is_noted_once_a_minute(database: Database, engine: Engine):
    given = passes.made(database, "audit")

    def last_use() -> Any:
        with issuing.owner(database.config) as conn:
            return issuing.listed(conn)[0].last_used_at

    assert last_use() is None
    used(engine, given.secret)
    first = last_use()
    assert first is not None
    used(engine, given.secret)
    assert last_use() == first
    with connected(database.superuser_url) as conn:
        # As if it had been used long ago: nobody but a superuser could.
        conn.exec_driver_sql("ALTER TABLE lanterlog.tokens DISABLE TRIGGER check_token")
        conn.exec_driver_sql(
            "UPDATE lanterlog.tokens SET last_used_at = last_used_at - interval '61 seconds'"
        )
        conn.commit()
    used(engine, given.secret)
    assert last_use() > first


FORBIDDEN = {
    "list them": "SELECT * FROM lanterlog.tokens",
    "list hashes": "SELECT secret_hash FROM lanterlog.tokens",
    "list sessions": "SELECT * FROM lanterlog.sessions",
    "make one": "INSERT INTO lanterlog.tokens (token_id, name, secret_hash, scopes)"
    " VALUES (gen_random_uuid(), 'x', sha256('x'), ARRAY['admin'])",
    "widen one": "UPDATE lanterlog.tokens SET scopes = ARRAY['admin']",
    "revive one": "UPDATE lanterlog.tokens SET revoked_at = NULL",
    "revoke one": "UPDATE lanterlog.tokens SET revoked_at = clock_timestamp()",
    "delete one": "DELETE FROM lanterlog.tokens",
    "delete a session": "DELETE FROM lanterlog.sessions",
    "make a session": "INSERT INTO lanterlog.sessions SELECT sha256('x'), gen_random_uuid(), now()",
    "truncate them": "TRUNCATE lanterlog.tokens CASCADE",
}


@pytest.mark.parametrize("login", ["app", "worker", "stranger"])
def test_nobody_who_serves_reads_or_writes_tokens(database: Database, login: str):
    passes.made(database, "audit")
    assert allowed(getattr(database, f"{login}_url"), FORBIDDEN) == []


@pytest.mark.parametrize("login", ["worker", "stranger"])
def test_only_the_program_asks_about_secrets(database: Database, login: str):
    calls = (
        "has_tokens()", "use_token('')", "use_session('')", "open_session('', '', 1)", "close_session('')"
    )  # fmt: skip
    asked = {call: f"SELECT lanterlog.{call}" for call in calls}
    assert allowed(getattr(database, f"{login}_url"), asked) == []


def allowed(url: str, statements: dict[str, str]) -> list[str]:
    """Return the statements that a login may run."""
    found = []
    with connected(url) as conn:
        for what, statement in statements.items():
            try:
                conn.exec_driver_sql(statement)
            except DBAPIError as error:
                if "permission denied" not in str(error):
                    found.append(f"{what}: {error}")
            else:
                found.append(what)
            conn.rollback()
    return found


REFUSED = {
    "another name": "UPDATE lanterlog.tokens SET name = 'x'",
    "wider": "UPDATE lanterlog.tokens SET scopes = scopes || ARRAY['admin']",
    "another game": "UPDATE lanterlog.tokens SET game_id = gen_random_uuid()",
    "another seat": "UPDATE lanterlog.tokens SET seat = 2",
    "another secret": "UPDATE lanterlog.tokens SET secret_hash = sha256('x')",
    "longer": "UPDATE lanterlog.tokens SET expires_at = NULL",
    "revived": "UPDATE lanterlog.tokens SET revoked_at = NULL",
    "revoked later": "UPDATE lanterlog.tokens SET revoked_at = revoked_at + interval '1 day'",
    "used earlier": "UPDATE lanterlog.tokens SET last_used_at = last_used_at - interval '1 day'",
    "never used": "UPDATE lanterlog.tokens SET last_used_at = NULL",
    "gone": "DELETE FROM lanterlog.tokens",
    "all gone": "TRUNCATE lanterlog.tokens CASCADE",
    "born revoked": "INSERT INTO lanterlog.tokens (token_id, name, secret_hash, scopes, revoked_at)"
    " VALUES (gen_random_uuid(), 'x', sha256('x'), ARRAY['audit'], now())",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=list(REFUSED))
def test_not_even_the_owner_changes_a_token(database: Database, engine: Engine, statement: str):
    given = passes.made(database, "audit", game=uuid4(), seat=1, lasts=timedelta(days=1))
    used(engine, given.secret)
    passes.revoked(database, given)
    with connected(database.owner_url, OWNER) as conn, pytest.raises(DBAPIError) as refused:
        conn.exec_driver_sql(statement)
    assert getattr(refused.value.orig, "sqlstate", None) == "LL006"


@pytest.mark.parametrize(
    ("scopes", "game", "seat", "reason"),
    [
        ((), None, None, "scopes none"),
        (("root",), None, None, "scopes root"),
        (("audit",), None, 1, "of no game"),
        (("admin",), uuid4(), 1, "an arbiter sees all"),
    ],
    ids=["no scope", "unknown scope", "a seat of no game", "an arbiter in a seat"],
)
def test_what_no_token_can_be_is_refused(
    database: Database, scopes: Any, game: Any, seat: int | None, reason: str
):
    with issuing.owner(database.config) as conn, pytest.raises(BadUsage, match=reason):
        issuing.create(conn, "x", scopes, game_id=game, seat=seat)
    with (
        connected(database.owner_url, OWNER) as conn,
        pytest.raises(DBAPIError, match="violates check constraint"),
    ):
        conn.exec_driver_sql(
            "INSERT INTO lanterlog.tokens (token_id, name, secret_hash, scopes, game_id, seat)"
            " VALUES (gen_random_uuid(), 'x', sha256('x'), %s, %s, %s)",
            (list(scopes), game, seat),
        )


def test_without_a_login_for_it_no_token_is_made(database: Database):
    from msgspec.structs import replace

    config = replace(database.config, migration_database_url=None)
    with pytest.raises(BadSetting, match="MIGRATION_DATABASE_URL"), issuing.owner(config):
        pass


def test_going_down_would_open_the_store_and_is_refused(database: Database):
    from api import db
    from events.errors import StoreError

    db.downgrade(database.config, "0002")
    db.migrate(database.config)
    passes.made(database, "audit")
    with pytest.raises(StoreError, match="without them everybody could write"):
        db.downgrade(database.config, "0002")
