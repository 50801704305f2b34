"""The recorder on a real PostgreSQL: what a refereed table refuses and adds, what a recorded one only warns of."""

import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, get_args
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import recorder, store
from events.cards import UNKNOWN, build_pack
from events.chain import text_hash
from events.codec import encode
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
    NotStorable,
    RefusedError,
    RulesetError,
    StaleVersion,
    UnknownGame,
)
from events.formats import Import
from events.game import fold
from events.recorder import Recorded
from events.rummy500.calls import open_calls
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    PileTaken,
    RummyCalled,
    StockDrawn,
    StockRenewed,
    UpcardTurned,
)
from events.rummy500.ruleset import SEED, Ruleset
from events.rummy500.state import State
from tests.simulate import RUMMY, next_event, opened, play
from tests.waiting import PATIENCE

pytestmark = pytest.mark.store

WHO = UUID(int=7)
SALT = bytes(range(16))
SMALL = Ruleset(preset="custom", deal_size=(3, 3, 3, 3, 3, 3, 3))


def open_game(
    engine: Engine, seats: int = 3, ruleset: Ruleset = SEED, mode: Mode = "refereed"
) -> Recorded:
    with engine.begin() as conn:
        return recorder.open_game(conn, opened(seats, ruleset, mode), recorded_by=WHO)


def record(
    engine: Engine, game_id: UUID, *events: Any, expected: int | None = None, **more: Any
) -> Recorded:
    """Record, committing as a caller does: also when a call that fell was stored."""
    more.setdefault("command_id", uuid4())
    with engine.connect() as conn:
        try:
            done = recorder.record(
                conn, game_id, events, expected_version=expected, recorded_by=WHO, **more
            )
        except RefusedError as refusal:
            if refusal.recorded is not None:
                conn.commit()
            raise
        conn.commit()
        return done


def stored(engine: Engine, game_id: UUID) -> list[Any]:
    with engine.connect() as conn:
        return recorder.load(conn, game_id).events


def state_of(engine: Engine, game_id: UUID) -> State:
    return fold(RUMMY, stored(engine, game_id))


def to_a_window(engine: Engine, game_id: UUID) -> State:
    """Let the player whose turn it is draw and discard."""
    state = state_of(engine, game_id)
    record(engine, game_id, StockDrawn(seat=state.turn, card=UNKNOWN))
    state = state_of(engine, game_id)
    record(engine, game_id, Discarded(seat=state.turn, card=state.hands[state.turn][0]))
    return state_of(engine, game_id)


def tags(events: Sequence[Any]) -> list[str]:
    return [str(event.__struct_config__.tag) for event in events]


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


# Calls


def wrong_call(state: State) -> RummyCalled:
    """A call by somebody who may call, of a card that is not callable."""
    seat = state.seat_after(state.turn)
    card = next(card for card in state.pile if card not in open_calls(state))
    return RummyCalled(seat=seat, card=card, accepted=True, code=None, cards=(), lay=None)


def test_a_call_that_falls_is_stored_as_refused(engine: Engine) -> None:
    """R-8.11."""
    game = open_game(engine)
    call = wrong_call(to_a_window(engine, game.game_id))
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, call)
    fallen = caught.value.recorded
    assert caught.value.violations[0].code == "NOT_CALLABLE"
    assert fallen is not None
    assert fallen.events == (
        RummyCalled(
            seat=call.seat, card=call.card, accepted=False, code="NOT_CALLABLE", cards=(), lay=None
        ),
    )
    assert stored(engine, game.game_id)[-1] == fallen.events[0]
    assert fallen.version == 9


def test_a_late_call_is_stored_with_why_it_fell(engine: Engine) -> None:
    game = open_game(engine)
    call = RummyCalled(seat=2, card="7H", accepted=True, code=None, cards=(), lay=None)
    with pytest.raises(RefusedError):
        record(engine, game.game_id, call)
    assert stored(engine, game.game_id)[-1].code == "NO_CALL_WINDOW"


