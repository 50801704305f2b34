"""Why an act of Lanterloo is legal or not, in words: every code of its rules brought about by one act at one table."""

import re
from pathlib import Path
from typing import Any

import pytest

from events.lanterloo.ruleset import FORMS, PRESETS
from projections import lanterloo_words
from projections.explain import why
from projections.lanterloo_reason_words import ENGLISH as REASONS
from projections.lanterloo_reasons import reasons
from tests.events.lanterloo.table import LOO, play, ruleset
from tests.projections.test_explain import WORDS
from tests.projections.why_lanterloo import at
from tests.projections.why_lanterloo_faulty import FAULTY
from tests.projections.why_lanterloo_legal import LEGAL

RULES = Path(__file__).parents[2] / "docs" / "rules" / "lanterloo.md"
CODE = re.compile(r"`([A-Z]+(?:_[A-Z]+)+)`")
# What looks like a code on the rules page, and is the name of a kind of hand.
NO_CODES = {"PAM_FLUSH", "TRUMP_FLUSH", "PLAIN_FLUSH", "PAM_BLAZE"}

OF_THE_PAGE = set(CODE.findall(RULES.read_text(encoding="utf-8"))) - NO_CODES


def test_every_code_of_the_rules_page_has_its_case() -> None:
    assert {"MUST_HEAD", "DEALER_MUST_DEFEND", "POOL_WRONG"} <= OF_THE_PAGE
    assert OF_THE_PAGE - FAULTY.keys() == set()


def test_every_code_of_loo_in_the_tables_has_its_case() -> None:
    of_rulesets = {"AMOUNT_INDIVISIBLE", "TOO_FEW_PLAYERS"}
    assert set(lanterloo_words.ENGLISH) - of_rulesets <= FAULTY.keys()
    assert set(REASONS) <= LEGAL.keys()


@pytest.mark.parametrize("code", FAULTY)
def test_a_breach_in_words(code: str) -> None:
    state, event = at(FAULTY[code])

    assert LOO.judge(state, event)[0].code == code
    assert why(LOO, state, event) == FAULTY[code].said


@pytest.mark.parametrize("code", LEGAL)
def test_a_legal_act_in_words(code: str) -> None:
    state, event = at(LEGAL[code])

    assert LOO.judge(state, event) == ()
    assert code in {reason.code for reason in reasons(state, event)}
    assert why(LOO, state, event) == LEGAL[code].said


@pytest.mark.parametrize("code", [*FAULTY, *LEGAL])
def test_the_same_in_japanese_words(code: str) -> None:
    state, event = at(FAULTY.get(code) or LEGAL[code])
    said = why(LOO, state, event, lang="ja")

    assert not WORDS.search(said), said
    assert "_" not in said
    assert said.endswith("。")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("opts", [{}, {"stakes": "unlimited", "club_law": True}])
def test_every_act_of_a_session_has_its_reason(form: Any, opts: Any) -> None:
    events = play(7, 4, ruleset(form, **opts), deals=6)
    state = LOO.initial(events[0])  # type: ignore[arg-type]
    for event in events[1:]:
        english, japanese = (why(LOO, state, event, lang=lang) for lang in ("en", "ja"))
        assert "??" not in english
        assert english.endswith(".")
        assert japanese.endswith("。")
        assert "No rule stands against it" not in english
        state = LOO.evolve(state, event)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_act_that_a_book_allows_has_its_reason(preset: str) -> None:
    events = play(11, 5, PRESETS[preset], deals=4)
    state = LOO.initial(events[0])  # type: ignore[arg-type]
    for event in events[1:]:
        for seat in range(state.seats):
            for act in LOO.legal(state, seat):
                (first, *_) = reasons(state, act)
                assert first.code in REASONS, (act, first)
        state = LOO.evolve(state, event)
