"""`GET /v1/chances`: the numbers are those of the logs that the asker may see, filtered, bounded, and no verdict."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from sqlalchemy import Engine

from api import catalogue, chances, reckoned
from api.asker import Asker
from api.chances_words import NOTE
from api.commands import reckoning
from api.reckoned import Wanted
from api.viewer import texts_chances
from api.wire import ListQuery
from events import recorder
from projections.chances import Tally
from projections.chances_told import Answer
from tests import simulate
from tests.api import passes
from tests.api.passes import Bearer
from tests.api.table import Client
from tests.api.test_lists import (  # noqa: F401  (fixtures)
    WHO,
    Get,
    archive,
    get,
    kept,
    logs,
    project,
    reader,
)
from tests.api.test_queries import counted
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

Logs = dict[UUID, list[Any]]
ANN, BOB, CYD = (str(UUID(int=number)) for number in (1, 2, 3))


def reckoned_by_hand(
    logs: Logs,  # noqa: F811
    keep: Callable[[UUID, list[Any]], bool] = lambda _, __: True,
    dealer: str | None = None,
) -> Answer:
    tally = Tally(dealer)
    for game_id, log in sorted(logs.items(), key=lambda one: one[0]):
        if keep(game_id, log):
            tally.add(log)
    return tally.answer()


def check_same(told: dict[str, Any], wanted: Answer) -> None:
    numbers = msgspec.json.decode(msgspec.json.encode(wanted.questions))
    assert told["numbers"] == numbers
    for name in ("games", "deals", "scored", "unknown", "in_play", "tests", "level", "power"):
        assert told[name] == getattr(wanted, name), name
    assert told["unusual"] == len(wanted.unusual)


def test_the_whole_archive_is_that_of_the_logs(get: Get, logs: Logs):  # noqa: F811
    told = get("/chances")
    check_same(told, reckoned_by_hand(logs))
    assert told["games"] == len(logs)
    assert told["dealer"] is None
    assert told["correction"] == "holm"
    assert told["in_play"] > 0


FILTERS: dict[str, tuple[str, Callable[[UUID, list[Any]], bool]]] = {
    "a game": ("game=lanterloo", lambda _, log: log[0].game == "lanterloo"),
    "one game": (f"game_id={UUID(int=2)}", lambda one, _: one == UUID(int=2)),
    "a ruleset": ("ruleset=custom", lambda _, log: log[0].ruleset.preset == "custom"),
    "a table": (f"players={ANN},{CYD}", lambda _, log: {ANN, CYD} <= set(log[0].seats)),
    "both": (
        f"players={CYD}&game=rummy500&ruleset=seed",
        lambda _, log: CYD in log[0].seats and log[0].ruleset.preset == "seed",
    ),
    "nobody": (f"players={UUID(int=77)}", lambda _, __: False),
    "another ruleset": ("ruleset=timpalpant", lambda _, __: False),
}


@pytest.mark.parametrize("case", FILTERS)
@pytest.mark.parametrize("dealer", [None, BOB])
def test_filters_narrow_alone_and_together(
    get: Get,  # noqa: F811
    logs: Logs,  # noqa: F811
    case: str,
    dealer: str | None,
):
    query, keep = FILTERS[case]
    told = get(f"/chances?{query}" + (f"&dealer={dealer}" if dealer else ""))
    check_same(told, reckoned_by_hand(logs, keep, dealer))
    assert (told["dealer"] or {}).get("id") == dealer


def test_times_of_play_narrow_as_they_do_the_list(get: Get, archive: Engine):  # noqa: F811
    with archive.connect() as conn:
        rows = catalogue.games(conn, ListQuery(limit=100), Asker()).rows
    times = sorted(row.last_at for row in rows)
    for query in (
        f"since={_at(times[3])}",
        f"until={_at(times[3])}",
        f"since={_at(times[3])}&until={_at(times[-1] + timedelta(days=1))}",
        "until=1999-01-01T00:00:00Z",
    ):
        listed = get(f"/games?limit=100&{query}")["games"]
        assert get(f"/chances?{query}")["games"] == len(listed)


def _at(moment: Any) -> str:
    return str(moment.isoformat()).replace("+00:00", "Z")


def test_where_there_is_nothing_it_is_told_what_it_would_take(get: Get):  # noqa: F811
    told = get("/chances?until=1999-01-01T00:00:00Z&bias=0.5")
    assert (told["games"], told["numbers"]) == (0, [])
    assert {one["game"] for one in told["outlook"]} == {"rummy500", "lanterloo"}
    more = get("/chances?until=1999-01-01T00:00:00Z&bias=0.1")["outlook"]
    assert more[0]["needed"] > told["outlook"][0]["needed"] > 1


def test_the_log_and_the_catalogue_choose_the_same_games(archive: Engine):  # noqa: F811
    asked = [
        Wanted(),
        Wanted(game="rummy500", ruleset="seed"),
        Wanted(players=(UUID(ANN), UUID(CYD)), dealer=UUID(BOB)),
        Wanted(players=(UUID(int=77),)),
        Wanted(game_id=UUID(int=3)),
    ]
    with archive.connect() as conn:
        rows = catalogue.games(conn, ListQuery(limit=100), Asker()).rows
        asked.append(Wanted(since=rows[2].last_at, until=rows[5].first_at))
        for wanted in asked:
            assert reckoned.shown(conn, wanted, Asker()) == reckoned.stored(conn, wanted)


def test_one_query_chooses_and_few_read(archive: Engine, monkeypatch: pytest.MonkeyPatch):  # noqa: F811
    with archive.connect() as conn, counted(monkeypatch) as statements:
        found = reckoned.shown(conn, Wanted(), Asker())
    assert len(statements) == 1
    monkeypatch.setattr(reckoned, "_PORTION", 1)
    with archive.connect() as conn:
        one_by_one = reckoned.tallied(conn, found, Tally()).answer()
        monkeypatch.setattr(reckoned, "_PORTION", 10**6)
        assert reckoned.tallied(conn, found, Tally()).answer() == one_by_one


@pytest.mark.parametrize("name", ["MOST_GAMES", "MOST_EVENTS"])
def test_too_much_is_refused_with_what_to_do(
    reader: Client,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    name: str,
):
    monkeypatch.setattr(reckoned, name, 3)
    answer = reader.get("/v1/chances")
    assert (answer.status_code, answer.json["code"]) == (422, "too_much")
    assert "ask for a dealer" in answer.json["detail"]
    assert reader.get(f"/v1/chances?players={UUID(int=77)}").status_code == 200


def test_no_more_than_a_few_reckon_at_once(reader: Client):  # noqa: F811
    with chances.a_place(), chances.a_place():
        answer = reader.get("/v1/chances")
        assert (answer.status_code, answer.json["code"]) == (503, "too_many_at_once")
        assert answer.headers["Retry-After"]
    assert reader.get("/v1/chances").status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        *(f"bias={bad}" for bad in ("0", "nan", "inf", "-1", "21", "0.001", "x")),
        *(f"edge={bad}" for bad in ("0", "0.5", "nan")),
        *(f"players={bad}" for bad in ("", "Ann", f"{ANN},", f"{ANN};{BOB}", ",".join([ANN] * 9))),
        *(
            "dealer=Ann",
            "game_id=1",
            "since=2026-01-01",
            "viewer=all",
            f"dealer={ANN}&dealer={BOB}",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(reader: Client, query: str):  # noqa: F811
    answer = reader.get(f"/v1/chances?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_query")


@pytest.mark.parametrize(
    "query",
    [
        *("ruleset=%00", "game=%00", "ruleset=%ed%a0%80", "ruleset=%27%3B--", "game=" + "x" * 3000),
        *("since=0001-01-01T00:00:00%2B14:00", "until=9999-12-31T23:59:59-14:00"),
        "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z",
    ],
    ids=lambda query: query[:30],
)
def test_strange_words_find_nothing_or_are_refused(reader: Client, query: str):  # noqa: F811
    answer = reader.get(f"/v1/chances?{query}")
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_only_games_that_the_asker_may_see_are_counted(
    engine: Engine, database: Database, client: Client, open_client: Client, visibility: str
):
    hidden, shown = uuid4(), uuid4()
    opened = simulate.opened(3)
    with engine.begin() as conn:
        for game_id, kind in ((hidden, visibility), (shown, "public")):
            recorder.open_game(conn, opened, game_id=game_id, recorded_by=WHO, visibility=kind)
    project(database, engine)
    assert client.get("/v1/chances").json["games"] == 1
    assert open_client.get("/v1/chances").json["games"] == 2
    named = client.get(f"/v1/chances?game_id={hidden}")
    assert named.status_code == (404 if visibility == "private" else 200)
    assert open_client.get(f"/v1/chances?game_id={hidden}").json["games"] == 1
    reading = Bearer(client, passes.made(database, "games:read"))
    assert reading.get("/v1/chances").json["games"] == 2
    mine = Bearer(client, passes.made(database, "games:read", game=hidden, seat=0))
    assert mine.get("/v1/chances").json["games"] == 2
    other = Bearer(client, passes.made(database, "games:read", game=shown, seat=0))
    assert other.get("/v1/chances").json["games"] == 1


def test_nobody_learns_a_name_from_a_game_that_he_may_not_see(
    engine: Engine, database: Database, client: Client, open_client: Client
):
    opened = simulate.opened(3)
    with engine.begin() as conn:
        recorder.open_game(
            conn, opened, game_id=uuid4(), recorded_by=WHO, visibility="private",
            names=dict.fromkeys(opened.seats, "Zoe"),
        )  # fmt: skip
    project(database, engine)
    path = f"/v1/chances?dealer={opened.seats[0]}&players={opened.seats[1]}"
    told = client.get(path)
    assert told.json["dealer"] == {"id": opened.seats[0], "name": None}
    assert "Zoe" not in told.text
    assert open_client.get(path).json["dealer"]["name"] == "Zoe"


def test_a_game_that_is_not_there_is_not_found(reader: Client, archive: Engine):  # noqa: F811
    answer = reader.get(f"/v1/chances?game_id={UUID(int=404)}")
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_game")


BLAME = re.compile(
    r"cheat|fraud|suspect|suspic|guilt|accus|crook|dishonest|rigg|culprit"
    "|いかさま|イカサマ|不正|詐欺|ズル|ずる|疑|犯|怪し|八百長|有罪|騙|だま",
    re.IGNORECASE,
)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("query", ["", f"?dealer={ANN}", "?ruleset=none"])
def test_the_answer_says_that_it_is_no_proof_and_blames_nobody(
    reader: Client,  # noqa: F811
    language: str,
    query: str,
):
    answer = reader.get(f"/v1/chances{query}", headers={"Accept-Language": language})
    assert answer.headers["Content-Language"] == language
    assert ("no proof of anything" if language == "en" else "証明するものではありません") in (
        answer.json["note"]
    )
    assert not BLAME.search(answer.text)


def test_the_commands_own_words_blame_nobody():
    words = [value for value in vars(reckoning).values() if isinstance(value, str)]
    assert any("both do" in word for word in words)
    assert not any(BLAME.search(word) for word in words)
    assert BLAME.search("a Cheat")


# The page


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "query",
    ["", f"dealer={ANN}", f"game_id={UUID(int=2)}", f"players={ANN},{BOB}", "until=1999-01-01"],
)
def test_the_page_says_first_that_it_is_no_proof_and_blames_nobody(
    reader: Client,  # noqa: F811
    query: str,
    language: str,
):
    page = reader.get(f"/chances?{query}", headers={"Accept-Language": language})
    assert page.status_code == 200
    main = page.text.partition("<main")[2]
    assert main.index(NOTE["ja" if language == "ja" else "en"]) < main.index("<form")
    assert not BLAME.search(page.text)


def test_the_page_has_the_numbers_of_the_interface(get: Get, reader: Client):  # noqa: F811
    told = get(f"/chances?dealer={BOB}&game=lanterloo&bias=0.5")
    page = reader.get(f"/chances?dealer={BOB}&game=lanterloo&bias=0.5&ruleset=&since=&edge=").text
    assert page.count('<tr><th scope="row">') == told["tests"] > 0
    for one in told["numbers"]:
        assert f"</span>{one['seen']:.12g}</td>" in page
    assert "seats it was ahead of · dealer" in page
    assert "points a deal" in page
    aces = told["numbers"][0]
    assert f"(expected): {aces['counts'][0]} ({aces['counts_expected'][0]:.1f})," in page


def test_an_unusual_number_is_marked_in_words(
    reader: Client,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
):
    assert ">unusual</span>" not in reader.get("/chances?game=rummy500").text
    monkeypatch.setattr("projections.chances.LEVEL", 1.1)
    assert ">unusual</span>" in reader.get("/chances?game=rummy500").text


def test_of_nothing_the_page_says_what_it_would_take(reader: Client):  # noqa: F811
    page = reader.get("/chances?until=1999-01-01").text
    assert "There is nothing to reckon with here yet" in page
    assert "Lanterloo, trumps: " in page


def test_a_games_page_offers_its_players_and_its_table(reader: Client, logs: Logs):  # noqa: F811
    game_id = UUID(int=2)
    page = reader.get(f"/chances?game_id={game_id}").text
    for player in logs[game_id][0].seats:
        assert f'<option value="{player}">' in page
    assert f'href="/chances?players={ANN},{BOB},{CYD}"' in page
    assert f"/chances?game_id={game_id}" in reader.get(f"/games/{game_id}/report").text
    assert f"/chances?dealer={ANN}&amp;game=rummy500" in reader.get("/standings").text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        *((f"{name}=x", 400) for name in ("dealer", "game_id", "players", "bias", "edge", "since")),
        *(("until=2026-02-31", 400), ("bias=nan", 400), ("edge=0.5", 400), ("viewer=all", 400)),
        (f"game_id={UUID(int=404)}", 404),
    ],
)
def test_what_cannot_be_asked_is_refused_on_a_page(
    reader: Client,  # noqa: F811
    query: str,
    status: int,
):
    page = reader.get(f"/chances?{query}", headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (status, "text/html")
    assert "Traceback" not in page.text


def test_a_name_is_not_read_as_markup(engine: Engine, database: Database, client: Client):
    opened = simulate.opened(3)
    with engine.begin() as conn:
        recorder.open_game(
            conn, opened, game_id=uuid4(), recorded_by=WHO,
            names=dict.fromkeys(opened.seats, '<b>"Zoe"</b>'),
        )  # fmt: skip
    project(database, engine)
    for query in (f"players={','.join(opened.seats)}", f"dealer={opened.seats[0]}", "ruleset=<b>"):
        assert "<b>" not in client.get(f"/chances?{query}").text
    assert "&lt;b&gt;" in client.get(f"/chances?dealer={opened.seats[0]}").text


@pytest.mark.parametrize("words", [texts_chances.ENGLISH, texts_chances.JAPANESE])
def test_the_pages_words_are_in_both_languages_and_blame_nobody(words: dict[str, str]):
    assert words.keys() == texts_chances.ENGLISH.keys()
    assert not any(BLAME.search(word) for word in words.values())
