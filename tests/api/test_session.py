"""A page's session: a cookie that no script reads, as good as its token and no longer."""

import re
from datetime import timedelta

import pytest

from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer, Pass
from tests.api.table import Client, post
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]


@pytest.fixture
def scribe(database: Database) -> Pass:
    """Who writes for the table."""
    return passes.made(database, "games:write", name="scribe")


def test_a_page_gets_a_cookie_that_no_script_reads(client: Client, scribe: Pass):
    answer = post(client, "/session", {"token": scribe.secret})
    assert answer.status_code == 200
    assert answer.json["name"] == "scribe"
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert scribe.secret[3:] not in cookie + answer.text
    assert client.get("/session").json["name"] == "scribe"


def test_the_end_of_a_session_is_told_as_every_time_is(client: Client, database: Database):
    given = passes.made(database, "games:read", lasts=timedelta(hours=1))
    told = post(client, "/session", {"token": given.secret}).json["expires_at"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", told)


def opened_session(client: Client, given: Pass) -> None:
    assert post(client, "/session", {"token": given.secret}).status_code == 200


SAME = {"Origin": "http://localhost"}


def test_a_session_is_as_good_as_its_token_and_ends_with_it(
    client: Client, database: Database, scribe: Pass
):
    opened_session(client, scribe)
    asked = {"seats": ["Ann", "Bob"]}
    assert post(client, "/v1/games", asked, SAME).status_code == 201
    passes.revoked(database, scribe)
    assert post(client, "/v1/games", asked, SAME).json["code"] == "token_needed"
    assert client.get("/v1/games").status_code == 200  # a session that is over reads on as nobody


def test_logging_out_ends_the_session_for_whoever_kept_the_cookie(client: Client, scribe: Pass):
    opened_session(client, scribe)
    kept = client.get_cookie("lanterlog_session").value
    answer = client.delete("/session", headers=SAME)
    assert answer.status_code == 204
    assert "Max-Age=0" in answer.headers["Set-Cookie"]
    assert client.get_cookie("lanterlog_session") is None
    client.set_cookie("lanterlog_session", kept)
    assert client.get("/session").json["name"] is None


def test_a_new_session_ends_the_one_before(client: Client, database: Database, scribe: Pass):
    opened_session(client, scribe)
    kept = client.get_cookie("lanterlog_session").value
    opened_session(client, passes.made(database, "audit", name="other"))
    client.set_cookie("lanterlog_session", kept)
    assert client.get("/session").json["name"] is None


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "other_origin"),
        ({"Origin": "http://localhost.example.org"}, "other_origin"),
        ({"Origin": "https://localhost"}, "other_origin"),
        ({"Origin": "http://localhost:81"}, "other_origin"),
        ({"Origin": "null"}, "other_origin"),
        ({"Sec-Fetch-Site": "none"}, "other_origin"),
        ({"Sec-Fetch-Site": "same-site"}, "other_origin"),
        ({"Sec-Fetch-Site": "same-origin"}, None),
        (SAME, None),
    ],
    ids=str,
)
def test_with_a_cookie_only_our_own_pages_write(
    client: Client, scribe: Pass, headers: dict[str, str], code: str | None
):
    opened_session(client, scribe)
    answer = post(client, "/v1/games", {"seats": ["Ann", "Bob"]}, headers)
    assert answer.json.get("code") == code


@pytest.mark.parametrize(
    "host", ["xn--wgv71a119e.example", "xn--wgv71a119e.example:8500", "[::1]:8500", "LOCALHOST"]
)
def test_our_own_pages_write_whatever_the_service_is_called(
    make_app: MakeApp, scribe: Pass, host: str
):
    """A browser sends a name in other letters as it stands in the address of a request."""
    client = make_app(hosts=("xn--wgv71a119e.example",)).test_client()
    told = {"Host": host, "Origin": f"http://{host.lower()}"}
    asked = {"seats": ["Ann", "Bob"]}
    cookie = post(client, "/session", {"token": scribe.secret}, told).headers["Set-Cookie"]
    written = told | {"Cookie": cookie.partition(";")[0]}
    assert post(client, "/v1/games", asked, written).status_code == 201
    for origin in ("http://日本語.example", "http://xn--wgv71a.example", f"http://{host}.example"):
        other = written | {"Origin": origin.encode().decode("latin-1")}
        assert post(client, "/v1/games", asked, other).json["code"] == "other_origin"


def test_a_cookie_and_a_header_are_the_headers(client: Client, database: Database, scribe: Pass):
    opened_session(client, scribe)
    other = Bearer(client, passes.made(database, "audit", name="other"))
    assert other.get("/session").json["name"] == "other"
    bad = {"Authorization": "Bearer ll_"}
    assert client.get("/session", headers=bad).status_code == 401


@pytest.mark.parametrize(
    ("body", "content_type", "code"),
    [
        (b'{"token": "SECRET"}', "text/plain", "wrong_media_type"),
        (b"token=SECRET", "application/x-www-form-urlencoded", "wrong_media_type"),
        (b'{"token": "SECRET", "token": "SECRET"}', "application/json", "bad_json"),
        (b'{"token": "SECRET", "more": 1}', "application/json", "bad_body"),
        (b'{"token": 1}', "application/json", "bad_body"),
        (b'{"token": "x"}', "application/json", "bad_token"),
        (b'{"token": " SECRET"}', "application/json", "bad_token"),
    ],
    ids=["plain", "form", "twice", "unknown field", "number", "wrong", "with a space"],
)
def test_bad_words_for_a_session_open_none(
    client: Client, scribe: Pass, body: bytes, content_type: str, code: str
):
    sent = body.replace(b"SECRET", scribe.secret.encode())
    answer = client.post("/session", data=sent, content_type=content_type)
    assert answer.json["code"] == code
    assert "Set-Cookie" not in answer.headers
    assert scribe.secret not in answer.text


def test_behind_a_proxy_the_cookie_is_for_tls_alone(make_app: MakeApp, scribe: Pass):
    client: Client = make_app(proxies=1).test_client()
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
    answer = post(client, "/session", {"token": scribe.secret}, told)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-lanterlog_session=")
    assert "Secure" in cookie.split("; ")
    written = told | {"Origin": "https://localhost", "Cookie": cookie.partition(";")[0]}
    assert post(client, "/v1/games", {"seats": ["Ann", "Bob"]}, written).status_code == 201


def test_without_a_proxy_nobody_says_what_it_is_not(client: Client, scribe: Pass):
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
    answer = post(client, "/session", {"token": scribe.secret}, told)
    assert answer.headers["Set-Cookie"].startswith("lanterlog_session=")