def test_a_retried_call_that_fell_gives_the_first_answer(engine: Engine) -> None:
    game, command = open_game(engine), uuid4()
    call = wrong_call(to_a_window(engine, game.game_id))
    refusals = []
    for _ in range(2):
        with pytest.raises(RefusedError) as caught:
            record(engine, game.game_id, call, command_id=command)
        refusals.append(caught.value)
    first, again = refusals
    assert first.violations == again.violations
    assert (first.index, first.version, str(first)) == (again.index, again.version, str(again))
    assert again.recorded.repeated
    assert first.recorded.events == again.recorded.events
    assert first.recorded.head == again.recorded.head
    assert len(stored(engine, game.game_id)) == 9


def test_a_call_that_falls_among_other_acts_stores_nothing(engine: Engine) -> None:
    game = open_game(engine)
    state = to_a_window(engine, game.game_id)
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, wrong_call(state), Remarked(seat=None, text="0" * 64))
    assert caught.value.recorded is None
    assert len(stored(engine, game.game_id)) == 8


def test_two_calls_at_once_are_put_in_order_by_the_lock(engine: Engine) -> None:
    """R-8.10: neither names a version; the one recorded first stands, the other falls and is recorded."""
    game_id = game_with_a_callable_card(engine)
    state = state_of(engine, game_id)
    callers = [seat for seat in range(4) if seat != state.discarder][:2]
    ready = Barrier(2)

    def call(seat: int) -> Recorded | RefusedError:
        act = RummyCalled(
            seat=seat, card=open_calls(state)[0], accepted=True, code=None, cards=(), lay=None
        )
        ready.wait(PATIENCE)
        try:
            return record(engine, game_id, act)
        except RefusedError as refusal:
            return refusal

    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(call, callers))
    accepted = [one for one in answers if isinstance(one, Recorded)]
    fallen = [one for one in answers if isinstance(one, RefusedError)]
    assert len(accepted) == len(fallen) == 1
    assert fallen[0].recorded.first_version == accepted[0].version + 1
    assert fallen[0].violations[0].code == "NO_CALL_WINDOW"
    assert [event.accepted for event in stored(engine, game_id)[-2:]] == [True, False]


def game_with_a_callable_card(engine: Engine) -> UUID:
    """Store a refereed game of four in which a card lies open to a call; found among made-up games."""
    for seed in range(200):
        log = play(seed, 4)
        state = RUMMY.initial(opened(4))
        for version, event in enumerate(log[1:], 2):
            state = RUMMY.evolve(state, event)
            if open_calls(state):
                with engine.begin() as conn:
                    one = Import(uuid4(), log[:version], {}, {}, 1)
                    recorder.import_games(conn, [one], WHO)
                return one.game_id
    raise AssertionError("no made-up game has a callable card")


# Commands and versions


def test_a_retried_command_gives_the_first_answer(engine: Engine) -> None:
    game, command = open_game(engine), uuid4()
    act = StockDrawn(seat=1, card=UNKNOWN)
    first = record(engine, game.game_id, act, expected=6, command_id=command)
    again = record(engine, game.game_id, act, expected=6, command_id=command)
    assert again.repeated
    assert again.events == first.events
    assert (again.version, again.head, again.recorded_at) == (
        *(first.version, first.head, first.recorded_at),
    )
    assert len(stored(engine, game.game_id)) == 7


def test_a_retried_command_repeats_its_warnings(engine: Engine) -> None:
    game, command = open_game(engine, mode="recorded"), uuid4()
    act = Discarded(seat=1, card="7H")
    first = record(engine, game.game_id, act, command_id=command)
    record(engine, game.game_id, Retracted(back_to=1, reason="MISTAKE"))
    again = record(engine, game.game_id, act, command_id=command)
    assert first.warnings == again.warnings != ()


def test_a_command_id_stands_for_one_request(engine: Engine) -> None:
    game, command = open_game(engine), uuid4()
    record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), command_id=command)
    with pytest.raises(CommandReused):
        record(engine, game.game_id, DrawDeclined(seat=1), command_id=command)


def test_a_stale_version_is_refused_with_the_current_one(engine: Engine) -> None:
    game = open_game(engine)
    record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), expected=6)
    with pytest.raises(StaleVersion) as caught:
        record(engine, game.game_id, Discarded(seat=1, card="7H"), expected=6)
    assert (caught.value.expected, caught.value.current) == (6, 7)


