"""Statistics of cards and scores: silent where there is nothing, awake where there is, and never about hidden cards."""

import random
from collections.abc import Callable
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.cards import ALL_CARDS, FIRST_PACK, build_pack
from events.common import (
    AMOUNT_LIMIT,
    DealEnded,
    DealScored,
    Dealt,
    Event,
    GameEnded,
    GameOpened,
    Retracted,
    Shuffled,
)
from events.lanterloo.events import TurnUp
from events.lanterloo.ruleset import FORMS
from events.rummy500.events import FirstCardTurned, PositionSet
from events.rummy500.ruleset import PRESETS
from projections.chances import Tally, outlook
from projections.chances_told import Answer
from projections.significance import LEVEL
from tests import simulate
from tests.events.lanterloo import table as loo
from tests.profiles import examples
from tests.seeing import seen_by
from tests.simulate import opened

PEOPLE = 3
PACK = build_pack(1, 2)


def game(rng: random.Random, deals: int, favour: float = 0.0, gain: int = 0) -> list[Event]:
    """A record in which the dealer of seat 0 finds an ace more now and then, or has more points when dealing."""
    log: list[Event] = [opened(PEOPLE, PRESETS["seed"])]
    for deal in range(1, deals + 1):
        dealer = (deal - 1) % PEOPLE
        deck = list(PACK)
        rng.shuffle(deck)
        if dealer == 0 and rng.random() < favour:
            wanted = next(at for at, card in enumerate(deck) if card[0] == "A" and at >= 7)
            plain = next(at for at, card in enumerate(deck[:7]) if card[0] != "A")
            deck[wanted], deck[plain] = deck[plain], deck[wanted]
        log.append(Shuffled(deal=deal, dealer=dealer, method="hand", deck=tuple(deck)))
        for step in range(PEOPLE):
            seat = (dealer + step) % PEOPLE
            log.append(Dealt(seat=seat, cards=tuple(deck[7 * step : 7 * step + 7])))
        scores = [rng.randint(-50, 120) for _ in range(PEOPLE)]
        scores[0] += gain * (dealer == 0)
        log.append(DealEnded(deal=deal, reason="went_out", out=0))
        log.append(DealScored(deal=deal, scores=tuple(scores), totals=tuple(scores)))
    return log


def players(log: list[Event]) -> tuple[str, ...]:
    assert isinstance(log[0], GameOpened)
    return log[0].seats


def answer(*logs: list[Event], dealer: str | None = None, **asked: float) -> Answer:
    tally = Tally(dealer)
    for log in logs:
        tally.add(log)
    return tally.answer(**asked)


def test_well_shuffled_packs_are_seldom_called_unusual():
    """The corrected level holds for the whole report: at most 5 % of reports have an unusual number."""
    unusual, rounds = 0, 80
    for seed in range(rounds):
        log = game(random.Random(seed), 48)
        found = answer(log, dealer=players(log)[0])
        assert found.tests == len(found.questions) == 3 * PEOPLE + 2 * PEOPLE
        unusual += bool(found.unusual)
    assert unusual / rounds <= 0.1


def test_a_dealer_with_too_many_aces_is_seen_and_nobody_else_as_dealer():
    log = game(random.Random(7), 600, favour=0.6)
    seats = players(log)
    found = answer(log, dealer=seats[0])
    # What he has too much of the others have too little of; his own hand is the most unusual.
    most = min(found.questions, key=lambda one: one.p_value)
    assert (most.kind, most.position, most.is_unusual) == ("aces", 0, True)
    assert most.seen > most.expected
    assert answer(log, dealer=seats[1]).unusual == ()
    assert found.deals == 200


def test_a_planted_bias_is_seen_in_about_the_promised_number_of_deals():
    """Whole reports, with all their other numbers: an ace more in every fourth hand of the dealer."""
    bias, rounds, shown = 0.25, 40, 0
    usual = answer(game(random.Random(1), 90), dealer=players(game(random.Random(1), 1))[0])
    needed = next(one.needed for one in usual.questions if one.kind == "aces")
    assert needed is not None
    for seed in range(rounds):
        log = game(random.Random(seed), needed * PEOPLE, favour=bias)
        found = answer(log, dealer=players(log)[0])
        shown += any(one.kind == "aces" and one.position == 0 for one in found.unusual)
    assert 0.6 < shown / rounds <= 1


