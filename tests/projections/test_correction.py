"""What the scores would be: equal to the recorded ones of a clean game, and put right where a scorer erred."""

import random
from typing import Any

import pytest

from events.common import DealScored, GameEnded
from events.games import RUMMY500
from events.lanterloo.events import AntePaid, SessionDivided
from events.rummy500.ruleset import SEED, Ruleset
from projections.audit import audit
from projections.correction import Correction, Undefined, corrected
from projections.views import view_event
from tests.projections.tables import (
    back_to,
    discard,
    draw,
    ended,
    lay,
    meld,
    position,
    record,
    remark,
    scored,
    won,
)
from tests.simulations.test_breaches import KINDS, illegal, wrong_payment
from tests.simulations.test_primary import wrong_score

HANDS = ("AS 2S 3S KD", "4S 5S QH", "9C 9D 9H")
GAMES = range(8)


def game(*events: Any, ruleset: Ruleset = SEED, **start: Any) -> list[Any]:
    """A deal of three in which A goes out: 6 points, B lays off nothing."""
    acts = (draw(0, "7C"), meld(0, 1, "AS 2S 3S"), discard(0, "KD"), draw(1, "8C"))
    return record(*acts, *events, ruleset=ruleset, start=position(HANDS, turn=0, **start))


def ending(*points: int, totals: tuple[int, ...] = ()) -> list[Any]:
    """C goes out and the deal is scored so."""
    rest = (discard(1, "QH"), draw(2, "2D"), meld(2, 2, "9C 9D 9H", "group"), discard(2, "2D"))
    events: list[Any] = game(*rest, ended("DISCARDED_OUT", 2))
    return [*events, scored(points, totals or points)]


RIGHT = (-1, -17, 27)


def only(found: Correction) -> Any:
    (deal,) = found.deals
    return deal


class TestRummy:
    def test_what_is_right_stays(self) -> None:
        found = corrected(RUMMY500, ending(*RIGHT))
        assert (only(found).corrected, found.totals, found.undefined) == (RIGHT, RIGHT, None)
        assert not only(found).differs

    @pytest.mark.parametrize(
        "points",
        [
            pytest.param((13, -17, 27), id="a low ace counted fifteen"),
            pytest.param((6, 0, 27), id="cards in hand forgotten"),
            pytest.param((-1, -16, 27), id="wrong addition"),
            pytest.param((5, -23, 27), id="a layer credited to the wrong player"),
        ],
    )
    def test_scorers_errors_are_put_right(self, points: tuple[int, ...]) -> None:
        found = corrected(RUMMY500, ending(*points))
        assert only(found).recorded == points
        assert only(found).corrected == found.totals == RIGHT
        assert only(found).differs
        assert found.recorded == points

    def test_a_wrong_total_alone(self) -> None:
        found = corrected(RUMMY500, ending(*RIGHT, totals=(-1, -7, 27)))
        assert (only(found).differs, found.recorded, found.totals) == (False, (-1, -7, 27), RIGHT)

    def test_a_layer_counts_for_who_laid_it(self) -> None:
        acts = (
            lay(1, "4S", 1),
            discard(1, "QH"),
            ended("ABANDONED", None),
            scored((10, 0, 0), (10, 0, 0)),
        )
        found = corrected(RUMMY500, game(*acts))
        assert only(found).corrected == (6, 4, 0)

    def test_an_act_against_the_rules_leaves_no_score(self) -> None:
        events = ending(*RIGHT)
        events[3] = meld(0, 1, "AS 2S KD")
        found = corrected(RUMMY500, events)
        assert only(found).corrected is None
        assert only(found).undefined == Undefined("act_breach", 4, "RUN_SUIT")
        assert found.totals is None

    def test_a_retracted_breach_is_none(self) -> None:
        events = ending(*RIGHT)
        wrong = [*events[:3], meld(0, 1, "AS 2S KD"), back_to(3), *events[3:]]
        assert corrected(RUMMY500, wrong).totals == RIGHT

    def test_a_game_that_should_have_gone_on_or_ended(self) -> None:
        events = ending(*RIGHT, totals=(-1, -17, 527))
        events[1] = position(HANDS, turn=0, totals=(0, 0, 470))
        found = corrected(RUMMY500, [*events, won(2)])
        assert found.undefined == Undefined("would_go_on", len(events) + 1)
        assert found.recorded_winner == 2
        events[1] = position(HANDS, turn=0, totals=(0, 0, 480))
        assert corrected(RUMMY500, [*events, won(2)]).winner == 2

    def test_hidden_hands_leave_it_open(self) -> None:
        narrow = [view_event("rummy500", one, "public") for one in ending(*RIGHT)]
        found = corrected(RUMMY500, narrow)
        assert only(found).undefined == Undefined("unknown_cards")
        assert only(found).corrected[2] == 27

    def test_an_unfinished_deal_has_none(self) -> None:
        assert only(corrected(RUMMY500, game())).undefined == Undefined("unfinished")