def test_an_unknown_game_is_refused(engine: Engine) -> None:
    with pytest.raises(UnknownGame):
        record(engine, uuid4(), DrawDeclined(seat=1))


def test_a_game_without_events_takes_none_but_its_opening(engine: Engine) -> None:
    game_id = uuid4()
    with engine.begin() as conn:
        store.open_game(conn, game_id, "rummy500", "recorded")
    with engine.begin() as conn, pytest.raises(UnknownGame):
        recorder.record(
            conn,
            game_id,
            [StockDrawn(seat=0, card=UNKNOWN)],
            expected_version=0,
            command_id=uuid4(),
            recorded_by=WHO,
        )


def test_a_command_without_events_is_refused(engine: Engine) -> None:
    game = open_game(engine)
    with pytest.raises(NotStorable):
        record(engine, game.game_id)


@pytest.mark.parametrize("mode", ["refereed", "recorded"])
def test_a_dry_run_answers_and_stores_nothing(engine: Engine, mode: Mode) -> None:
    game, command = open_game(engine, mode=mode), uuid4()
    act: Any = (
        StockDrawn(seat=1, card=UNKNOWN) if mode == "refereed" else Discarded(seat=1, card="7H")
    )
    tried = record(engine, game.game_id, act, command_id=command, dry_run=True)
    assert tried.recorded_at == 0
    assert tried.first_version == tried.version == len(game.events) + 1
    assert stored(engine, game.game_id) == list(game.events)
    done = record(engine, game.game_id, act, command_id=command)
    assert (done.events, done.warnings) == (tried.events, tried.warnings)
    assert not done.repeated


def test_a_dry_run_of_a_call_that_falls_stores_nothing(engine: Engine) -> None:
    game = open_game(engine)
    call = wrong_call(to_a_window(engine, game.game_id))
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, call, dry_run=True)
    assert caught.value.recorded is None
    assert len(stored(engine, game.game_id)) == 8


# A recorded game


def test_a_recorded_game_stores_facts_as_they_are_and_warns(engine: Engine) -> None:
    game = open_game(engine, mode="recorded")
    done = record(engine, game.game_id, Discarded(seat=1, card="7H"), StockDrawn(seat=2, card="8H"))
    assert [(version, found.code) for version, found in done.warnings] == [
        *((2, "NOT_PLAY_PHASE"), (2, "NOT_IN_HAND"), (3, "HAND_OVER"))
    ]
    assert stored(engine, game.game_id)[1:] == list(done.events)


def test_a_recorded_clean_game_has_no_warning(engine: Engine) -> None:
    log = play(2, 3, mode="recorded")
    game = open_game(engine, mode="recorded")
    done = record(engine, game.game_id, *log[1:])
    assert done.warnings == ()
    assert state_of(engine, game.game_id) == fold(RUMMY, log)


def test_a_recorded_game_goes_back(engine: Engine) -> None:
    log = play(2, 3, mode="recorded")
    game = open_game(engine, mode="recorded")
    record(engine, game.game_id, *log[1:20])
    record(engine, game.game_id, Retracted(back_to=10, reason="MISTAKE"), *log[10:20])
    assert state_of(engine, game.game_id) == fold(RUMMY, log[:20])


@pytest.mark.parametrize("back_to", [2, 5, 99], ids=["itself", "nothing after", "unknown"])
def test_there_must_be_something_to_go_back_from(engine: Engine, back_to: int) -> None:
    game = open_game(engine, mode="recorded")
    record(engine, game.game_id, *play(2, 3, mode="recorded")[1:5])
    at = 5 if back_to == 2 else back_to
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, Retracted(back_to=at, reason="MISTAKE"))
    assert caught.value.violations[0].code == "NOTHING_TO_RETRACT"


def test_what_was_retracted_is_not_gone_back_to(engine: Engine) -> None:
    game = open_game(engine, mode="recorded")
    record(engine, game.game_id, *play(2, 3, mode="recorded")[1:9])
    record(engine, game.game_id, Retracted(back_to=4, reason="MISTAKE"))
    with pytest.raises(RefusedError):
        record(engine, game.game_id, Retracted(back_to=6, reason="MISTAKE"))


# Remarks


