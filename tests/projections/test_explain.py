"""Every code that the rules can give has its sentence, in every language, and an act that brings it about."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.game import Unchecked, Violation
from projections.explain import LANGUAGES, Language, sentence, verdict
from projections.words_en import ENGLISH, FAULTS
from projections.words_ja import FAULTS as JAPANESE_FAULTS
from projections.words_ja import JAPANESE

EVENTS = Path(__file__).parents[2] / "events"
FOLDERS = (EVENTS, EVENTS / "rummy500", EVENTS / "lanterloo")
CODE = re.compile(r"[A-Z]+(_[A-Z]+)+")
WORDS = re.compile(r"[a-z]{2,}")
# Texts that look like codes and are reasons, shapes of foreign logs, or names of other things.
JUDGING = {"fault", "_fault", "Violation", "Unchecked", "_problem", "_clash"}
# Values that name an option and are the same in every language.
OPTIONS = re.compile(r"\w+(=\w+)?( or \w+)*")


def calls_that_judge() -> Iterator[ast.Call]:
    for path in (path for folder in FOLDERS for path in folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in JUDGING:
                yield node


def codes_given() -> Iterator[str]:
    """Yield the codes in what makes judgements, and in the tables named after what is owed."""
    for call in calls_that_judge():
        yield from _codes(call.args[:1])
    for path in (path for folder in FOLDERS for path in folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") in (
                "_OWED",
                "WRONGLY_REFUSED",
            ):
                yield from _codes([node])


def _codes(nodes: list[ast.expr] | list[ast.AnnAssign]) -> Iterator[str]:
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and CODE.fullmatch(str(part.value)):
                yield str(part.value)


def phrases_given() -> Iterator[str]:
    """Yield the English phrases that judgements hold as what was expected or found."""
    for call in calls_that_judge():
        for argument in call.args[2:]:
            for part in ast.walk(argument):
                text = getattr(part, "value", None) if isinstance(part, ast.Constant) else None
                if isinstance(text, str) and " " in text.strip() and text != " or ":
                    yield text


def test_no_code_lacks_its_sentence() -> None:
    given = set(codes_given())

    assert {"MUST_MELD_DEEP_CARD", "WINNER_WRONG", "OPTIONS_CONTRADICT"} <= given
    assert {"MUST_PLAY", "LOOED_WRONG", "MISS_IS_HIDDEN"} <= given
    # The tricks of Loo say why a card may not be played before anybody makes a judgement of it.
    tricks = {"MUST_FOLLOW", "MUST_HEAD", "MUST_LEAD_TRUMP", "MUST_LEAD_ACE", "PAM_BE_CIVIL"}
    assert (given | tricks) - FAULTS.keys() == set()


def test_every_language_has_every_sentence() -> None:
    for wording in LANGUAGES.values():
        assert wording.sentences.keys() == ENGLISH.sentences.keys()


def test_sentences_ask_for_the_same_parameters_in_every_language() -> None:
    fields = re.compile(r"\{(\w+)\}")
    for code, english in ENGLISH.sentences.items():
        japanese = JAPANESE.sentences[code]
        needed, given = (set(fields.findall("".join(one))) for one in (english, japanese))
        assert given - {"who"} <= needed | {"expected", "actual"}, code


def test_no_phrase_of_a_judgement_is_left_in_english() -> None:
    whole = {text for text in phrases_given() if text == text.strip()}
    assert len(whole) > 40
    for text in (text for text in whole if not OPTIONS.fullmatch(text)):
        found = Violation("NOT_CALLABLE", "R-1", 0, {"expected": text, "actual": "KD"})
        assert not WORDS.search(sentence(found, lang="ja")), text


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", list(FAULTS))
def test_a_sentence_stands_with_and_without_its_parameters(code: str, lang: Language) -> None:
    params: dict[str, str | int] = {"expected": "E", "actual": 7, "card": "KD", "option": "o"}
    bare = sentence(Violation(code, "R-1", 1), lang=lang)
    full = sentence(Violation(code, "R-1", 1, params), lang=lang)

    if lang == "en":
        assert re.fullmatch(r'[A-Z"].*[^.:] \(R-1\)\.', bare)
        assert bare.removesuffix(" (R-1).") in full
    else:
        assert re.fullmatch(r".*[^。：]（R-1）。", bare)
        assert bare.removesuffix("（R-1）。") in full
    assert "{" not in bare + full


def test_the_japanese_table_has_no_english_in_it() -> None:
    for code, (text, detail) in JAPANESE_FAULTS.items():
        plain = re.sub(r"\{\w+\}", "", text + detail)
        assert not re.search(r"[A-Za-z]", plain), code


def test_a_sentence_names_the_players() -> None:
    found = Violation("NOT_YOUR_TURN", "R-6.1", 1, {"expected": "seat 0", "actual": "seat 1"})

    assert sentence(found) == "B acted out of turn: it was the turn of A (R-6.1)."
    assert sentence(found, ["Ann", "Bob"]) == (
        "Bob acted out of turn: it was the turn of Ann (R-6.1)."
    )
    assert sentence(found, lang="ja") == "Bは手番でないのに行動しました：Aの手番でした（R-6.1）。"
    assert sentence(found, ["Ann"]) == "Seat 1 acted out of turn: it was the turn of Ann (R-6.1)."


def test_a_sentence_says_what_was_expected_and_what_was_there() -> None:
    found = Violation("SCORE_WRONG", "R-9.1", 0, {"expected": 27, "actual": 37})

    assert sentence(found) == "The score of A is wrong: expected 27, found 37 (R-9.1)."
    assert sentence(found, lang="ja") == "Aの得点が違います：正しくは27、実際は37（R-9.1）。"


def test_a_sentence_does_with_what_it_has() -> None:
    found = Violation("MUST_MELD_DEEP_CARD", "R-6.6", 0, {"actual": "KD"})

    assert sentence(found).endswith("taken from the pile: found KD (R-6.6).")
    assert sentence(found, lang="ja").endswith("メルドしなければなりません：実際はKD（R-6.6）。")


def test_what_cannot_be_told_accuses_nobody() -> None:
    found = Unchecked("NOT_CALLABLE", "R-8.1", "unknown_card", 2, {"card": "KD"})

    assert sentence(found) == (
        "Cannot be told, a card is unknown: C called a card that could not be called: KD (R-8.1)."
    )
    assert sentence(found, lang="ja").startswith("わからないカードがあるので確かめられません：C")


@pytest.mark.parametrize(
    ("value", "english", "japanese"),
    [
        ("seats 0 to 2", "seats A to C", "AからCまで"),
        ("seats 0 2", "seats A C", "A C"),
        ("deal 2 by seat 1", "deal 2 by B", "Bによる第2ディール"),
        (
            "deal 1 MELDED_OUT by seat 2",
            "deal 1, all cards melded, by C",
            "第1ディール、全部メルドして上がり（C）",
        ),
        (
            "deal 1 STOCK_EXHAUSTED by nobody",
            "deal 1, the stock exhausted, by nobody",
            "第1ディール、山札切れ（なし）",
        ),
        (">= 3 cards", "at least 3 cards", "3枚以上"),
        (">= 1 naturals", "at least 1 natural cards", "ジョーカー以外が1枚以上"),
        ("4H or 8H", "4H or 8H", "4Hか8H"),
        ("X1=<card>", "X1 with the card it stands for", "X1が代わりをするカード"),
        ("2 of 7H", "2 of 7H", "7Hが2枚"),
        ("-15 to -2", "-15 to -2", "-15から-2まで"),
        ("5 in stock", "5 cards in the stock", "山札5枚"),
        ("32 + 1 cards", "32 + 1 cards", "山札32枚と捨て札1枚"),
        ("a meld for X1", "a meld for X1", "X1を付けるメルド"),
        ("a meld with X1", "a meld with X1", "X1のあるメルド"),
        ("deal_scored", "the scores", "得点計算"),
        ("4S 4D 4H", "4S 4D 4H", "4S 4D 4H"),
    ],
)
def test_a_value_in_words(value: str, english: str, japanese: str) -> None:
    found = Violation("STOCK_EMPTY", "R-1", 0, {"expected": value, "actual": 0})

    assert f"expected {english}, found 0" in sentence(found)
    assert f"正しくは{japanese}、実際は0" in sentence(found, lang="ja")


def test_a_code_of_another_version_is_shown_as_it_is() -> None:
    assert sentence(Violation("NEW_RULE", "R-99", 0)) == "NEW_RULE (R-99)."
    assert sentence(Violation("NEW_RULE", "R-99", 0), lang="ja") == "NEW_RULE（R-99）。"


@pytest.mark.parametrize(
    ("breaches", "unchecked", "finished", "line", "japanese"),
    [
        ([], 0, True, "no breach in 9 events", "9件の記録に違反なし"),
        (
            [4],
            0,
            True,
            "1 breach in 9 events, the first at version 4",
            "9件の記録のうち違反1件、バージョン4",
        ),
        (
            [4, 4, 6],
            0,
            True,
            "3 breaches in 9 events, the first at version 4",
            "9件の記録のうち違反3件、最初はバージョン4",
        ),
        (
            [],
            2,
            True,
            "no breach in 9 events; 2 cannot be told from the record",
            "9件の記録に違反なし。記録からは確かめられないものが2件",
        ),
        (
            [],
            0,
            False,
            "no breach in 9 events; the game is not finished",
            "9件の記録に違反なし。ゲームは終わっていません",
        ),
    ],
)
def test_a_verdict_is_one_line(
    breaches: list[int], unchecked: int, finished: bool, line: str, japanese: str
) -> None:
    assert verdict(breaches, unchecked, 9, finished=finished) == line
    assert verdict(breaches, unchecked, 9, finished=finished, lang="ja") == japanese