def test_a_dealer_who_scores_more_when_dealing_is_seen_beside_the_same_players():
    log = game(random.Random(3), 240, gain=90)
    seats = players(log)
    found = answer(log, dealer=seats[0])
    assert {one.kind for one in found.unusual} <= {"places", "apart"}
    own = next(one for one in found.questions if (one.kind, one.position) == ("apart", 0))
    assert own.is_unusual
    assert own.seen > own.expected
    assert own.reference == "comparison"


def test_a_strong_player_is_no_unusual_dealer():
    """He has more points whoever deals: his places are unusual, but not beside his own at others' deals."""
    log: list[Event] = [
        replace(one, scores=((one.scores[0] or 0) + 60, *one.scores[1:]))
        if isinstance(one, DealScored)
        else one
        for one in game(random.Random(5), 240)
    ]
    found = answer(log, dealer=players(log)[0])
    assert {one.kind for one in found.unusual} == {"places"}


def changed(log: list[Event], at: int, event: Event) -> list[Event]:
    return [*log[:at], event, *log[at + 1 :]]


ACES = ("AS", "AH", "AD", "AC", "AS", "2S", "3S")
CASES: dict[str, Callable[[list[Event]], list[Event]]] = {
    "a card is not known": lambda log: changed(log, 2, Dealt(seat=0, cards=("??",) * 7)),
    "five aces of one pack": lambda log: changed(log, 2, Dealt(seat=0, cards=ACES)),
    "a joker too many": lambda log: changed(log, 2, Dealt(seat=0, cards=("X3",))),
    "a card of another pack": lambda log: changed(log, 2, Dealt(seat=0, cards=("7H'", "7H"))),
    "nobody sits there": lambda log: changed(log, 2, Dealt(seat=7, cards=FIRST_PACK[:7])),
    "a deck of one card": lambda log: changed(
        log, 1, Shuffled(deal=1, dealer=0, method="hand", deck=("??",))
    ),
    "more than the deck": lambda log: changed(log, 2, Dealt(seat=0, cards=FIRST_PACK)),
    "a card that says how many come": lambda log: [
        *log[:2],
        FirstCardTurned(seat=0, card="AS"),
        *log[2:],
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_hands_that_cannot_be_counted_are_left_out_and_told(case: str):
    log = CASES[case](game(random.Random(1), 4))
    found = answer(log)
    assert (found.deals, found.unknown, found.scored) == (3, 1, 4)
    assert all(one.hands == 3 for one in found.questions if one.reference == "shuffle")


def test_a_position_that_was_set_up_is_no_deal():
    log = game(random.Random(1), 2)
    position = PositionSet(
        deal=3, dealer=0, wild=None, turn=0, phase="draw", stock=("2S",), pile=(), melds=(),
        hands=(("3S",), ("4S",), ("5S",)), drawn=None, taken=(), duty=None, discarder=None,
        floaters=(), totals=(0, 0, 0),
    )  # fmt: skip
    after = DealScored(deal=3, scores=(1, 2, 3), totals=(1, 2, 3))
    ended = DealEnded(deal=3, reason="went_out", out=0)
    assert answer([*log, position, ended, after]) == answer(log)


def test_what_was_taken_back_does_not_count():
    log = game(random.Random(1), 3)
    back = [*log, Retracted(back_to=len(log) - 6, reason="MISTAKE")]
    assert answer(back).deals == 2
    assert answer(back).questions == answer(log[:-6]).questions


def test_deals_in_play_are_left_out_for_everybody_but_the_owner():
    log = game(random.Random(1), 3)[:-2]
    found = answer(log)
    assert (found.deals, found.in_play) == (2, 1)
    whole = Tally(is_whole=True)
    whole.add(log)
    assert (whole.answer().deals, whole.answer().in_play) == (3, 0)


GAMES: dict[str, Callable[[int], list[Any]]] = {
    "rummy500": lambda seed: list(simulate.play(seed, PEOPLE, deals=3)),
    "loo3": lambda seed: list(loo.play(seed, PEOPLE, loo.ruleset("loo3"), deals=3)),
    "loo5": lambda seed: list(loo.play(seed, PEOPLE, loo.ruleset("loo5"), deals=3)),
}


@pytest.mark.parametrize("kind", GAMES)
@examples(10)
@given(seed=st.integers(0, 10_000), where=st.floats(0, 1))
def test_nothing_is_counted_that_the_public_does_not_see(kind: str, seed: int, where: float):
    log = GAMES[kind](seed)
    log = log[: 6 + int(where * (len(log) - 6))]
    assert answer(log) == answer(seen_by(log[0].game, log, "public"))


@pytest.mark.parametrize("kind", GAMES)
def test_both_games_are_counted_and_every_deal_adds_up(kind: str):
    log = GAMES[kind](11)
    whole = Tally(is_whole=True)
    whole.add(log)
    found = whole.answer()
    assert found.deals == found.scored == 3
    places = [one for one in found.questions if one.kind == "places"]
    assert sum(one.seen for one in places) == sum(one.expected for one in places) == 3 * 3
    kinds = {one.kind for one in found.questions}
    assert kinds >= ({"aces", "tens", "jokers"} if kind == "rummy500" else {"aces", "trumps"})
    assert ("pam" in kinds) == (kind == "loo5")


@pytest.mark.parametrize("kind", GAMES)
def test_hands_are_told_by_how_many_special_cards_they_held(kind: str):
    tally = Tally(is_whole=True)
    for seed in range(5):
        tally.add(GAMES[kind](seed))
    for one in tally.answer().questions:
        if one.reference != "shuffle":
            assert one.counts == one.counts_expected == ()
            continue
        assert len(one.counts) == len(one.counts_expected)
        assert sum(one.counts) == one.hands
        assert sum(came * hands for came, hands in enumerate(one.counts)) == one.seen
        assert sum(one.counts_expected) == pytest.approx(one.hands, abs=0.2)


def first_deal(seed: int) -> list[Any]:
    """A game of 500 Rummy up to where its players would begin."""
    rng, log = random.Random(seed), list[Any]([opened(PEOPLE)])
    state = simulate.RUMMY.initial(log[0])
    while simulate.RUMMY.due(state):
        log.append(simulate.next_event(state, rng))
        state = simulate.RUMMY.evolve(state, log[-1])
    return log


@pytest.mark.parametrize("kind", GAMES)
def test_cards_that_the_program_deals_are_those_of_a_shuffled_pack(kind: str):
    """Fixed seeds, so this either holds or does not: which cards are counted, and of how many, is right."""
    tally = Tally(is_whole=True)
    for seed in range(100, 500 if kind == "rummy500" else 150):
        tally.add(first_deal(seed) if kind == "rummy500" else GAMES[kind](seed))
    cards = [one for one in tally.answer().questions if one.reference == "shuffle"]
    assert min(one.hands for one in cards) >= 50
    assert min(one.p_value for one in cards) * len(cards) > LEVEL
    for kinds in {one.kind for one in cards}:
        rows = [one for one in cards if one.kind == kinds]
        seen, wanted = sum(one.seen for one in rows), sum(one.expected for one in rows)
        assert seen == pytest.approx(wanted, rel=0.15)


def test_the_card_turned_up_is_in_no_hand():
    log = GAMES["loo5"](2)
    turned = next(one.card for one in log if isinstance(one, TurnUp))
    at, hand = next((i, e) for i, e in enumerate(log) if isinstance(e, Dealt))
    whole = Tally(is_whole=True)
    whole.add(changed(log, at, replace(hand, cards=(turned, *hand.cards[1:]))))
    assert whole.answer().unknown >= 1


@given(st.lists(st.tuples(*[st.integers(-AMOUNT_LIMIT, AMOUNT_LIMIT)] * 3), min_size=1, max_size=4))
def test_the_largest_scores_can_be_written_down(rows: list[tuple[int, int, int]]):
    log: list[Event] = [opened(PEOPLE, PRESETS["seed"])]
    for deal, scores in enumerate(rows, 1):
        log.append(Shuffled(deal=deal, dealer=0, method="hand", deck=("??",)))
        log.append(DealEnded(deal=deal, reason="went_out", out=0))
        log.append(DealScored(deal=deal, scores=scores, totals=(0, 0, 0)))
    found = answer(log)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Answer) == found
    assert all(abs(one.score or 0) <= AMOUNT_LIMIT for one in found.questions)


def test_scores_that_the_record_does_not_say_are_left_out():
    log = game(random.Random(1), 2)
    scores = DealScored(deal=2, scores=(1, None, 3), totals=(1, None, 3))
    assert answer(changed(log, len(log) - 1, scores)).scored == 1
    longer = replace(scores, scores=(1, 2, 3, None))
    assert answer(changed(log, len(log) - 1, longer)).scored == 1


SEAT = st.integers(0, 7)
SOME = st.lists(st.sampled_from(ALL_CARDS), max_size=60).map(tuple)
POINTS = st.lists(st.none() | st.integers(-9, 9), min_size=2, max_size=8).map(tuple)
ANYTHING = st.one_of(
    st.builds(
        Shuffled, deal=st.just(1), dealer=SEAT, method=st.just("hand"),
        deck=st.sampled_from([("??",), ("??",) * 52, PACK, FIRST_PACK, build_pack(2, 2)]),
    ),
    st.builds(Dealt, seat=SEAT, cards=SOME),
    st.builds(Dealt, seat=SEAT, cards=st.just(FIRST_PACK[:5])),
    st.builds(TurnUp, card=st.sampled_from(ALL_CARDS)),
    st.builds(DealScored, deal=st.just(1), scores=POINTS, totals=POINTS),
    st.builds(DealEnded, deal=st.just(1), reason=st.just("ENDED"), out=st.none()),
    st.builds(GameEnded, winner=st.none(), abandoned=st.just(True)),
    st.builds(Retracted, back_to=st.integers(1, 30), reason=st.just("MISTAKE")),
)  # fmt: skip


@examples(120)
@given(
    opening=st.one_of(
        st.builds(opened, st.integers(2, 8)),
        *(st.builds(loo.opened, st.integers(3, 8), st.just(loo.ruleset(form))) for form in FORMS),
    ),
    events=st.lists(ANYTHING, max_size=40),
    dealer=st.none() | st.sampled_from([1, 2, 9]).map(lambda player: str(UUID(int=player))),
    whole=st.booleans(),
)
def test_whatever_a_log_says_it_is_counted_or_left_out(
    opening: Any, events: list[Any], dealer: str | None, whole: bool
):
    """Logs come from strangers, too: nobody's record may break the statistics of all."""
    tally = Tally(dealer, is_whole=whole)
    for _ in range(3):
        tally.add([opening, *events])
    for one in tally.answer().questions:
        assert 0 < one.p_value <= one.corrected <= 1
        assert one.hands > 0
        assert one.reference == "comparison" or one.seen >= 0
        assert 0 <= one.position < len(opening.seats)


@pytest.mark.parametrize(("bias", "edge"), [(0.01, 0.01), (0.25, 0.1), (1.0, 0.49), (20.0, 0.02)])
def test_every_number_says_how_many_hands_it_takes(bias: float, edge: float):
    log = game(random.Random(2), 60)
    for one in answer(log, dealer=players(log)[0], bias=bias, edge=edge).questions:
        if one.kind == "apart" and edge <= 0.02:
            assert one.needed is None
        else:
            assert one.needed is not None
            assert 1 <= one.needed < 10**9
    assert all(1 <= one.needed < 10**9 for one in outlook(bias, edge))


def test_of_nothing_it_is_told_what_it_would_take():
    empty = answer([])
    assert (empty.questions, empty.games, empty.deals) == ((), 0, 0)
    assert {one.game for one in empty.outlook} == {"rummy500", "lanterloo"}
    aces = {one.game: one.needed for one in empty.outlook if one.kind == "aces"}
    assert aces["rummy500"] > 50
    assert answer([], bias=0.1).outlook[0].needed > empty.outlook[0].needed
    assert Tally("nobody").answer().outlook == empty.outlook
    assert answer(game(random.Random(1), 1)).outlook == ()
