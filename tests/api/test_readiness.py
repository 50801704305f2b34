"""Whether the service is ready: each thing that it needs is taken away, and the answer names it."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import text

from api import db
from api.readiness import NEEDED, TRIGGERS, Readiness, readiness
from api.remembered import Remembered
from tests.api.conftest import MakeApp
from tests.postgres import Database, both_servers, connected

pytestmark = [pytest.mark.store, pytest.mark.http]

_ALWAYS = """
SELECT c.relname, t.tgname, p.proname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
JOIN pg_proc p ON p.oid = t.tgfoid
WHERE c.relnamespace = 'lanterlog'::regnamespace AND NOT t.tgisinternal"""
EACH = [(table, name) for table, triggers in TRIGGERS.items() for name in triggers]


def change(database: Database, *statements: str) -> None:
    """As the superuser, who can do anything."""
    with connected(database.superuser_url) as conn:
        for one in statements:
            conn.execute(text(one))
        conn.commit()


def found(database: Database, url: str | None = None) -> Readiness:
    engine = db.engine(replace(database.config, database_url=url or database.app_url))
    try:
        return readiness(engine)
    finally:
        engine.dispose()


@both_servers
def test_a_fresh_store_is_ready(make_app: MakeApp):
    answer: Any = make_app().test_client().get("/readyz")
    assert answer.status_code == 200
    checks = dict.fromkeys(("database", "migrations", "triggers", "grants"), "ok")
    assert answer.json == {"status": "ok", "checks": checks}


def test_every_trigger_of_the_schema_is_looked_for(database: Database):
    listed = {(table, *one) for table, triggers in TRIGGERS.items() for one in triggers.items()}
    with connected(database.superuser_url) as conn:
        assert {tuple(row) for row in conn.execute(text(_ALWAYS))} == listed


TAME = (
    "CREATE FUNCTION lanterlog.tame() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
)
WAYS = {
    "disabled": ("ALTER TABLE lanterlog.{0} DISABLE TRIGGER {1}",),
    "resting": ("ALTER TABLE lanterlog.{0} ENABLE TRIGGER {1}",),
    "replica": ("ALTER TABLE lanterlog.{0} ENABLE REPLICA TRIGGER {1}",),
    "gone": ("DROP TRIGGER {1} ON lanterlog.{0}",),
    "another of its name": (
        "DROP TRIGGER {1} ON lanterlog.{0}",
        "CREATE TRIGGER {1} BEFORE INSERT ON lanterlog.{0} FOR EACH ROW EXECUTE FUNCTION lanterlog.tame()",
        "ALTER TABLE lanterlog.{0} ENABLE ALWAYS TRIGGER {1}",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_trigger_that_does_not_always_fire_is_named(database: Database, way: str):
    change(database, TAME, *(one.format(*which) for which in EACH for one in WAYS[way]))
    said = [f"{name} on {table} is missing or does not always fire" for table, name in EACH]
    missing = found(database).missing
    assert missing.pop("triggers") == tuple(said)
    assert not any(missing.values())


def test_an_older_schema_is_named(database: Database):
    change(database, "UPDATE lanterlog.alembic_version SET version_num = '0001'")
    (said,) = found(database).missing["migrations"]
    assert said == (f"database at schema version 0001, expected {db.head()}: run lanterlog migrate")


def test_an_empty_database_is_not_ready(cluster: Any):
    with cluster.empty() as config:
        engine = db.engine(config)
        missing = readiness(engine).missing
        engine.dispose()
    assert missing["migrations"][0].startswith("database at schema version none")
    assert len(missing["triggers"]) == len(EACH)


GRANTS: dict[str, tuple[Callable[[Database], str], str, str]] = {
    "superuser": (lambda one: one.superuser_url, "", "the login is a superuser"),
    "owner": (lambda one: one.owner_url, "", "the login owns the tables"),
    "update": (
        lambda one: one.app_url,
        "GRANT UPDATE ON lanterlog.events TO {app}",
        "the login can write the tables",
    ),
    "read": (
        lambda one: one.app_url,
        "REVOKE SELECT ON lanterlog.events FROM {app}",
        "the login cannot read events",
    ),
    "call": (
        lambda one: one.app_url,
        "REVOKE EXECUTE ON FUNCTION lanterlog.append_events FROM {app}",
        "the login cannot call append_events",
    ),
}


@pytest.mark.parametrize("what", GRANTS)
def test_rights_too_many_or_too_few_are_named(database: Database, what: str):
    login, statement, said = GRANTS[what]
    if statement:
        change(database, statement.format(app=database.config.roles.app))
    assert said in found(database, login(database)).missing["grants"]


def test_the_functions_that_are_needed_are_there(database: Database):
    with connected(database.superuser_url) as conn:
        names = conn.execute(
            text("SELECT proname FROM pg_proc WHERE pronamespace = 'lanterlog'::regnamespace")
        )
        assert set(NEEDED) <= set(names.scalars())


def test_a_service_that_is_not_ready_says_why_and_no_secret(database: Database, make_app: MakeApp):
    change(database, "ALTER TABLE lanterlog.events DISABLE TRIGGER refuse_change")
    answer: Any = make_app().test_client().get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"
    assert answer.content_type == "application/problem+json"
    told = answer.json
    assert told["code"] == "not_ready"
    assert told["detail"] == "refuse_change on events is missing or does not always fire"
    assert told["checks"] == {
        "database": "ok", "migrations": "ok", "grants": "ok", "triggers": [told["detail"]],
    }  # fmt: skip


def test_a_database_that_is_not_there_is_named_without_its_address(make_app: MakeApp):
    app = make_app(database_url="postgresql+psycopg://nobody:opensesame@127.0.0.1:1/none")
    answer: Any = app.test_client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json["checks"] == {"database": ["the database does not answer"]}
    for word in ("nobody", "opensesame", "127.0.0.1", "none"):
        assert word not in answer.text
    assert app.test_client().get("/healthz").status_code == 200


def test_an_answer_is_remembered_for_a_while():
    asked: list[int] = []

    def find() -> int:
        asked.append(1)
        return len(asked)

    lasting, fleeting = Remembered(find, 3600), Remembered(find, -1)
    assert [lasting.get(), lasting.get()] == [1, 1]
    assert [fleeting.get(), fleeting.get()] == [2, 3]


def test_what_is_not_found_is_asked_for_again():
    answers: list[Any] = [OSError("gone"), 5]

    def find() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return int(answer)

    remembered = Remembered(find, 3600)
    with pytest.raises(OSError, match="gone"):
        remembered.get()
    assert remembered.get() == 5
