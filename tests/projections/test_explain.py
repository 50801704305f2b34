"""Every code that the rules can give has its sentence."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.game import Unchecked, Violation
from projections import lanterloo_words
from projections.explain import ENGLISH, sentence, verdict

EVENTS = Path(__file__).parents[2] / "events"
CODE = re.compile(r"[A-Z]+(_[A-Z]+)+")
# Texts that look like codes and are reasons, shapes of foreign logs, or names of other things.
# The tricks of Loo say why a card may not be played before anybody makes a judgement of it.
TOLD_BY_TRICKS = {"MUST_FOLLOW", "MUST_HEAD", "MUST_LEAD_TRUMP", "MUST_LEAD_ACE", "PAM_BE_CIVIL"}
JUDGING = {"fault", "_fault", "Violation", "Unchecked", "_problem", "_clash"}


def codes_given() -> Iterator[str]:
    """Yield the codes in what makes judgements, and in the tables named after what is owed."""
    games = [*(EVENTS / "rummy500").glob("*.py"), *(EVENTS / "lanterloo").glob("*.py")]
    for path in (*EVENTS.glob("*.py"), *games):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in JUDGING:
                yield from _codes(node.args[:1])
            if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "_OWED":
                yield from _codes([node])


def _codes(nodes: list[ast.expr] | list[ast.AnnAssign]) -> Iterator[str]:
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and CODE.fullmatch(str(part.value)):
                yield str(part.value)


def test_no_code_lacks_its_sentence() -> None:
    given = set(codes_given())

    assert {"MUST_MELD_DEEP_CARD", "WINNER_WRONG", "OPTIONS_CONTRADICT"} <= given
    assert {"MUST_HEAD", "LOOED_WRONG", "PAM_BE_CIVIL"} <= given | TOLD_BY_TRICKS
    assert (given | TOLD_BY_TRICKS) - ENGLISH.keys() == set()


def test_loo_has_the_same_words_in_both_languages() -> None:
    assert lanterloo_words.JAPANESE.keys() == lanterloo_words.ENGLISH.keys()
    for code, told in lanterloo_words.ENGLISH.items():
        fields = set(re.findall(r"{\w+}", told[1]))
        assert set(re.findall(r"{\w+}", lanterloo_words.JAPANESE[code][1])) == fields, code


@pytest.mark.parametrize("code", ENGLISH)
def test_a_sentence_stands_with_and_without_its_parameters(code: str) -> None:
    params: dict[str, str | int] = {"expected": "E", "actual": 7, "card": "KD", "option": "o"}
    bare = sentence(Violation(code, "R-1", 1))
    full = sentence(Violation(code, "R-1", 1, params))

    assert re.fullmatch(r'[A-Z"].*[^.:] \(R-1\)\.', bare)
    assert bare.removesuffix(" (R-1).") in full
    assert "{" not in bare + full


def test_a_sentence_names_the_players() -> None:
    found = Violation("NOT_YOUR_TURN", "R-6.1", 1, {"expected": "seat 0", "actual": "seat 1"})

    assert sentence(found) == "Seat 1 acted out of turn: it was the turn of seat 0 (R-6.1)."
    assert sentence(found, ["Ann", "Bob"]) == (
        "Bob acted out of turn: it was the turn of Ann (R-6.1)."
    )


def test_a_sentence_says_what_was_expected_and_what_was_there() -> None:
    found = Violation("SCORE_WRONG", "R-9.1", 0, {"expected": 27, "actual": 37})

    assert sentence(found) == "The score of seat 0 is wrong: expected 27, found 37 (R-9.1)."


def test_a_sentence_does_with_what_it_has() -> None:
    found = Violation("MUST_MELD_DEEP_CARD", "R-6.6", 0, {"actual": "KD"})

    assert sentence(found).endswith("taken from the pile: found KD (R-6.6).")


def test_what_cannot_be_told_accuses_nobody() -> None:
    found = Unchecked("NOT_CALLABLE", "R-8.1", "unknown_card", 2, {"card": "KD"})

    assert sentence(found) == (
        "Cannot be told, a card is unknown: seat 2 called a card that could not be called: KD (R-8.1)."
    )


def test_a_code_of_another_version_is_shown_as_it_is() -> None:
    assert sentence(Violation("NEW_RULE", "R-99", 0)) == "NEW_RULE (R-99)."


@pytest.mark.parametrize(
    ("breaches", "unchecked", "finished", "line"),
    [
        ([], 0, True, "no breach in 9 events"),
        ([4], 0, True, "1 breach in 9 events, the first at version 4"),
        ([4, 4, 6], 0, True, "3 breaches in 9 events, the first at version 4"),
        ([], 2, True, "no breach in 9 events; 2 cannot be told from the record"),
        ([], 0, False, "no breach in 9 events; the game is not finished"),
    ],
)
def test_a_verdict_is_one_line(
    breaches: list[int], unchecked: int, finished: bool, line: str
) -> None:
    assert verdict(breaches, unchecked, 9, finished=finished) == line
