"""Secrets stay secrets: refused in addresses, hashed before they are asked about, masked in the log."""

import hmac
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import structlog

from api import logs, tokens
from api.scopes import needs
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer, Pass
from tests.api.table import Client, post
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/games?access_token={}", "/v1/games?token={}", "/v1/games/{}", "/healthz?{}", "/{}",
        "/v1/games?cursor=x{}", "/v1/problems?a=%6c%6c_{rest}", "/v1/g%25/{}",
    ],
)  # fmt: skip
def test_a_token_in_an_address_is_refused_wherever_it_stands(
    client: Client, database: Database, path: str
):
    secret = passes.made(database, "admin").secret
    asked = path.replace("{rest}", secret[3:]).replace("{}", secret)
    answer = client.get(asked)
    assert (answer.status_code, answer.json["code"]) == (400, "token_in_url")
    assert secret[3:] not in answer.text


def test_only_a_hash_of_a_secret_leaves_the_program(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch
):
    """And what comes back is compared in constant time; wrong, revoked or right, the same is asked."""
    from psycopg import Cursor

    sent: list[tuple[str, str]] = []
    compared: list[tuple[bytes, bytes]] = []
    execute, compare = Cursor.execute, hmac.compare_digest

    def spy(self, query, params=None, **more):
        sent.append((str(query), repr(params)))
        return execute(self, query, params, **more)

    def comparing(a, b):
        compared.append((a, b))
        return compare(a, b)

    good = passes.made(database, "games:read")
    gone = passes.revoked(database, passes.made(database, "games:read"))
    wrong = Pass(good.issued, tokens.new_secret())
    client.get("/v1/games")  # the first one connects
    monkeypatch.setattr(Cursor, "execute", spy)
    monkeypatch.setattr(hmac, "compare_digest", comparing)
    asked = []
    for given in (good, gone, wrong):
        sent.clear()
        Bearer(client, given).get("/session")
        assert given.secret[3:] not in repr(sent)
        asked.append([query for query, _ in sent])
    assert asked[0] == asked[1] == asked[2]
    assert compared == [(tokens.digest(good.secret),) * 2]


@contextmanager
def logged(capfd: pytest.CaptureFixture[str]) -> Iterator[list[str]]:
    """Log as the service does; filled with the lines at the end."""
    lines: list[str] = []
    capfd.readouterr()
    logs.configure()
    try:
        yield lines
    finally:
        structlog.reset_defaults()
        out, err = capfd.readouterr()
        lines += (out + err).splitlines()


def test_no_secret_gets_into_the_log(
    make_app: MakeApp, database: Database, capfd: pytest.CaptureFixture[str]
):
    app = make_app()
    given = passes.made(database, "admin")

    @needs("anyone")
    def break_down() -> str:
        raise RuntimeError(f"with {given.secret} in it")

    app.add_url_rule("/broken", "broken", break_down)
    client: Client = app.test_client()
    who = Bearer(client, given)
    with logged(capfd) as lines:
        who.get("/v1/games")
        client.get(f"/v1/games/{given.secret}")
        client.get(f"/v1/games?token={given.secret}")
        client.get("/v1/games", headers={"Authorization": f"Basic {given.secret}"})
        client.get("/v1/games", headers={"Authorization": f"Bearer {given.secret}x"})
        client.get("/v1/games", headers={"Idempotency-Key": given.secret})
        client.get("/v1/games", headers={"Host": f"{given.secret}.example.org"})
        post(client, "/session", {"token": given.secret})
        cookie = client.get_cookie("lanterlog_session").value
        client.get(f"/{cookie}")
        post(client, "/session", {"token": given.secret, "wrong": given.secret})
        post(who, "/v1/games", {"seats": [given.secret]})
        assert client.get("/broken").status_code == 500
    assert len(lines) >= 12
    assert "with ll_... in it" in "".join(lines)
    for line in lines:
        assert given.secret[3:] not in line
        assert cookie[4:] not in line
        assert tokens.digest(given.secret).hex() not in line
