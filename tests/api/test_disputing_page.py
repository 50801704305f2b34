"""What the replay page offers in disputes is what may be done there, and it has words for whatever is refused."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

import events.disputing
from api.viewer.rulebook import RULES, quoted
from api.viewer.texts import TEXTS
from events.disputes import Decision, DisputeEvent, Remedy
from events.disputing import Standing
from projections.explain import LANGUAGES, Language
from tests.api import passes
from tests.api.disputing import CLAIM, DECISION, GAME, RULING, Case, imported
from tests.api.passes import Bearer
from tests.api.table import Client, post
from tests.postgres import Database

ROOT = Path(__file__).resolve().parents[2]
DO: dict[str, dict[str, Any]] = {
    "say": {"do": "say", "text": "so"},
    "link": {"do": "link", "version": 1},
    "withdraw": {"do": "withdraw"},
    "rule": RULING,
    "appeal": {"do": "appeal", "text": "so"},
    "decide": DECISION,
    "tag": {"do": "tag", "tags": ["a"]},
}
"""An act of each kind, as whoever sends it would send it."""
OTHER = "01a22a4b-2297-763f-9f40-4af2dc05d080"
PEOPLE: dict[str, dict[str, Any]] = {
    "arbiter": {"scopes": ("admin",)},
    "arbiter of the game": {"scopes": ("admin",), "game": GAME},
    "table": {"scopes": ("games:write",)},
    "A": {"scopes": ("games:write",), "game": GAME, "seat": 0},
    "B": {"scopes": ("games:write",), "game": GAME, "seat": 1},
    "reader": {"scopes": ("games:read",)},
    "of another game": {"scopes": ("games:write",), "game": OTHER},
}
STAGES = [[], ["withdraw"], ["rule"], ["rule", "appeal"], ["rule", "appeal", "decide"]]


@pytest.fixture
def people(client: Client, database: Database) -> dict[str, Bearer]:
    """Everybody who may come to a dispute, each with a token; the game is there before."""
    imported(client)
    made = {
        name: passes.made(
            database, *given["scopes"], game=given.get("game"), seat=given.get("seat")
        )
        for name, given in PEOPLE.items()
    }
    return {name: Bearer(client, one) for name, one in made.items()}


@pytest.mark.store
@pytest.mark.http
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: " ".join(stage) or "open")
def test_what_is_offered_is_what_is_not_refused(people: dict[str, Bearer], stage: list[str]):
    """Everybody, in a dispute at every stage: the page's buttons are the acts that the interface takes."""
    case = brought_to(people, stage)
    for name, bearer in people.items():
        page = bearer.get(f"/games/{GAME}?at=105").text
        item = page.partition(f'id="d-{case.dispute_id}"')[2].partition('data-do="open"')[0]
        assert item, name
        taken = []
        for do, act in DO.items():
            # A token without a seat says for whom it speaks; that of a seat need not.
            is_open = "seat" not in PEOPLE[name] and do in ("say", "link", "appeal")
            answer = case.act(act | ({"seat": 0} if is_open else {}), bearer)
            if answer.status_code == 201:
                taken.append(do)
                case = brought_to(people, stage)
        assert re.findall(r'data-do="(\w+)" data-dispute', item.partition("<li id=")[0]) == taken, (
            name
        )


def brought_to(people: dict[str, Bearer], stage: list[str]) -> Case:
    """A new dispute of A's, after these acts."""
    by = {"withdraw": "A", "rule": "arbiter", "appeal": "B", "decide": "arbiter of the game"}
    case = Case.opened(people["A"])
    for do in stage:
        assert case.act(DO[do], people[by[do]]).status_code == 201
    return case


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_reason_for_which_an_act_is_refused_has_words(lang: Language):
    text = Path(events.disputing.__file__).read_text(encoding="utf-8")
    codes = set(re.findall(r'"([A-Z]+(?:_[A-Z]+)+)"', text))
    assert len(codes) >= 15
    words = TEXTS[lang].words
    assert {f"refused.{code}" for code in codes} <= set(words)


@pytest.mark.parametrize("name", ["rummy500.md", "lanterloo.md"])
def test_the_rules_that_are_shown_are_those_of_the_docs(name: str):
    shown = ROOT / "api" / "viewer" / "rules" / name
    assert shown.read_bytes() == (ROOT / "docs" / "rules" / name).read_bytes()


def test_every_rule_that_the_program_cites_has_a_text():
    cited = set()
    for folder in ("events", "projections"):
        for file in (ROOT / folder).rglob("*.py"):
            cited |= set(re.findall(r'"([RVL]-[0-9.]+[a-z]?)"', file.read_text(encoding="utf-8")))
    assert len(cited) > 90
    known = {code for game in RULES for code, _ in quoted(game, cited)}
    assert known == cited
    assert dict(quoted("rummy500", ["R-3.2"])) == {
        "R-3.2": "Group. Three or four cards of one rank. Never five."
    }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_act_and_what_it_can_say_has_words_on_page_and_terminal(lang: Language):
    said = {f"act.{kind.__struct_config__.tag}" for kind in get_args(DisputeEvent)}
    said |= {f"remedy.{one}" for one in get_args(Remedy)}
    said |= {f"decision.{one}" for one in get_args(Decision)}
    said |= {f"outcome.{one}" for one in ("upheld", "changed")}
    said |= {f"dispute.{one}" for one in get_args(Standing)}
    said |= {f"do.{one}{short}" for one in (*DO, "open") for short in ("", ".short")}
    assert said <= set(TEXTS[lang].words)


def test_disputes_are_listed_by_age_whatever_their_ids(people: dict[str, Bearer]):
    """The id of a dispute that was opened with a key is made from the key."""
    made = [
        post(
            people["A"],
            f"/v1/games/{GAME}/disputes",
            CLAIM,
            {"Idempotency-Key": f"key-{number}"},
        ).json["dispute"]["dispute_id"]
        for number in range(6)
    ]
    assert made != sorted(made)
    listed = people["A"].get(f"/v1/games/{GAME}/disputes").json["disputes"]
    assert [one["dispute_id"] for one in listed] == made
    page = people["A"].get(f"/games/{GAME}").text
    assert re.findall(r'<li id="d-([0-9a-f-]+)"', page) == made
