"""Reports: what each part says, in which scope, and that a narrowed log makes a report without secrets."""

import json
import random
import re
from string import Formatter
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.cards import UNKNOWN
from events.chain import NIL_HEAD, event_hash, inner_hash
from events.codec import encode
from events.errors import NoSuchDeal, NoSuchVersion
from events.records import Head, StoredEvent
from events.rummy500.ruleset import SEED
from projections.audit import audit
from projections.recording import recording
from projections.report import MOST_ACTS, MOST_MOMENTS, report
from projections.report_text import Teller
from projections.report_words import ENGLISH, JAPANESE
from projections.telling import tell
from projections.views import view_event
from tests.profiles import examples
from tests.projections.tables import (
    GAME,
    discard,
    draw,
    ended,
    meld,
    position,
    record,
    scored,
    take,
)
from tests.simulations.test_breaches import KINDS, illegal

NAMES = ["Ann", "Bob", "Cyd"]
HANDS = ("AS 2S 3S KD", "4S 5S QH", "9C 9D 9H")
LOG = record(
    draw(0, "7C"),
    meld(0, 1, "AS 2S 3S"),
    discard(0, "KD"),
    draw(1, "8C"),
    meld(1, 2, "4S 5S 8C"),
    discard(1, "QH"),
    draw(2, "2D"),
    meld(2, 3, "9C 9D 9H", "group"),
    discard(2, "2D"),
    ended("DISCARDED_OUT", 2),
    scored((13, 0, 27), (13, 0, 27)),
    start=position(HANDS, turn=0),
)
CARD = re.compile(r"(?<![A-Za-z0-9])(?:[A2-9TJQK][SHDC]'?|X[1-4])(?![A-Za-z0-9])")


def told(log: Any = LOG, **asked: Any) -> Any:
    return report(GAME, log, **asked)


class TestWhatItSays:
    def test_a_breach_with_everything_about_it(self) -> None:
        first = told().primary[0]
        assert (first.finding.version, first.finding.code) == (7, "RUN_SUIT")
        moment = first.moment
        assert moment is not None
        assert moment.view["hands"][1] == ["4S", "5S", "QH", "8C"]
        assert moment.knowledge is not None
        assert (moment.knowledge.seat, moment.knowledge.at) == (1, 6)
        assert moment.acts
        assert not any(type(act) is type(first.event) and act == first.event for act in moment.acts)

    def test_what_follows_is_said_to(self) -> None:
        follows = {(one.finding.version, one.follows) for one in told().breaches}
        assert follows == {(7, None), (9, 7), (13, None), (13, 13)}

    def test_the_scorer_has_no_knowledge_and_no_acts(self) -> None:
        wrong = told().primary[-1]
        assert wrong.finding.code == "SCORE_WRONG"
        assert wrong.moment.knowledge is None
        assert wrong.moment.acts == ()
        assert [one.__struct_config__.tag for one in wrong.moment.due] == ["deal_scored"]

    def test_in_english(self) -> None:
        teller, found = Teller("en", NAMES), told()
        assert teller.scope(found) == "the whole game, events 1 to 13"
        assert teller.verdict(found).startswith("2 breaches in 13 events, the first at event 7")
        first = found.primary[0]
        assert teller.heading(first) == "Event 7, deal 1"
        assert (
            teller.happened(first)
            == "Bob melds a sequence, m2: 4 of spades, 5 of spades, 8 of clubs."
        )
        known = teller.knowledge(first.moment.knowledge)
        assert known[0] == "Own hand: 4S 5S QH 8C."
        assert "Unseen: 5 cards (stock 1, Ann's hand 1, Cyd's hand 3)." in known
        assert "B discard 4S" in teller.acts(found, first)
        assert teller.effect(first.score).startswith("Not defined: without the breach at event 7")

    def test_in_japanese(self) -> None:
        teller, found = Teller("ja", NAMES), told()
        assert teller.scope(found) == "対局全体、1手目から13手目"
        assert teller.verdict(found).startswith("13件の記録のうち違反2件、最初は7手目")
        assert all(
            line.endswith("。") for line in teller.knowledge(found.primary[0].moment.knowledge)
        )

    def test_a_card_that_everyone_saw(self) -> None:
        log = record(
            *(discard(1, "QH"), draw(2, "8C"), discard(2, "9C")),
            *(draw(0, "7C"), meld(0, 1, "AS 2S KD")),
            start=position(HANDS, phase="play", drawn="stock"),
        )
        log[3] = take(2, "QH")
        (first,) = told(log).primary
        lines = Teller("en", NAMES).knowledge(first.moment.knowledge)
        assert "Cyd has held QH since event 4; everyone saw it." in lines
        lines = Teller("ja", NAMES).knowledge(first.moment.knowledge)
        assert "Cydは4手目からQHを持っています。全員が見ました。" in lines

    def test_a_wrong_score_is_put_right(self) -> None:
        log = [one for index, one in enumerate(LOG, 1) if index != 7]
        log[-1] = scored((13, -27, 27), (13, -27, 27))
        (wrong,) = told(log).primary
        assert (
            Teller("en", NAMES).effect(wrong.score)
            == "Recorded is Ann +13, Bob -27, Cyd +27; by the rules it is Ann -1, Bob -17, Cyd +27."
        )


