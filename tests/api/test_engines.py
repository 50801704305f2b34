"""An audit says by which version of the program it was made, and can be made by the one that opened the game."""

import json
from uuid import UUID

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from events import corrections, recorder
from events.formats import Import
from events.version import ENGINE
from tests.api.table import Client, post
from tests.api.test_cli import Run, bare, run
from tests.events.test_corrections import correction
from tests.projections import tables

__all__ = ["bare", "run"]  # fixtures

pytestmark = pytest.mark.store

GAME = UUID(int=5)
MADE = (correction("0.0.5"),)


@pytest.fixture
def old(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> UUID:
    """A game that was opened by a version before a correction."""
    log = tables.record(tables.draw(1, "7C"))
    with engine.begin() as conn:
        one = Import(GAME, [replace(log[0], engine="0.0.4"), *log[1:]], {}, {}, 1)
        recorder.import_games(conn, [one], UUID(int=0))
    for name in ("since", "as_judged_by"):
        function = getattr(corrections, name)
        monkeypatch.setattr(f"api.engines.{name}", lambda *args, f=function: f(*args, MADE))
    return GAME


@pytest.mark.http
def test_an_audit_by_the_recorded_engine_finds_what_that_one_found(old: UUID, client: Client):
    told = {
        asked: post(client, f"/v1/games/{old}/audits", {"engine": asked}).json
        for asked in ("recorded", "newest")
    }
    assert told["newest"] == post(client, f"/v1/games/{old}/audits", {}).json
    codes = {asked: {one["code"] for one in body["findings"]} for asked, body in told.items()}
    assert codes == {"recorded": {"BEFORE_0.0.5"}, "newest": set()}
    corrected = [{"engine": "0.0.5", "rule": "R-0", "what": "something"}]
    for asked, by in (("recorded", "0.0.4"), ("newest", ENGINE)):
        wanted = {"recorded": "0.0.4", "judged_by": by, "corrections": corrected}
        assert told[asked]["engine"] == wanted


@pytest.mark.http
def test_there_are_two_engines_to_ask_for(client: Client, old: UUID):
    answer = post(client, f"/v1/games/{old}/audits", {"engine": "0.0.4"})
    assert (answer.status_code, answer.json["code"]) == (400, "bad_body")


def test_the_command_says_what_was_corrected(old: UUID, run: Run):
    newest, recorded = run("audit", old), run("audit", old, "--engine", "recorded")
    assert (newest.code, recorded.code) == (0, 1)
    corrected = "corrected in between: R-0 since 0.0.5: something"
    assert newest.err == f"opened by engine 0.0.4, judged by {ENGINE}; {corrected}\n"
    assert recorded.err == f"opened by engine 0.0.4, judged by 0.0.4; {corrected}\n"
    assert [row[5] for row in recorded.rows if row[0] == "breach"] == ["BEFORE_0.0.5"] * 2
    told = json.loads(run("audit", old, "--engine", "recorded", "--json").out)
    assert told["engine"]["judged_by"] == "0.0.4"
    assert run("audit", "--all", "--engine", "recorded").rows[0][4] == "2"
    assert run("audit", "--all").rows[0][4] == "0"
