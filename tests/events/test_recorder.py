"""The recorder on a real PostgreSQL: how a table is opened, and what a refereed one refuses and adds."""

import random
from collections import Counter
from typing import Any, get_args
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from events import recorder, store
from events.cards import UNKNOWN, build_pack
from events.common import (
    DealEnded,
    DealScored,
    Dealt,
    GameEnded,
    Mode,
    Remarked,
    Retracted,
    Shuffled,
)
from events.errors import (
    CommandReused,
    RefusedError,
    RulesetError,
)
from events.game import fold
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    RummyCalled,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.ruleset import Ruleset
from tests.events.recording import WHO, open_game, record, state_of, stored, tags
from tests.simulate import RUMMY, next_event, opened

pytestmark = pytest.mark.store

# Opening


def test_a_refereed_game_is_shuffled_and_dealt_when_it_is_opened(engine: Engine) -> None:
    done = open_game(engine, 3)
    assert tags(done.events) == [
        *("game_opened", "shuffled", "dealt", "dealt", "dealt", "upcard_turned")
    ]
    assert (done.first_version, done.version, done.repeated) == (1, 6, False)
    shuffled = done.events[1]
    assert shuffled.method == "os_random"
    assert sorted(shuffled.deck) == sorted(build_pack(1, 2))
    assert [len(event.cards) for event in done.events[2:5]] == [7, 7, 7]
    assert stored(engine, done.game_id) == list(done.events)


def test_no_two_deals_are_shuffled_alike(engine: Engine) -> None:
    decks = [open_game(engine).events[1].deck for _ in range(3)]
    assert len(set(decks)) == 3


def test_a_recorded_game_begins_empty(engine: Engine) -> None:
    done = open_game(engine, mode="recorded")
    assert tags(done.events) == ["game_opened"]


def test_opening_again_gives_the_first_answer(engine: Engine) -> None:
    game_id, opening = uuid4(), opened(3)
    with engine.begin() as conn:
        first = recorder.open_game(conn, opening, game_id=game_id, recorded_by=WHO)
    with engine.begin() as conn:
        again = recorder.open_game(conn, opening, game_id=game_id, recorded_by=WHO)
    assert again.repeated
    assert (again.events, again.head, again.recorded_at) == (
        *(first.events, first.head, first.recorded_at),
    )


def test_another_game_under_the_same_id_is_refused(engine: Engine) -> None:
    game_id = uuid4()
    with engine.begin() as conn:
        recorder.open_game(conn, opened(3), game_id=game_id, recorded_by=WHO)
    with engine.begin() as conn, pytest.raises(CommandReused):
        recorder.open_game(conn, opened(4), game_id=game_id, recorded_by=WHO)
    with engine.begin() as conn, pytest.raises(CommandReused):
        recorder.open_game(conn, opened(3), game_id=game_id, recorded_by=WHO, visibility="unlisted")


@pytest.mark.parametrize(
    ("ruleset", "codes", "words"),
    [
        (Ruleset(packs=1, jokers_per_pack=0, deal_size=(26,) * 7), ["PACK_TOO_SMALL"], "79"),
        (Ruleset(max_players=2), ["TOO_MANY_PLAYERS"], "2 to 2"),
        (Ruleset(wild_swap=True), ["OPTIONS_CONTRADICT"], "variant=rummy5000"),
        (Ruleset(first_player="recorded"), ["OPTIONS_CONTRADICT"], "mode=recorded"),
        (
            Ruleset(rummy="none", false_call_penalty=5, run_two_aces=True, runs="around_corner"),
            ["OPTIONS_CONTRADICT", "OPTIONS_CONTRADICT"],
            "run_two_aces",
        ),
    ],
    ids=["pack", "players", "no wild cards", "mode", "two reasons"],
)
def test_options_that_cannot_be_played_are_refused_with_every_reason(
    engine: Engine, ruleset: Ruleset, codes: list[str], words: str
) -> None:
    with engine.begin() as conn, pytest.raises(RulesetError, match=words) as caught:
        recorder.open_game(conn, opened(3, ruleset), recorded_by=WHO)
    assert [found.code for found in caught.value.violations] == codes
    with engine.connect() as conn:
        assert store.heads(conn, limit=5) == []


# A refereed table


def test_the_service_says_which_card_was_drawn(engine: Engine) -> None:
    game = open_game(engine)
    top = state_of(engine, game.game_id).stock[0]
    done = record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), expected=6)
    assert done.events == (StockDrawn(seat=1, card=top),)
    assert (done.first_version, done.version, done.warnings) == (7, 7, ())


def test_an_illegal_act_is_refused_and_nothing_is_stored(engine: Engine) -> None:
    game = open_game(engine)
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, Discarded(seat=1, card="7H"))
    refusal = caught.value
    assert refusal.violations[0].code == "NOT_PLAY_PHASE"
    assert (refusal.index, refusal.version, refusal.recorded) == (0, 6, None)
    assert stored(engine, game.game_id) == list(game.events)


def test_of_several_acts_all_are_stored_or_none(engine: Engine) -> None:
    game = open_game(engine)
    with pytest.raises(RefusedError) as caught:
        record(
            engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), StockDrawn(seat=1, card=UNKNOWN)
        )
    assert caught.value.index == 1
    assert caught.value.violations[0].code == "NOT_DRAW_PHASE"
    assert len(stored(engine, game.game_id)) == 6


