"""Why an act is legal or not, in words: every code of the rules brought about by one act at one table."""

import re
from pathlib import Path
from typing import Any

import pytest

from events.rummy500.ruleset import Ruleset
from projections import lanterloo_words
from projections.explain import why
from projections.words_en import FAULTS
from tests.projections.test_explain import WORDS
from tests.projections.why_rummy500 import at
from tests.projections.why_rummy500_faulty import FAULTY, NOT_OF_JUDGE
from tests.projections.why_rummy500_legal import LEGAL
from tests.simulate import RUMMY, play

RULES = Path(__file__).parents[2] / "docs" / "rules" / "rummy500.md"


def test_every_code_of_section_11_has_its_case() -> None:
    section = RULES.read_text(encoding="utf-8").partition("## 11. ")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| ")]
    codes = {code for row in rows for code in re.findall(r"[A-Z]+(?:_[A-Z]+)+", row)}
    assert len(codes) == 42
    assert codes <= FAULTY.keys()


def test_every_code_that_judge_gives_has_its_case() -> None:
    assert FAULTY.keys() == FAULTS.keys() - NOT_OF_JUDGE - lanterloo_words.ENGLISH.keys()


@pytest.mark.parametrize("code", FAULTY)
def test_a_breach_in_words(code: str) -> None:
    state, event = at(FAULTY[code])
    first = RUMMY.judge(state, event)[0]

    assert first.code == code
    assert why(RUMMY, state, event).startswith(FAULTY[code].said)


@pytest.mark.parametrize("code", FAULTY)
def test_a_breach_in_japanese_words(code: str) -> None:
    state, event = at(FAULTY[code])
    said = why(RUMMY, state, event, lang="ja")

    assert not WORDS.search(said), said
    assert said.endswith("）。")
    assert f"（{RUMMY.judge(state, event)[0].rule}）。" in said


@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_act_in_words(name: str) -> None:
    state, event = at(LEGAL[name])

    assert RUMMY.judge(state, event) == ()
    assert why(RUMMY, state, event).startswith(LEGAL[name].said)


@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_act_in_japanese_words(name: str) -> None:
    state, event = at(LEGAL[name])
    said = why(RUMMY, state, event, lang="ja")

    assert not re.search(r"[a-z]{2,}|[{}?]", said), said
    assert said.endswith("。")


def test_the_players_are_called_by_their_names() -> None:
    state, event = at(LEGAL["top card"])

    assert why(RUMMY, state, event, ["Ann", "Bob", "Cy"]).startswith("Ann may take 8C")
    assert why(RUMMY, state, event, ["花子"], "ja").startswith("花子は8Cを取れます")


@pytest.mark.parametrize("go_out", ["free", "floating", "discard_required"])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_every_act_of_a_game_has_its_reason(seats: int, go_out: Any) -> None:
    events = play(seats, seats, Ruleset(preset="custom", go_out=go_out))
    state = RUMMY.initial(events[0])  # type: ignore[arg-type]
    for event in events[1:]:
        english, japanese = (why(RUMMY, state, event, lang=lang) for lang in ("en", "ja"))
        assert "??" not in english or "??" in str(event)
        assert english.endswith(".")
        assert japanese.endswith("。")
        assert "No rule stands against it" not in english
        state = RUMMY.evolve(state, event)
