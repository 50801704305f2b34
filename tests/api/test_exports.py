"""One game as CSV and as a replay in a file: what is in it, and that no hidden card is."""

import csv
import gzip
import json
import re
from io import StringIO
from typing import Any

import pytest

from tests.api.table import DATA, Client, Table, draw, send_file
from tests.api.test_hidden import cards

pytestmark = [pytest.mark.store, pytest.mark.http]

SAMPLES = DATA.parents[1] / "events" / "samples"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text, newline="")))


@pytest.fixture
def evening(client: Client) -> str:
    """A game that has been played to its end."""
    log = (SAMPLES / "timpalpant-four-deals.ndjson").read_bytes()
    answer = send_file(client, log)
    assert answer.status_code == 201, answer.text
    return str(answer.json["imported"][0])


def test_events_are_the_log_row_by_row(client: Client, evening: str):
    answer = client.get(f"/v1/games/{evening}/export.csv")
    assert answer.content_type == "text/csv; charset=utf-8; header=present"
    found = rows(answer.text)
    lines = client.get(f"/v1/games/{evening}/events?limit=1000").json["events"]
    assert [int(row["version"]) for row in found] == [line["version"] for line in lines]
    for row, line in zip(found, lines, strict=True):
        assert json.loads(row["event"]) == line["event"]
        assert (row["recorded_at"], row["hash"]) == (line["recorded_at"], line["hash"])
        assert row["is_withheld"] == "false"
        assert row["type"] == line["event"]["t"]
    assert {row["deal"] for row in found} == {"", "1"}


def test_deals_and_scores_are_those_of_the_timeline(client: Client, evening: str):
    deals = client.get(f"/v1/games/{evening}/timeline").json["timeline"]["deals"]
    found = rows(client.get(f"/v1/games/{evening}/export.csv?table=deals").text)
    assert [(int(row["deal"]), int(row["from_version"])) for row in found] == [
        (deal["deal"], deal["first"]) for deal in deals
    ]
    assert found[0]["scores"] == " ".join(map(str, deals[0]["scores"]))
    scores = rows(client.get(f"/v1/games/{evening}/export.csv?table=scores").text)
    assert [int(row["score"]) for row in scores] == deals[0]["scores"]
    players = client.get(f"/v1/games/{evening}").json["players"]
    assert [row["player"] for row in scores] == [one["name"] for one in players]


def test_lines_end_as_the_standard_has_it_and_formulas_are_none(client: Client):
    table = Table.opened(client, mode="recorded", seats=["=HYPERLINK(1)", 'A "quoted", one'])
    ended: Any = {"t": "deal_ended", "v": 1, "deal": 1, "reason": "STOCK_EXHAUSTED", "out": None}
    scored: Any = {"t": "deal_scored", "v": 1, "deal": 1, "scores": [5, -3]}
    shuffled: Any = {"t": "shuffled", "v": 1, "deal": 1, "dealer": 0, "method": "by hand"}
    table.record(shuffled | {"deck": ["??"] * 54}, ended)
    assert table.record(scored | {"totals": [5, -3]}).status_code == 201
    text = table.get("/export.csv?table=scores").text
    assert [row["player"] for row in rows(text)] == ["'=HYPERLINK(1)", 'A "quoted", one']
    assert [row["score"] for row in rows(text)] == ["5", "-3"]
    assert text.count("\r\n") == text.count("\n")


def test_hidden_cards_are_in_no_table_and_in_no_file(client: Client, table: Table):
    table.record(draw(1))
    upcard = table.get("/state").json["state"]["pile"]
    for path in ("csv", "csv?table=deals", "csv?table=scores", "html", "html?lang=ja"):
        for viewer in ("", "viewer=all", "viewer=1"):
            joined = f"/export.{path}{'&' if '?' in path else '?'}{viewer}"
            text = re.sub(r"[0-9a-f]{64}", "", table.get(joined).text)
            shown = cards(
                re.sub(r"<(style|script)>.*?</\1>|d=\"[^\"]*\"", "", text, flags=re.DOTALL)
            )
            assert shown <= set(upcard), joined
    found = rows(table.get("/export.csv").text)
    assert [row["is_withheld"] for row in found] == [
        "true" if "??" in row["event"] else "false" for row in found
    ]


def test_a_file_loads_nothing_and_runs_only_its_own_script(client: Client, evening: str):
    answer = client.get(f"/v1/games/{evening}/export.html")
    assert answer.content_type == "text/html; charset=utf-8"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox allow-scripts;")
    text = answer.text
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1] or "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', text)
    assert not re.findall(r'url\("(?!data:)', text)


def test_a_file_cannot_be_broken_out_of(client: Client):
    name = "</script><script>alert(1)</script><!--"
    table = Table.opened(client, mode="recorded", seats=[name, "Bob"])
    text = table.get("/export.html").text
    assert text.count("</script>") == 2
    assert "alert(1)</script>" not in text
    steps = re.search(r'id="steps">(.*?)</script>', text)
    assert steps is not None
    assert any("alert(1)&lt;/script&gt;" in part for part in json.loads(steps[1])["parts"])


@pytest.mark.parametrize("name", ["ndjson", "txt", "csv", "html?lang=ja"])
def test_a_file_comes_packed_and_is_not_sent_twice(client: Client, evening: str, name: str):
    path = f"/v1/games/{evening}/export.{name}"
    plain = client.get(path)
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["ETag"] == plain.headers["ETag"]
    again = client.get(path, headers={"If-None-Match": plain.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    head = client.head(path)
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == str(len(plain.data))
    endings = {"csv": "events.csv", "html?lang=ja": "html"}
    named = f'inline; filename="{evening}.{endings.get(name, name)}"'
    assert plain.headers["Content-Disposition"] == named
    assert plain.headers.get("Content-Language") == ("ja" if "html" in name else None)


@pytest.mark.parametrize("query", ["?table=findings", "?table=", "?viewer=9", "?format=csv"])
def test_what_is_no_table_is_refused(client: Client, evening: str, query: str):
    answer = client.get(f"/v1/games/{evening}/export.csv{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_query")