FOR_THE_SERVICE = [
    StockDrawn(seat=1, card="7H"),
    Dealt(seat=1, cards=("7H",)),
    Shuffled(deal=1, dealer=0, method="mine", deck=build_pack(1, 2)),
    UpcardTurned(card="7H"),
    DealEnded(deal=1, reason="MELDED_OUT", out=1),
    DealScored(deal=1, scores=(0, 500, 0), totals=(0, 500, 0)),
    GameEnded(winner=1, abandoned=False),
    StockRenewed(seat=1, stock=("7H",), pile=("8H",)),
    Retracted(back_to=3, reason="MISTAKE"),
    RummyCalled(seat=1, card="7H", accepted=False, code="NOT_CALLABLE", cards=(), lay=None),
    RummyCalled(seat=1, card="7H", accepted=True, code="NOT_CALLABLE", cards=(), lay=None),
    DiscardChallenged(seat=1, card="7H", accepted=False, code="NOT_CALLABLE"),
    opened(3),
]


@pytest.mark.parametrize("event", FOR_THE_SERVICE, ids=lambda event: type(event).__name__)
def test_what_only_the_service_writes_is_refused_by_shape(engine: Engine, event: Any) -> None:
    game = open_game(engine)
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, event)
    assert caught.value.recorded is None
    assert caught.value.violations[0].code in {
        *("OUTCOME_NAMED", "SERVICE_DOES_THIS", "NOTHING_TO_RETRACT", "GAME_IS_OPEN")
    }
    assert stored(engine, game.game_id) == list(game.events)


def test_a_named_stock_card_is_refused_before_the_table_is_looked_at(engine: Engine) -> None:
    """Whoever names the very card must not learn from the answer that it was right."""
    game = open_game(engine)
    top = state_of(engine, game.game_id).stock[0]
    answers = []
    for card in (top, "7H" if top != "7H" else "8H"):
        with pytest.raises(RefusedError) as caught:
            record(engine, game.game_id, StockDrawn(seat=1, card=card))
        answers.append([(found.code, found.rule) for found in caught.value.violations])
    assert answers == [[("OUTCOME_NAMED", "R-6.2")]] * 2


def test_a_seat_that_is_not_there_is_refused(engine: Engine) -> None:
    for mode in get_args(Mode):
        game = open_game(engine, mode=mode)
        with pytest.raises(RefusedError) as caught:
            record(engine, game.game_id, Discarded(seat=5, card="7H"))
        assert caught.value.violations[0].code == "NO_SUCH_SEAT"


def test_a_whole_refereed_game_is_played_by_acts_alone(engine: Engine) -> None:
    """Clients send acts of players, the service adds all the rest, up to the end of the game."""
    ruleset = Ruleset(preset="custom", target=40, deal_size=(3, 3, 3, 3, 3, 3, 3))
    game, rng = open_game(engine, 3, ruleset), random.Random(5)
    state = state_of(engine, game.game_id)
    while state.phase != "ended":
        act = next_event(state, rng)
        if isinstance(act, StockDrawn):
            act = StockDrawn(seat=act.seat, card=UNKNOWN)
        done = record(engine, game.game_id, act)
        state = fold(RUMMY, stored(engine, game.game_id))
        assert RUMMY.due(state) == ()
        assert done.events[0] == act or isinstance(act, StockDrawn)
    log = stored(engine, game.game_id)
    clean = RUMMY.initial(log[0])
    for event in log[1:]:
        assert RUMMY.judge(clean, event) == ()
        clean = RUMMY.evolve(clean, event)
    counts = Counter(tags(log))
    assert counts["deal_scored"] == counts["shuffled"] == counts["deal_ended"]
    assert counts["game_ended"] == 1
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, StockDrawn(seat=state.turn, card=UNKNOWN))
    assert caught.value.violations[0].code == "HAND_OVER"


def test_an_empty_stock_is_renewed_by_the_service(engine: Engine) -> None:
    """D-R12: two players with 25 cards each leave one card in the stock."""
    ruleset = Ruleset(
        preset="custom",
        jokers_per_pack=0,
        deal_size=(25, 7, 7, 7, 7, 7, 7),
        stock_out="reshuffle_all_but_top",
        rummy="none",
    )
    game = open_game(engine, 2, ruleset)
    record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN))
    hand = state_of(engine, game.game_id).hands[1]
    record(engine, game.game_id, Discarded(seat=1, card=hand[0]))
    done = record(engine, game.game_id, StockDrawn(seat=0, card=UNKNOWN))
    assert tags(done.events) == ["stock_renewed", "stock_drawn"]
    assert done.events[1].card == done.events[0].stock[0]


def test_a_game_is_broken_off_once_and_for_nobody(engine: Engine) -> None:
    game = open_game(engine)
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, GameEnded(winner=1, abandoned=True))
    assert caught.value.violations[0].code == "WINNER_WRONG"
    record(engine, game.game_id, GameEnded(winner=None, abandoned=True))
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, GameEnded(winner=None, abandoned=True))
    assert caught.value.violations[0].code == "HAND_OVER"
    record(engine, game.game_id, Remarked(seat=None, text="0" * 64))
