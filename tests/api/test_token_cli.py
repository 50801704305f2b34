"""`lanterlog token`: a secret is printed once, alone, and what is listed tells it to nobody."""

import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api import tokens
from api.cli import main
from api.commands.serving import check_tokens
from events.errors import BadSetting
from tests.api.table import Client, Table
from tests.postgres import Database

pytestmark = pytest.mark.store

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    database: Database, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command on the test's database."""
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", database.superuser_url)

    def run(*words: str) -> tuple[int, str, str]:
        try:
            code = main(words)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        return (code, *capfd.readouterr())

    return run


def test_the_secret_stands_alone_and_works(run: Run, engine: Engine):
    code, out, err = run("token", "create", "scribe", "--scope", "games:write", "--expires", "30d")
    secret = out.strip()
    assert code == 0
    assert tokens.SECRET.fullmatch(secret)
    assert secret not in err
    with engine.begin() as conn:
        found = tokens.use(conn, secret)
    assert found is not None
    assert (found.name, *found.scopes) == ("scribe", "games:write")
    assert str(found.token_id) in err
    assert found.expires_at is not None


def test_a_seat_of_a_game_that_is_there(run: Run, client: Client, engine: Engine):
    table = Table.opened(client)
    words = ("token", "create", "Ann", "--scope", "games:read", "--game")
    code, out, _ = run(*words, table.game_id[:18], "--seat", "1", "--json")
    assert code == 0
    shown = json.loads(out.splitlines()[-1])
    assert (shown["game_id"], shown["seat"]) == (table.game_id, 1)
    with engine.begin() as conn:
        assert tokens.use(conn, shown["secret"]) is not None
    code, _, err = run(*words, "last", "--seat", "2")
    assert (code, "expected 0 to 1" in err) == (2, True)
    assert run(*words, "0000")[0] == 2


def test_the_list_shows_the_last_use_and_no_secret(run: Run, engine: Engine):
    secret = run("token", "create", "scribe", "--scope", "audit")[1].strip()
    row = run("token", "list")[1].rstrip("\n").split("\t")
    assert (row[1], row[2], row[4], row[5]) == ("scribe", "audit", "never", "good")
    with engine.begin() as conn:
        tokens.use(conn, secret)
    _, out, err = run("token", "list")
    assert out.split("\t")[4] != "never"
    listed = out + err + run("token", "list", "--json")[1]
    assert secret[3:20] not in listed
    assert tokens.digest(secret).hex()[:16] not in listed


def test_revoking_ends_it_and_says_if_it_had_ended(run: Run, engine: Engine):
    secret = run("token", "create", "scribe", "--scope", "audit")[1].strip()
    token_id = run("token", "list")[1].split("\t")[0]
    assert run("token", "revoke", token_id[:18])[0] == 0
    with engine.begin() as conn:
        assert tokens.use(conn, secret) is None
    code, out, _ = run("token", "revoke", token_id)
    assert (code, "was already revoked" in out) == (1, True)
    assert run("token", "list")[1].rstrip().split("\t")[5].startswith("revoked ")


@pytest.mark.parametrize(
    "words",
    [
        ("create", "x"),
        ("create", "x", "--scope", "root"),
        ("create", "", "--scope", "audit"),
        ("create", "a\nb", "--scope", "audit"),
        ("create", "x", "--scope", "audit", "--seat", "1"),
        ("create", "x", "--scope", "audit", "--expires", "soon"),
        ("create", "x", "--scope", "audit", "--expires", "0d"),
        ("create", "x", "--scope", "audit", "--game", "last"),
        ("revoke", "12"),
        ("revoke", "123456"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_is_bad_usage(run: Run, words: tuple[str, ...]):
    assert run("token", *words)[0] == 2
    assert run("token", "list")[1] == ""


def test_a_secret_given_for_an_id_is_not_shown_again(run: Run):
    secret = run("token", "create", "scribe", "--scope", "audit")[1].strip()
    code, out, err = run("token", "revoke", secret)
    assert code == 2
    assert secret[3:] not in out + err


def test_a_store_with_a_token_may_be_asked_from_elsewhere(
    run: Run, database: Database, engine: Engine
):
    elsewhere = replace(database.config, host="192.0.2.7")
    with pytest.raises(
        BadSetting, match="without tokens the service listens on this machine alone"
    ):
        check_tokens(engine, elsewhere)
    run("token", "create", "scribe", "--scope", "audit")
    check_tokens(engine, elsewhere)


def test_an_open_table_is_not_served_where_there_are_tokens(run: Run):
    run("token", "create", "scribe", "--scope", "audit")
    code, _, err = run("serve", "--open-table", "--port", "0")
    assert (code, "an open table where there are tokens" in err) == (2, True)