class TestScope:
    def test_a_deal_and_a_range(self) -> None:
        whole = told(deal=1)
        assert (whole.scope.first, whole.scope.last) == (2, 13)
        assert [one.finding.version for one in told(first=8).primary] == [13]
        assert Teller().scope(told(first=3, last=9)) == "events 3 to 9"
        assert told(first=3, last=9).events == 7

    def test_scopes_that_are_not_there(self) -> None:
        with pytest.raises(NoSuchDeal):
            told(deal=4)
        with pytest.raises(NoSuchVersion):
            told(last=99)

    def test_breaches_beyond_the_first_are_told_in_short(self) -> None:
        log = record(*[discard(2, "KH") for _ in range(MOST_MOMENTS + 5)], start=position(HANDS))
        found = told(log)
        told_whole = [one for one in found.breaches if one.moment is not None]
        assert len(told_whole) <= MOST_MOMENTS
        assert all(len(one.moment.acts) <= MOST_ACTS for one in told_whole if one.moment)

    def test_the_same_under_another_book(self) -> None:
        strict = replace(SEED, preset="strict", go_out="discard_required")
        side = told(ruleset=strict).beside
        assert side is not None
        assert (side.ruleset, side.parts_at) == ("strict", None)
        lines = Teller("en", NAMES).sides(told(ruleset=strict), side)
        assert lines[2] == "They find the same."


def stored_game(events: list[Any]) -> tuple[Head, list[StoredEvent]]:
    """A stream as the store would have it, an event a second, recorded by nobody in particular."""
    game_id, previous, stored = UUID(int=5), NIL_HEAD, []
    for version, event in enumerate(events, 1):
        body, salt, at = encode(event), bytes([version]) * 16, version * 1_000_000
        previous = event_hash(game_id, version, previous, at, UUID(int=0), inner_hash(salt, body))
        stored.append(StoredEvent(game_id, version, at, UUID(int=0), salt, previous, body))
    last = len(events)
    head = Head(game_id, "game", "rummy500", "recorded", "public", last, previous, 0, last)
    return head, stored


def test_the_chain_and_who_recorded() -> None:
    head, stored = stored_game(LOG)
    found = recording(head, stored)
    assert found.chain.holds
    assert found.chain.head == head.head
    assert [(one.events, one.first, one.last) for one in found.recorders] == [(13, 1, 13)]
    spoilt = [*stored[:4], replace(stored[4], body=encode(draw(1, "8D"))), *stored[5:]]
    assert recording(head, spoilt).chain.wrong == 5
    assert recording(replace(head, head=NIL_HEAD), stored).chain.wrong == 13
    assert "event 5" in Teller().chain(recording(head, spoilt))
    other = [*stored[:12], replace(stored[12], recorded_by=UUID(int=7))]
    assert [one.events for one in recording(head, other).recorders] == [12, 1]


def test_both_languages_have_the_same_words() -> None:
    assert ENGLISH.keys() == JAPANESE.keys()
    for key, text in ENGLISH.items():
        fields = [
            {f for _, f, _, _ in Formatter().parse(one) if f} for one in (text, JAPANESE[key])
        ]
        assert fields[0] == fields[1], key


@st.composite
def spoilt_games(draw: st.DrawFn) -> Any:
    kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    number = draw(st.integers(0, 400))
    table = kind.table(number)
    events = table.play()
    version, act = illegal(kind, table, random.Random(number))
    return table.game, [*events[: version - 1], act, *events[version:]][: version + 40], version


@given(spoilt=spoilt_games())
@examples(12, shrink=False)
def test_a_report_for_the_public_names_no_hidden_card(spoilt: Any) -> None:
    """Every card in it stands in an event that the public saw."""
    game, events, _ = spoilt
    seen = [view_event(game.name, event, "public") for event in events]
    found = report(game, seen)
    shown = set(CARD.findall(" ".join(encode(event).decode() for event in seen)))
    teller = Teller()
    for one in found.breaches:
        if one.moment is None:
            continue
        assert set(CARD.findall(json.dumps(one.moment.view))) <= shown
        for act in one.moment.acts:
            assert set(CARD.findall(encode(act).decode())) <= shown
        if one.moment.knowledge is not None:
            assert set(one.moment.knowledge.own) <= shown
            assert {UNKNOWN, *(card.card for card in one.moment.knowledge.held)} - {
                UNKNOWN
            } <= shown
            assert teller.knowledge(one.moment.knowledge)
        assert teller.happened(one) == tell(seen[one.finding.version - 1])


@given(spoilt=spoilt_games())
@examples(8, shrink=False)
def test_every_finding_of_the_audit_is_in_the_report(spoilt: Any) -> None:
    game, events, version = spoilt
    found, plain = report(game, events), audit(game, events)
    assert [one.finding for one in found.breaches] == list(plain.findings)
    assert found.unchecked == plain.unchecked
    first = found.primary[0]
    assert first.finding.version == version
    assert first.moment is not None
    assert first.event not in first.moment.acts
