"""Streams do not end, so the tool that asks every other address leaves them out: here they are asked anything, too.

Of each answer the head and the first message are read, then its reader goes away. 200 cases, at night 4,000.
"""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from flask import Flask
from hypothesis import event, given
from hypothesis import strategies as st

from api.problems import CODES
from api.wire import LAST_VERSION
from tests.api.apps import application
from tests.api.table import Client, Table
from tests.api.test_streams import Follower
from tests.postgres import Cluster
from tests.profiles import examples

pytestmark = [pytest.mark.store, pytest.mark.http]

PATH = "/v1/games/{game_id}/stream"


class Followed:
    """An application, a game that is there, and what the document says of its stream."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client: Client = app.test_client()
        table = Table.opened(self.client)
        self.game, self.version = table.game_id, table.version
        document = self.client.get("/openapi.json").get_json()
        self.statuses = {int(one) for one in document["paths"][PATH]["get"]["responses"]}

    @property
    def followers(self) -> int:
        return int(self.app.extensions["lanterlog.poller"].followers)


@pytest.fixture(scope="module")
def followed(cluster: Cluster) -> Iterator[Followed]:
    with cluster.fresh() as database, application(database.config) as app:
        yield Followed(app)


# What a header can hold on the wire: any byte but those that end a line.
HEADER = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=40)
NUMBERS = st.integers(-3, 9) | st.integers() | st.sampled_from([LAST_VERSION, LAST_VERSION + 1])
VALUES = st.one_of(
    NUMBERS.map(str),
    st.sampled_from(["", "public", "all", "0", "7", "8", "null", "+1", "1e0", " 2", "٣", "1.0"]),
    st.text(max_size=20),
)
NAMES = st.sampled_from(["after", "viewer"]) | st.text(max_size=8)
QUERY = st.lists(st.tuples(NAMES, VALUES), max_size=3)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "Last-Event-ID": NUMBERS.map(str) | HEADER,
        "Accept": st.sampled_from(["text/event-stream", "*/*", "text/html", ""]) | HEADER,
        "Accept-Encoding": st.sampled_from(["gzip", "identity;q=0", "*"]) | HEADER,
        "Accept-Language": HEADER,
        "Authorization": st.sampled_from(["Bearer ll_none", "Basic YTpi"]) | HEADER,
        "Cookie": HEADER.map("lanterlog_session={}".format),
        "If-None-Match": st.just("*") | HEADER,
        "Range": st.just("bytes=0-0") | HEADER,
        "Origin": HEADER,
    },
)
GAMES = st.sampled_from(["there"] * 8 + ["00000000-0000-7000-8000-000000000000"]) | st.text(
    min_size=1, max_size=12
)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "OPTIONS", "BREW"])
PLAUSIBLE = st.fixed_dictionaries(
    {},
    optional={
        "Last-Event-ID": st.integers(0, 9).map(str) | NUMBERS.map(str) | HEADER,
        "Accept-Encoding": st.sampled_from(["gzip", "identity;q=0", "*"]),
        "Range": st.just("bytes=0-0"),
        "If-None-Match": st.just("*"),
    },
)
VIEWS = st.lists(
    st.tuples(st.just("after"), st.integers(0, 9).map(str) | VALUES)
    | st.tuples(st.just("viewer"), st.sampled_from(["public", "all", "0", "1"])),
    max_size=2,
    unique_by=lambda one: one[0],
)


@examples(100)
@given(query=VIEWS, headers=PLAUSIBLE)
def test_a_stream_begins_after_whatever_version_it_is_asked_for(
    followed: Followed, query: list[tuple[str, str]], headers: dict[str, str]
):
    check(followed, "there", "GET", query, headers)


@examples(100)
@given(game=GAMES, method=METHODS, query=QUERY, headers=HEADERS)
def test_whatever_else_a_stream_is_asked_it_says_why_not(
    followed: Followed,
    game: str,
    method: str,
    query: list[tuple[str, str]],
    headers: dict[str, str],
):
    check(followed, game, method, query, headers)


def check(
    followed: Followed,
    game: str,
    method: str,
    query: list[tuple[str, str]],
    headers: dict[str, str],
) -> None:
    """Ask, read the beginning, leave; nobody follows any more then."""
    there = game == "there"
    path = PATH.format(game_id=followed.game if there else quote(game, safe=""))
    answer = followed.client.open(
        f"{path}?{urlencode(query, errors='surrogatepass')}", method=method, headers=headers
    )
    event(f"{answer.status_code}")
    try:
        if method == "GET" and answer.status_code == 200:
            assert there
            check_beginning(followed, answer, dict(query), headers)
        else:
            check_refusal(followed, answer, method, there=there)
    finally:
        answer.close()
    assert followed.followers == 0


def check_beginning(
    followed: Followed, answer: Any, query: dict[str, str], headers: dict[str, str]
) -> None:
    """It goes on after the version that was asked for, and says at once that it is there."""
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert answer.headers["Cache-Control"] == "no-store, no-transform"
    assert "Content-Encoding" not in answer.headers
    follower = Follower.__new__(Follower)
    follower._chunks, follower._rest = iter(answer.response), b""
    assert next(follower._chunks) == b"retry: 2000\n\n"
    last = headers.get("Last-Event-ID")
    after = int(float(query.get("after", "0"))) if last is None else int(last)  # 2.0 is taken for 2
    assert after <= followed.version
    if after < followed.version:
        message = follower.message()
        assert (message["id"], message["event"]) == (str(after + 1), "version")
        assert json.loads(message["data"])["version"] == after + 1


def check_refusal(followed: Followed, answer: Any, method: str, *, there: bool) -> None:
    """Anything else is an answer that the document names, with a code; never a fault of the service's own."""
    status = answer.status_code
    assert status < 500
    if method in ("HEAD", "OPTIONS") and status == 200:
        assert answer.data == b""
        return
    if method in ("GET", "HEAD") and there:
        assert status in followed.statuses
    if method == "HEAD":
        return
    problem = answer.get_json()
    assert re.match(r"application/problem\+json", answer.headers["Content-Type"])
    assert CODES[problem["code"].partition("/")[0]][0] == status