def test_a_remarks_text_lies_beside_the_log(engine: Engine) -> None:
    game, words = open_game(engine), "Zoë says: “no”"
    remark = Remarked(seat=2, text=text_hash(SALT, words).hex())
    done = record(engine, game.game_id, remark, texts={0: (SALT, words)})
    with engine.connect() as conn:
        text = store.texts(conn, game.game_id)[done.version]
        bodies = b"".join(event.body for event in store.read(conn, game.game_id))
    assert (text.salt, text.text) == (SALT, words)
    assert words.encode() not in bodies


def test_of_several_events_the_text_belongs_to_its_remark(engine: Engine) -> None:
    game = open_game(engine)
    remark = Remarked(seat=None, text=text_hash(SALT, "well drawn").hex())
    act = StockDrawn(seat=1, card=UNKNOWN)
    record(engine, game.game_id, act, remark, texts={1: (SALT, "well drawn")})
    with engine.connect() as conn:
        assert list(store.texts(conn, game.game_id)) == [8]


def test_a_text_that_is_not_the_one_hashed_is_refused(engine: Engine) -> None:
    game = open_game(engine)
    remark = Remarked(seat=None, text=text_hash(SALT, "one").hex())
    for text in ((SALT, "two"), (bytes(16), "one")):
        with pytest.raises(RefusedError) as caught:
            record(engine, game.game_id, remark, texts={0: text})
        assert caught.value.violations[0].code == "TEXT_HASH_WRONG"


def test_only_a_remark_has_a_text(engine: Engine) -> None:
    game = open_game(engine)
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), texts={0: (SALT, "hello")})
    assert caught.value.violations[0].code == "TEXT_HASH_WRONG"


# Importing


def test_importing_again_changes_nothing_and_says_so(engine: Engine) -> None:
    games = [Import(uuid4(), list(play(seed, 3, mode="recorded")), {}, {}, 1) for seed in (1, 2)]
    with engine.begin() as conn:
        first = recorder.import_games(conn, games, WHO)
    with engine.begin() as conn:
        again = recorder.import_games(conn, games, WHO)
    ids = [one.game_id for one in games]
    assert (first.imported, first.present) == (ids, [])
    assert first.events == sum(len(one.events) for one in games)
    assert (again.imported, again.present, again.events) == ([], ids, 0)
    assert stored(engine, ids[1]) == games[1].events


def test_an_imported_game_is_stored_whole_with_names_and_remarks(engine: Engine) -> None:
    words = "refused by the program"
    remark = Remarked(seat=1, text=text_hash(SALT, words).hex())
    log = [*play(1, 2, mode="recorded"), remark]
    player = log[0].seats[0]  # type: ignore[union-attr]
    one = Import(uuid4(), log, {player: "Ann"}, {len(log): (SALT, words)}, 1)
    with engine.begin() as conn:
        recorder.import_games(conn, [one], WHO)
    with engine.connect() as conn:
        assert store.people(conn, [UUID(player)]) == {UUID(player): "Ann"}
        assert store.texts(conn, one.game_id)[len(log)].text == words
        assert [event.body for event in store.read(conn, one.game_id)] == list(map(encode, log))


def test_a_file_that_breaks_in_the_middle_stores_nothing(engine: Engine) -> None:
    def broken() -> Any:
        yield Import(uuid4(), list(play(1, 2, mode="recorded")), {}, {}, 1)
        raise RuntimeError("the reader stops here")

    with pytest.raises(RuntimeError), engine.begin() as conn:
        recorder.import_games(conn, broken(), WHO)
    with engine.connect() as conn:
        assert store.heads(conn, limit=5) == []


def test_a_version_is_loaded_up_to_it(engine: Engine) -> None:
    game = open_game(engine)
    with engine.connect() as conn:
        log = recorder.load(conn, game.game_id, upto=3)
    assert log.events == list(game.events[:3])
    assert log.head.version == 6


def test_a_pile_of_unknown_cards_is_taken_by_its_number(engine: Engine) -> None:
    """A client may leave public cards unnamed; the table knows them."""
    game = open_game(engine)
    upcard = state_of(engine, game.game_id).pile
    record(engine, game.game_id, PileTaken(seat=1, cards=(UNKNOWN,)))
    assert upcard[0] in state_of(engine, game.game_id).hands[1]
