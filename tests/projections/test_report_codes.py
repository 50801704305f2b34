"""Every code of both rule books: a game whose report shows it, as a breach of its own, in both languages."""

import re
from typing import Any

import pytest

from events.common import Shuffled
from events.game import Game, effective, fold
from events.games import LANTERLOO, RUMMY500
from projections import lanterloo_words
from projections.report import AuditReport, Told, report
from projections.report_text import Teller
from projections.words_en import FAULTS
from tests.events.lanterloo.table import LOO, drawn_for
from tests.events.rummy500.helpers import Table
from tests.projections.test_explain import WORDS
from tests.projections.test_lanterloo_why import OF_THE_PAGE
from tests.projections.why_lanterloo import Case as LooCase
from tests.projections.why_lanterloo_faulty import FAULTY as LOO_CASES
from tests.projections.why_rummy500 import Case as RummyCase
from tests.projections.why_rummy500_faulty import FAULTY as RUMMY_CASES
from tests.projections.why_rummy500_faulty import NOT_OF_JUDGE
from tests.simulate import RUMMY, opened

# What no event on record can break: options of a table that could not be opened.
OF_OPENINGS = NOT_OF_JUDGE | {"AMOUNT_INDIVISIBLE", "TOO_FEW_PLAYERS"}
# In words of their own: cards, card notation, codes of the program.
CODE = re.compile(r"[A-Z]+_[A-Z_]+")


def rummy_log(case: RummyCase) -> list[Any]:
    """The whole log of a case, its act last."""
    if not case.table:
        dealing = Shuffled(deal=1, dealer=0, method="by hand", deck=("??",) * 54)
        return [opened(3, mode="recorded"), dealing, case.act]
    table = Table(**case.table)
    for act in case.before:
        if act in ("end", "score"):
            table.record(RUMMY.due(table.state)[0])
        else:
            table.record(act)
    last = table.read(case.act) if isinstance(case.act, str) else case.act
    return [*table.events, last]


def loo_log(case: LooCase) -> list[Any]:
    """The whole log of a case, its act last."""
    table = case.table()
    act = table.read(case.act) if isinstance(case.act, str) else case.act
    if table.state.phase == "cut":
        return [drawn_for(table.events[0]), act]  # type: ignore[arg-type]
    assert fold(LOO, table.events) == table.state
    return [*table.events, act]


CODES: list[tuple[Game[Any, Any], str]] = [
    *((RUMMY500, code) for code in sorted(RUMMY_CASES)),
    *((LANTERLOO, code) for code in sorted(LOO_CASES)),
]


def reported(game: Game[Any, Any], code: str) -> tuple[AuditReport, Told]:
    """Return the report of a code's game, and what it says at the last version."""
    log = rummy_log(RUMMY_CASES[code]) if game is RUMMY500 else loo_log(LOO_CASES[code])
    found = report(game, log)
    assert effective(log)[-1][0] == len(log)
    return found, next(one for one in found.breaches if one.finding.version == len(log))


def test_every_code_has_its_game() -> None:
    told = {code for _, code in CODES}
    known = FAULTS.keys() | lanterloo_words.ENGLISH.keys()
    assert known - OF_OPENINGS <= told
    assert told >= OF_THE_PAGE


@pytest.mark.parametrize(("game", "code"), CODES, ids=[f"{g.name}-{c}" for g, c in CODES])
def test_its_report_shows_it(game: Game[Any, Any], code: str) -> None:
    found, breach = reported(game, code)
    assert breach.finding.code == code
    assert breach.follows is None
    for lang in ("en", "ja"):
        check_words(Teller(lang), found, breach, lang)


def check_words(teller: Teller, found: AuditReport, breach: Told, lang: str) -> None:
    """Every sentence is whole: no gap, no code in it, in Japanese no English word."""
    moment = breach.moment
    assert moment is not None
    end = "." if lang == "en" else "。"
    lines = [
        teller.verdict(found),
        teller.sentence(breach.finding),
        teller.happened(breach),
        *teller.due(breach),
        teller.breach_effect(breach),
    ]
    if moment.knowledge is not None:
        lines += teller.knowledge(moment.knowledge)
        assert moment.acts or teller.acts(found, breach) is not None
    for line in lines:
        assert line.endswith(end), line
        assert not re.search(r"[{}]|None", line), line
        plain = re.sub(r"[（(][A-Z_]+[)）]", "", line)
        assert not CODE.search(plain), line
        if lang == "ja":
            assert not WORDS.search(plain), line
