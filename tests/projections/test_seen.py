"""What a viewer is shown follows from what he sees: of games by the rules it is the table, of other records no more than that."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from api.viewing import Eyes
from events.cards import UNKNOWN
from events.game import Course
from events.games import GAMES
from projections.options import options
from projections.seen import seen_as
from projections.viewer import Viewer
from projections.views import view_state
from tests.api.messy import as_a_player_writes, messy
from tests.api.test_twins import KINDS, VIEWERS
from tests.events.lanterloo import table as loo
from tests.profiles import examples
from tests.projections.tables import GAME, draw, position, record

SEEDS = st.integers(0, 10**9)


def cut_off(kind: str, seed: int) -> tuple[list[Any], Viewer, random.Random]:
    """A game by the rules that is in play, and somebody who looks at it."""
    rng = random.Random(seed)
    log = KINDS[kind](rng.randrange(1000))
    return log[: rng.randint(6, len(log))], rng.choice(VIEWERS), rng


def by_the_player(log: list[Any], seat: int) -> list[Any]:
    """The log as it is where this seat wrote down its own acts."""
    return [
        as_a_player_writes(event) if getattr(event, "seat", None) == seat else event
        for event in log
    ]


def told_by_hidden(state: Any) -> bool:
    """Whether a hand that was never shown decides who is looed: it may hold Pam."""
    return bool(getattr(state, "ended", None) == "FLUSH" and state.phase == "settle")


@pytest.mark.parametrize("kind", KINDS)
@examples(15, shrink=False)
@given(seed=SEEDS)
def test_in_games_by_the_rules_it_is_the_table_with_hidden_cards_covered(kind: str, seed: int):
    log, viewer, _ = cut_off(kind, seed)
    rules = GAMES[log[0].game]
    seen, course = seen_as(rules, log, viewer), Course[Any, Any](rules, log[0])
    for event, step in zip(log[1:], list(seen.steps())[1:], strict=True):
        state = course.take(event)
        table = view_state(rules.name, state, seen.sees(step.version))
        if told_by_hidden(state) and step.view["due"] == []:
            table["due"] = []
        assert step.view == table, step.version


@pytest.mark.parametrize("kind", KINDS)
@examples(15, shrink=False)
@given(seed=SEEDS)
def test_a_player_sees_what_he_drew_where_the_record_has_the_deck_and_he_wrote_no_card(
    kind: str, seed: int
):
    log, _, rng = cut_off(kind, seed)
    seat = rng.randrange(3)
    unnamed = by_the_player(log, seat)
    rules = GAMES[log[0].game]
    named, told = (seen_as(rules, one, seat).view()["hands"][seat] for one in (log, unnamed))
    assert told == named


@pytest.mark.parametrize("kind", KINDS)
@examples(10, shrink=False)
@given(seed=SEEDS)
def test_what_he_does_with_it_is_judged_by_the_cards_that_he_sees(kind: str, seed: int):
    log, _, rng = cut_off(kind, seed)
    seat = rng.randrange(3)
    unnamed = by_the_player(log, seat)
    rules = GAMES[log[0].game]
    named, told = (dict(seen_as(rules, one, seat).judged(2, len(log))) for one in (log, unnamed))
    for version, (one, other) in enumerate(zip(log, unnamed, strict=True), 1):
        if one == other and getattr(one, "seat", None) == seat:
            assert told[version] == named[version], one


@pytest.mark.parametrize("kind", KINDS)
@examples(15, shrink=False)
@given(seed=SEEDS)
def test_what_is_added_piece_by_piece_is_seen_as_in_one_piece(kind: str, seed: int):
    rng = random.Random(seed)
    log, _ = messy(KINDS[kind](rng.randrange(1000)), rng)
    viewer = rng.choice(VIEWERS)
    eyes = Eyes.of(log[0].game, log, None, viewer)
    at = rng.randint(max(1, eyes.upto), len(log))
    before = eyes.log(log[:at])
    if rng.random() < 0.5:
        assert before.state is not None  # worked out, so that it is gone on from
    if any(event.__struct_config__.tag == "retracted" for event in log[at:]):
        return
    more, whole = before.with_more(log, eyes.at), eyes.log(log)
    assert [*more.shown] == [*whole.shown]
    assert [*more.held] == [*whole.held]
    assert more.view() == whole.view()


@pytest.mark.parametrize("kind", KINDS)
@examples(8, shrink=False)
@given(seed=SEEDS)
def test_whatever_a_record_says_everybody_is_shown_a_table_at_every_version(kind: str, seed: int):
    """Seats that the table does not have act and look on, too: nothing that they write is refused."""
    rng = random.Random(seed)
    log, _ = messy(KINDS[kind](rng.randrange(1000)), rng)
    acts = [event for event in log if hasattr(event, "seat")]
    for act in rng.sample(acts, min(len(acts), 12)):
        other = replace(as_a_player_writes(act), seat=rng.randrange(8))
        log.insert(rng.randint(1, len(log)), other)
    rules = GAMES[log[0].game]
    viewers: list[Viewer] = ["public", "all", *rng.sample(range(8), 4)]
    for viewer in viewers:
        shown = [step.view for step in seen_as(rules, log, viewer).steps()]
        assert all(len(view["hands"]) == len(log[0].seats) for view in shown)


@pytest.mark.parametrize("viewer", ["public", 0, 2])
def test_a_drawn_card_that_lies_in_another_hand_is_not_told_by_numbers(viewer: Viewer):
    """The scribe wrote down what cannot be: 5S lies in hand 1."""
    before = seen_as(GAME, record(), viewer).view()
    after = seen_as(GAME, record(draw(0, "5S")), viewer).view()
    assert after["stock"] == before["stock"] - 1
    assert list(map(len, after["hands"])) == [
        len(before["hands"][0]) + 1,
        *map(len, before["hands"][1:]),
    ]


def test_nor_is_whose_card_it_was_to_him_who_has_it():
    before, after = (seen_as(GAME, record(*drawn), 1).view() for drawn in ((), (draw(0, "5S"),)))
    assert "5S" in before["hands"][1]
    assert after["hands"][1] == before["hands"][1]


def test_whoever_sees_all_sees_where_the_record_took_it_from():
    view = seen_as(GAME, record(draw(0, "5S")), "all").view()
    assert "5S" in view["hands"][0]
    assert "5S" not in view["hands"][1]


def test_pam_in_a_hidden_hand_does_not_tell_by_what_is_due():
    """Of who stands against a flush, only whoever holds Pam is not looed."""
    dues = []
    for card in ("JC", "9D"):
        log = [
            event if event.__struct_config__.tag != "dealt" else with_card(event, card)
            for event in FLUSH
        ]
        seen, whole = (seen_as(GAMES["lanterloo"], log, viewer) for viewer in VIEWED)
        dues += [seen.view()["due"], [*options(seen, len(log), None, 5).due]]
        assert whole.view()["due"] != []
        assert options(whole, len(log), None, 5).due != ()
    assert dues == [[], [], [], []]


def with_card(event: Any, card: str) -> Any:
    return replace(event, cards=(card, *event.cards[1:])) if event.seat == 2 else event


def flush_that_was_paid() -> list[Any]:
    """A session of loo5 as it is written down, up to where a flush has swept the pool and seat 2 stands."""
    log = list(loo.play(18, 3, loo.ruleset("loo5"), deals=3))[:12]
    return [replace(log[0], mode="recorded"), *log[1:]]


FLUSH = flush_that_was_paid()
VIEWED: tuple[Viewer, Viewer] = ("public", "all")


@pytest.mark.parametrize(
    ("stock", "got"), [("7C 8C", "7C"), ("?? 8C", UNKNOWN), ("?? ??", UNKNOWN)]
)
def test_what_a_player_drew_he_sees_as_far_as_the_record_has_it(stock: str, got: str):
    log = record(draw(1), start=position(stock=stock))
    assert seen_as(GAME, log, 1).view()["hands"][1] == ["4S", "5S", "QH", got]
    assert seen_as(GAME, log, 0).view()["hands"][1] == [UNKNOWN] * 4
