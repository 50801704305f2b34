"""Too many requests: counted by kind and by whoever sends them, told in headers, refused with a time to wait."""

import pickle
import time
from typing import Any

import pytest
from msgspec.structs import replace

from api import counting, limits
from api.config import Config, default_home
from api.scopes import KINDS
from events.errors import BadSetting
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.passes import Bearer
from tests.api.table import Client, post
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

SEATS = {"seats": ["Ann", "Bob"]}


def limited(make_app: MakeApp, **settings: Any) -> Client:
    return make_app(**settings).test_client()


def statuses(client: Client, path: str, times: int, **more: Any) -> list[int]:
    return [client.get(path, **more).status_code for _ in range(times)]


def test_one_too_many_is_refused_and_told_when_to_come_again(make_app: MakeApp):
    client = limited(make_app, limits={"read": "2/day"})
    first = client.get("/v1/games")
    assert first.headers["RateLimit-Limit"] == "2"
    assert first.headers["RateLimit-Remaining"] == "1"
    assert first.headers["RateLimit-Policy"] == "2;w=86400"
    assert 0 < int(first.headers["RateLimit-Reset"]) <= 86401
    assert "Retry-After" not in first.headers
    assert client.get("/v1/games").headers["RateLimit-Remaining"] == "0"
    refused = client.get("/v1/games")
    assert (refused.status_code, refused.json["code"]) == (429, "too_many_requests")
    assert refused.headers["RateLimit-Remaining"] == "0"
    assert 0 < int(refused.headers["Retry-After"]) <= 86401
    assert refused.content_type == "application/problem+json"


def test_kinds_are_counted_apart_and_addresses_of_a_kind_together(make_app: MakeApp):
    client = limited(make_app, limits={"read": "2/day", "write": "1/day"})
    assert [client.get(path).status_code for path in ("/v1/games", "/", "/v1/games")] == [
        200,
        200,
        429,
    ]
    assert post(client, "/v1/games", SEATS).status_code == 201
    assert post(client, "/v1/games", SEATS).status_code == 429


def test_whoever_shows_a_token_is_counted_apart(make_app: MakeApp, database: Database):
    client = limited(make_app, limits={"read": "1/day"})
    two = [Bearer(client, passes.made(database, "games:read")) for _ in range(2)]
    assert [who.get("/v1/games").status_code for who in (*two, client)] == [200] * 3
    assert [who.get("/v1/games").status_code for who in (*two, client)] == [429] * 3


def test_addresses_are_counted_apart_and_a_network_of_ipv6_together(make_app: MakeApp):
    client = limited(make_app, limits={"read": "1/day"})

    def asked(address: str) -> int:
        return int(client.get("/v1/games", environ_base={"REMOTE_ADDR": address}).status_code)

    assert [asked(one) for one in ("203.0.113.1", "203.0.113.2", "203.0.113.1")] == [200, 200, 429]
    assert [asked(one) for one in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")] == [
        200,
        429,
        200,
    ]


def test_nobody_is_another_by_a_header_unless_a_proxy_says_so(make_app: MakeApp):
    def asked(client: Client, address: str) -> int:
        answer = client.get("/v1/games", headers={"X-Forwarded-For": address})
        return int(answer.status_code)

    plain = limited(make_app, limits={"read": "1/day"})
    assert [asked(plain, one) for one in ("203.0.113.1", "203.0.113.2")] == [200, 429]
    behind = limited(make_app, limits={"read": "1/day"}, proxies=1)
    assert [asked(behind, one) for one in ("203.0.113.1", "203.0.113.2")] == [200, 200]
    assert asked(behind, "203.0.113.9, 203.0.113.1") == 429  # the last one is what our proxy saw


def test_guesses_at_tokens_are_counted_before_they_are_refused(
    make_app: MakeApp, database: Database
):
    passes.made(database, "audit")
    client = limited(make_app, limits={"read": "2/day", "session": "1/day"})
    wrong = {"Authorization": "Bearer ll_wrong"}
    assert statuses(client, "/v1/games", 1, headers=wrong) == [401]
    assert statuses(client, "/metrics", 2, headers=wrong) == [401, 429]
    guesses = [post(client, "/session", {"token": "ll_wrong"}).status_code for _ in range(2)]
    assert guesses == [401, 429]


def test_whoever_has_guessed_too_often_does_not_keep_others_signed_in(
    make_app: MakeApp, database: Database
):
    """They may share his address, and what they want is to leave."""
    given = passes.made(database, "audit")
    client = limited(make_app, limits={"session": "2/day"})
    assert post(client, "/session", {"token": given.secret}).status_code == 200
    guesses = [post(client, "/session", {"token": "ll_wrong"}).status_code for _ in range(2)]
    assert guesses == [401, 429]
    assert client.get("/session").json["name"] == "somebody"
    out = client.post("/sign-out", headers={"Origin": "http://localhost"})
    assert out.status_code == 303
    assert client.get("/session").json["name"] is None


def test_health_is_never_too_much(make_app: MakeApp):
    client = limited(make_app, limits=dict.fromkeys(KINDS, "1/day"))
    assert statuses(client, "/healthz", 5) == [200] * 5
    assert "RateLimit-Limit" not in client.get("/healthz").headers


def test_a_limit_can_be_switched_off(make_app: MakeApp):
    client = limited(make_app, limits={"read": "off", "write": "1/day"})
    assert statuses(client, "/v1/games", 5) == [200] * 5
    assert "RateLimit-Limit" not in client.get("/v1/games").headers


def test_this_machine_alone_may_ask_far_more():
    here = Config(home=default_home())
    elsewhere = limits.chosen(replace(here, host="192.0.2.7"))
    assert set(elsewhere) == set(KINDS)
    assert elsewhere == limits.PATIENT
    assert limits.chosen(here)["read"] == "120000/minute"
    assert limits.chosen(replace(here, proxies=1)) == limits.PATIENT
    assert limits.chosen(replace(here, limits={"read": "7/hour"}))["read"] == "7/hour"


def test_limits_are_read_from_the_environment():
    def read(text: str) -> Any:
        return dict(Config.from_environment({"LANTERLOG_LIMITS": text}).limits)

    assert read("") == {}
    config = Config.from_environment({"LANTERLOG_LIMITS": "read=5/day"})
    assert pickle.loads(pickle.dumps(config)) == config  # it goes to other processes
    assert read("read=600/minute, import=off session=5/hour") == {
        "read": "600/minute", "import": "off", "session": "5/hour",
    }  # fmt: skip
    for bad in ("read", "read=", "reads=1/minute", "read=0/minute", "read=1/week", "read=-1/day"):
        with pytest.raises(BadSetting, match="LANTERLOG_LIMITS has"):
            read(bad)


def test_counts_end_and_are_swept_away(monkeypatch: pytest.MonkeyPatch):
    clock = [1000.0]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    counts = counting.Counts()
    assert [counts.incr("a", 10), counts.incr("a", 10), counts.incr("b", 99)] == [1, 2, 1]
    assert (counts.get("a"), counts.get_expiry("a")) == (2, 1010.0)
    clock[0] = 1010.0
    assert (counts.get("a"), counts.get_expiry("a")) == (0, 1010.0)
    assert counts.incr("a", 10) == 1
    clock[0] = 1061.0
    counts.incr("c", 10)
    assert counts.reset() == 2
    counts.incr("c", 10)
    counts.clear("c")
    assert counts.get("c") == 0
    assert counts.check()
