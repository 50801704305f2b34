"""Audit reports by HTTP, as a page and on the command line: one report, told to whoever may read it."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api.bench.chained import whole
from api.cli import main
from events import intake, recorder, store
from events.codec import encode
from events.formats import Import
from events.games import LANTERLOO
from tests.api.table import Client, Table, draw
from tests.postgres import Database
from tests.projections.test_report import LOG
from tests.simulations.test_breaches import KINDS

pytestmark = [pytest.mark.store, pytest.mark.http]

GAME = UUID(int=77)
NAMES = {str(UUID(int=number)): name for number, name in enumerate(["Ann", "Bob", "Cyd"], 1)}


@pytest.fixture
def spoilt(engine: Engine) -> str:
    """A deal with a breach, what follows from it, and a wrong score."""
    return stored(engine, LOG)


def stored(engine: Engine, events: list[Any]) -> str:
    """Store a recorded game as it is."""
    opened = replace(events[0], mode="recorded")
    with engine.begin() as conn:
        store.ensure_people(conn, {UUID(who): name for who, name in NAMES.items()})
        one = Import(GAME, [opened, *events[1:]], NAMES, {}, 1)
        recorder.import_games(conn, [one], UUID(int=9))
    return f"/games/{GAME}"


@pytest.fixture
def brought_in(engine: Engine) -> str:
    """The same log from another store: it comes with its chain, and who brought it in is on record."""
    opened = replace(LOG[0], mode="recorded")
    game = whole("rummy500", list(map(encode, [opened, *LOG[1:]])))
    with engine.begin() as conn:
        assert intake.import_game(conn, game.head, game.events, (), UUID(int=8)) == "imported"
    return f"/games/{game.head.game_id}"


def told(client: Client, game: str, query: str = "", **headers: str) -> Any:
    answer = client.get(f"/v1{game}/report{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json


class TestJson:
    def test_all_of_it(self, client: Client, spoilt: str) -> None:
        found = told(client, spoilt)
        assert found["verdict"].startswith("2 breaches in 13 events, the first at event 7")
        first = found["breaches"][0]
        assert (first["version"], first["code"], first["follows"]) == (7, "RUN_SUIT", None)
        assert first["happened"]["cards"] == ["4S", "5S", "8C"]
        assert first["position"]["hands"][1] == ["4S", "5S", "QH", "8C"]
        assert first["knowledge"]["own"] == ["4S", "5S", "QH", "8C"]
        assert first["knowledge"]["text"][0] == "Own hand: 4S 5S QH 8C."
        assert {act["t"] for act in first["acts"]} == {"discarded", "laid_off"}
        assert first["happened"] not in first["acts"]
        assert first["score"]["undefined"] == "act_breach"
        assert [one["follows"] for one in found["breaches"]] == [None, 7, None, 13]
        assert found["breaches"][1]["position"] is None

    def test_the_record_and_its_chain(self, client: Client, spoilt: str) -> None:
        record = told(client, spoilt)["record"]
        assert record["chain_holds"]
        assert record["wrong"] is None
        assert [one["events"] for one in record["recorders"]] == [13]
        events = client.get(f"/v1{spoilt}/events?after=12").json["events"]
        assert record["head"] == events[-1]["hash"]

    def test_who_brought_it_in(self, client: Client, brought_in: str) -> None:
        record = told(client, brought_in)["record"]
        by, version = record["imported"]["imported_by"], record["imported"]["version"]
        assert (by, version) == (str(UUID(int=8)), 13)
        at = datetime.fromisoformat(record["imported"]["imported_at"])
        assert abs(datetime.now(UTC) - at) < timedelta(hours=1)
        assert any(str(UUID(int=8)) in line for line in record["text"])

    def test_another_book_keeps_the_tables_amounts(self, client: Client, engine: Engine) -> None:
        table = KINDS["loo3"].table(1)
        events = table.play()
        own = replace(events[0].ruleset, unit=2, rounds=3)
        paid = [replace(events[0], ruleset=own), *table_of(own)]
        game = stored(engine, paid)
        for preset in ("hoyle1909", "hoyle1909-loo3"):
            side = told(client, game, f"?ruleset={preset}")["beside"]
            assert side["ruleset"] == "hoyle1909-loo3"
            assert not [one for one in side["findings"] if one["event"] == "ante_paid"]

    def test_scopes(self, client: Client, spoilt: str) -> None:
        assert told(client, spoilt, "?deal=1")["scope"] == {
            "deal": 1,
            "first": 2,
            "last": 13,
            "text": "deal 1, events 2 to 13",
        }
        assert [one["version"] for one in told(client, spoilt, "?from=8&to=12")["breaches"]] == [9]

    @pytest.mark.parametrize(
        ("query", "status", "code"),
        [
            ("?deal=9", 404, "unknown_deal"),
            ("?to=99", 404, "unknown_version"),
            ("?from=5&to=4", 400, "bad_query"),
            ("?ruleset=house", 400, "bad_body"),
            ("?viewer=nobody", 400, "bad_query"),
            ("?at=4", 400, "bad_query"),
        ],
    )
    def test_what_cannot_be_asked(
        self, client: Client, spoilt: str, query: str, status: int, code: str
    ) -> None:
        answer = client.get(f"/v1{spoilt}/report{query}")
        assert (answer.status_code, answer.json["code"]) == (status, code)

    def test_in_japanese(self, client: Client, spoilt: str) -> None:
        found = told(client, spoilt, **{"Accept-Language": "ja"})
        assert "違反2件" in found["verdict"]
        assert all(one["text"].endswith("。") for one in found["breaches"])
        assert all(line.endswith("。") for line in found["record"]["text"])

    def test_a_deal_in_play_tells_nothing_hidden(self, client: Client, table: Table) -> None:
        table.record(draw(1))
        text = client.get(table.path("/report?viewer=all")).text
        up = set(re.findall(r"\b[A2-9TJQK][SHDC]\b", text))
        pile = client.get(table.path("/state")).json["state"]["pile"]
        assert up <= set(pile)


def table_of(own: Any) -> list[Any]:
    """The events after the first of a session by these rules."""
    from api.simulation import Order
    from api.simulation import Table as Bots

    return Bots(Order(LANTERLOO.name, 3, 3, "greedy", own, 2), 3).play()[1:]


class TestPage:
    def test_who_brought_it_in(self, client: Client, brought_in: str) -> None:
        answer = client.get(f"{brought_in}/report")
        assert answer.status_code == 200
        assert str(UUID(int=8)) in answer.text

    def test_what_a_page_says(self, client: Client, spoilt: str) -> None:
        answer = client.get(f"{spoilt}/report")
        text = html.unescape(answer.text)
        assert answer.status_code == 200
        assert "2 breaches in 13 events" in text
        assert "Own hand: 4S 5S QH 8C." in text
        assert "What Bob could do" in text
        assert "The chain holds" in text
        assert 'data-card="QH"' in text
        assert f'href="{spoilt}?at=7"' in text

    def test_in_japanese(self, client: Client, spoilt: str) -> None:
        answer = client.get(f"{spoilt}/report?lang=ja&ruleset=delboycodes")
        text = html.unescape(answer.text)
        assert answer.headers["Content-Language"] == "ja"
        assert "Bobが知りえたこと" in text
        assert "二つのルール" in text
        assert f'href="{spoilt}?at=7&lang=ja"' in text

    def test_the_games_page_leads_there(self, client: Client, spoilt: str) -> None:
        page = client.get(f"{spoilt}?seat=2&lang=ja").text
        (link,) = re.findall(r'href="(/games/[^"]*/report[^"]*)"', html.unescape(page))
        assert link == f"{spoilt}/report?seat=2&lang=ja"
        assert client.get(link).status_code == 200

    def test_the_form_may_be_empty(self, client: Client, spoilt: str) -> None:
        assert client.get(f"{spoilt}/report?deal=&ruleset=").status_code == 200
        assert "deal 1, events 2 to 13" in client.get(f"{spoilt}/report?deal=1").text
        assert client.get(f"{spoilt}/report?deal=7").status_code == 404

    def test_a_session_of_loo(self, client: Client, engine: Engine) -> None:
        table = KINDS["loo5"].table(2)
        game = stored(engine, table.play())
        assert "No breach" in client.get(f"{game}/report").text

    def test_a_deal_in_play_shows_no_card_but_the_pile(self, client: Client, table: Table) -> None:
        text = client.get(f"/games/{table.game_id}/report?seat=0").text
        assert "data-card" not in text


class TestCommand:
    @pytest.fixture
    def run(self, database: Database, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
        monkeypatch.setenv("DATABASE_URL", database.app_url)

        def run(*words: str) -> tuple[int, str]:
            code = main(["audit", *words])
            return code, capsys.readouterr().out

        return run

    def test_who_brought_it_in(self, run: Any, brought_in: str) -> None:
        code, text = run(brought_in.removeprefix("/games/"), "--report")
        assert code == 1
        assert str(UUID(int=8)) in text

    def test_text(self, run: Any, spoilt: str) -> None:
        code, text = run(str(GAME), "--report")
        assert code == 1
        lines = text.splitlines()
        assert lines[1] == "the whole game, events 1 to 13"
        assert any(
            line.startswith("1. Event 7, deal 1: A sequence holds one suit") for line in lines
        )
        assert "     Own hand: 4S 5S QH 8C." in lines
        assert any("What B could do: B discard 4S; B discard 5S" in line for line in lines)
        assert any(line.startswith("     event 9: ") for line in lines)
        assert any("The chain holds" in line for line in lines)

    def test_japanese_and_json(self, run: Any, spoilt: str) -> None:
        assert "違反2件" in run(str(GAME), "--report", "--lang", "ja")[1]
        found = json.loads(run(str(GAME), "--report", "--json", "--ruleset", "delboycodes")[1])
        assert found["beside"]["ruleset"] == "delboycodes"
        assert [one["version"] for one in found["breaches"]] == [7, 9, 13, 13]

    def test_scopes(self, run: Any, spoilt: str) -> None:
        code, text = run(str(GAME), "--report", "--from", "2", "--to", "6")
        assert code == 0
        assert "No breach in 5 events" in text

    @pytest.mark.parametrize(
        "words",
        [
            ("--all", "--report"),
            (str(GAME), "--from", "3"),
            (str(GAME), "--report", "--calls"),
            (str(GAME), "--report", "--ruleset", "house"),
        ],
    )
    def test_bad_usage(self, run: Any, spoilt: str, words: tuple[str, ...]) -> None:
        assert run(*words)[0] == 2