def scores(found: Correction) -> list[Any]:
    return [deal.corrected for deal in found.deals]


def recorded_scores(events: list[Any]) -> list[Any]:
    return [event.scores for event in events if isinstance(event, DealScored)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", GAMES)
def test_clean_games_stay_as_they_are(kind: str, number: int) -> None:
    table = KINDS[kind].table(number)
    events = table.play()
    found = corrected(table.game, events)
    assert [one for one in scores(found) if one] == recorded_scores(events)
    assert found.totals == found.recorded
    assert found.winner == found.recorded_winner


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", GAMES)
def test_a_wrong_figure_is_put_right(kind: str, number: int) -> None:
    table = KINDS[kind].table(number)
    events, chance = table.play(), random.Random(number)
    ways = [wrong_score, wrong_payment] if table.game.name == "lanterloo" else [wrong_score]
    version, spoilt = ways[number % len(ways)](KINDS[kind], table, chance)
    found = corrected(table.game, [*events[: version - 1], spoilt, *events[version:]])
    assert [one for one in scores(found) if one] == recorded_scores(events)
    assert found.totals == corrected(table.game, events).totals


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", GAMES)
def test_a_breach_leaves_its_own_deal_open(kind: str, number: int) -> None:
    table = KINDS[kind].table(number)
    events = table.play()
    version, spoilt = illegal(KINDS[kind], table, random.Random(number))
    log = [*events[: version - 1], spoilt, *events[version:]]
    found = corrected(table.game, log)
    deal = found.of(version)
    assert deal is not None
    assert (deal.corrected, found.totals) == (None, None)
    assert deal.undefined is not None
    assert deal.undefined.version == version
    code = {one.code for one in audit(table.game, log).findings if one.version == version}
    assert deal.undefined.code in code
    if table.game.name == "rummy500":
        others = [one.corrected for one in found.deals if one is not deal]
        clean = [one.corrected for one in corrected(table.game, events).deals]
        del clean[found.deals.index(deal)]
        assert others == clean


class TestLoo:
    @pytest.mark.parametrize("kind", KINDS)
    def test_remarks_change_nothing(self, kind: str) -> None:
        table = KINDS[kind].table(1)
        events = table.play()
        noted = [events[0], *(one for event in events[1:] for one in (remark(), event))]
        assert scores(corrected(table.game, noted)) == scores(corrected(table.game, events))

    def test_a_pool_wrongly_divided_when_the_session_is_broken_off(self) -> None:
        table = KINDS["loo3"].table(0)
        events = table.play()
        cut = next(v for v, event in enumerate(events, 1) if isinstance(event, AntePaid))
        pool, seats = events[cut - 1].amount, len(events[0].seats)
        wrong = SessionDivided(shares=(*[0] * (seats - 1), pool))
        log = [*events[:cut], wrong, GameEnded(winner=None, abandoned=True)]
        found = corrected(table.game, log)
        assert found.undefined is None
        assert found.totals is not None
        assert sum(found.totals) == 0
        assert found.recorded != found.totals
