"""What a seat knows: everything that it has seen, nothing that it has not, and every card is somewhere."""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from api.simulation import Order, Table
from events.cards import UNKNOWN, physical
from events.errors import NoSuchVersion, NotALogError
from events.game import Game
from events.games import LANTERLOO, RUMMY500
from events.rummy500.ruleset import PRESETS, SEED
from projections.knowledge import Held, Hidden, Knowledge, knows
from projections.replay import state_at
from projections.views import view_event
from tests.events.lanterloo.strategies import rulesets as loo_rulesets
from tests.events.strategies import rulesets as rummy_rulesets
from tests.profiles import examples
from tests.projections.tables import GAME, back_to, discard, draw, meld, position, record, take

RENEWING = replace(SEED, preset="custom", stock_out="reshuffle_all_but_top")
TAKEN = record(
    discard(1, "QH"),
    take(2, "QH"),
    discard(2, "9C"),
    start=position(phase="play", drawn="stock", pile=""),
)


def told(events: Any, seat: int, at: int | None = None) -> Knowledge:
    return knows(GAME, events, seat, len(events) if at is None else at)


class TestRummy:
    def test_a_card_from_the_pile_is_known_until_it_is_put_down(self) -> None:
        assert told(TAKEN, 0).held == (Held(2, "QH", 4, "pile_taken"),)
        assert told(TAKEN, 0, 3).held == ()
        assert told([*TAKEN, draw(0, "7C"), discard(0, "KD"), discard(2, "QH")], 0).held == ()

    def test_nobody_knows_his_own_cards_from_others(self) -> None:
        seen = told(TAKEN, 2)
        assert sorted(seen.own) == ["9D", "9H", "QH"]
        assert seen.held == ()

    def test_what_lies_open_is_public(self) -> None:
        seen = told([*TAKEN, draw(0, "7C"), meld(0, 1, "AS 2S 3S")], 1)
        assert sorted(seen.public) == ["2S", "3S", "9C", "AS"]

    def test_a_retraction_takes_back_what_was_seen(self) -> None:
        assert told([*TAKEN, back_to(3)], 0).held == ()

    def test_a_narrowed_log_tells_no_hand(self) -> None:
        narrow = [view_event("rummy500", event, "public") for event in TAKEN]
        seen = told(narrow, 0)
        assert seen.own == ()
        assert seen.held == (Held(2, "QH", 4, "pile_taken"),)

    def test_versions_that_are_not_there(self) -> None:
        with pytest.raises(NoSuchVersion):
            told(TAKEN, 0, 99)
        with pytest.raises(NotALogError):
            knows(GAME, TAKEN[1:], 0, 1)

    def test_a_new_stock_is_the_old_pile(self) -> None:
        found = renewed_game()
        assert found is not None
        events, at = found
        seen = told(events, 0, at)
        stock = next(one for one in seen.hidden if one.place == "stock")
        hand = next(one for one in seen.hidden if one.seat == 1)
        assert len(stock.possible) == stock.count
        assert not set(hand.possible) & set(stock.possible)


def renewed_game() -> tuple[list[Any], int] | None:
    """A game in which the pile becomes the stock, and the version where it does."""
    for seed in range(40):
        events = Table(Order("rummy500", 2, seed, "random", RENEWING, 1), seed).play()
        for version, event in enumerate(events, 1):
            if event.__struct_config__.tag == "stock_renewed":
                return events, version
    return None


class TestLoo:
    def test_a_player_knows_what_he_changed(self) -> None:
        seen, _ = after("exchanged", "irish")
        assert len(seen.laid_aside) == len(seen.own) or seen.laid_aside
        assert not set(seen.laid_aside) & set(seen.own)

    def test_who_takes_the_miss_knows_both_hands(self) -> None:
        seen, events = after("bid", "loo3", lambda event: event.choice == "miss")
        assert len(seen.own) == 3
        assert len(seen.laid_aside) == 3
        other = (seen.seat + 1) % len(events[0].seats)
        assert not set(knows(LANTERLOO, events, other, seen.at).laid_aside) & set(seen.own)

    def test_a_flush_shown_is_held_by_somebody(self) -> None:
        seen, events = after("flush_shown", "loo5", seat_of=lambda event: (event.seat + 1) % 8)
        shown = events[seen.at - 1]
        assert {one.card for one in seen.held} == set(shown.cards)
        assert {one.since for one in seen.held} == {seen.at}


def after(
    tag: str, form: str, wanted: Any = None, seat_of: Any = None
) -> tuple[Knowledge, list[Any]]:
    """What the actor, or another seat, knows after the first event of a kind in simulated sessions."""
    ruleset = LANTERLOO.presets[f"seed-{form}"]
    for number in range(60):
        events = Table(Order("lanterloo", 8, number, "random", ruleset, 12), number).play()
        for version, event in enumerate(events, 1):
            if event.__struct_config__.tag != tag or (wanted and not wanted(event)):
                continue
            if tag == "exchanged" and not event.put_out:
                continue
            seat = seat_of(event) if seat_of else event.seat
            return knows(LANTERLOO, events, seat, version), events
    raise AssertionError(f"no {tag} in so many games")


@st.composite
def moments(draw: st.DrawFn) -> tuple[Game[Any, Any], list[Any], int, int]:
    """A game at any version, and a seat."""
    name = draw(st.sampled_from(["rummy500", "lanterloo"]))
    seats, seed = draw(st.integers(3, 7)), draw(st.integers(0, 2**20))
    rules: Any = rummy_rulesets(seats) if name == "rummy500" else loo_rulesets(seats)
    order = Order(name, seats, seed, "random", draw(rules), 2)
    events = Table(order, seed).play()[:400]
    game: Game[Any, Any] = RUMMY500 if name == "rummy500" else LANTERLOO
    return game, events, draw(st.integers(0, seats - 1)), draw(st.integers(1, len(events)))


def truly(game: Game[Any, Any], events: Any, at: int) -> dict[tuple[str, int | None], Counter[str]]:
    """Where every hidden place's cards truly are."""
    state = state_at(game, events, at)
    places: dict[tuple[str, int | None], Counter[str]] = {("stock", None): Counter(state.stock)}
    places |= {("hand", seat): Counter(hand) for seat, hand in enumerate(state.hands)}
    if game.name == "lanterloo":
        places |= {("aside", seat): Counter(hand) for seat, hand in enumerate(state.aside)}
        places |= {("miss", None): Counter(state.miss), ("put_out", None): Counter(state.put_out)}
    return places


def in_sight(state: Any) -> Counter[str]:
    """Every card that lies open, from the state itself."""
    if hasattr(state, "pile"):
        laid = [one.card for meld in state.table for one in (*meld.cards, *meld.beside)]
        return Counter([*state.pile, *map(physical, laid)])
    up = [state.turn_up] if state.turn_up else []
    return Counter([*(one.card for one in (*state.trick, *state.played)), *up])


@given(moment=moments())
@examples(60, shrink=False)
def test_nothing_is_known_that_was_not_seen_and_no_card_is_lost(moment: Any) -> None:
    game, events, seat, at = moment
    seen = knows(game, events, seat, at)
    state = state_at(game, events, at)
    places = truly(game, events, at)
    assert Counter(seen.own) == places.get(("hand", seat), Counter())
    assert Counter(seen.public) == in_sight(state)
    held: dict[int, Counter[str]] = {}
    for one in seen.held:
        assert one.seat != seat
        assert one.since <= at
        held.setdefault(one.seat, Counter())[one.card] += 1
    for other, cards in held.items():
        assert cards <= places["hand", other]
    for place in seen.hidden:
        check_hidden(place, places, held)
    total = len(seen.own) + len(seen.laid_aside) + len(seen.public) + len(seen.held)
    assert total + seen.unseen == (state.in_play or total + seen.unseen)
    assert seen.unseen == sum(one.count for one in seen.hidden)


def check_hidden(one: Hidden, places: Any, held: Any) -> None:
    """The true cards of a hidden place are as many as said, each among those that it can be."""
    truth = places[one.place, one.seat] - held.get(one.seat, Counter())
    if one.place == "hand":
        assert truth.total() == one.count
    unknown = [card for card in truth.elements() if card in one.possible]
    assert len(unknown) >= one.count, (one, truth)


@given(moment=moments(), seed=st.integers(0, 2**20))
@examples(40, shrink=False)
def test_the_same_is_known_where_other_cards_are_hidden(moment: Any, seed: int) -> None:
    """What a seat knows follows from what it saw: in a log without the rest it is the same."""
    game, events, seat, at = moment
    narrow = [view_event(game.name, event, seat) for event in events]
    other = random.Random(seed).randrange(len(events[0].seats))
    assert knows(game, narrow, seat, at) == knows(game, events, seat, at)
    if other != seat:
        mine = {card for card in knows(game, narrow, other, at).own if card != UNKNOWN}
        shown = {one.card for one in knows(game, events, seat, at).held if one.seat == other}
        assert mine <= shown


def test_every_preset_can_be_asked() -> None:
    for preset in PRESETS.values():
        rules = replace(preset, first_player="left_of_dealer")
        events = Table(Order("rummy500", 3, 1, "greedy", rules, 1), 1).play()
        assert knows(RUMMY500, events, 0, len(events)).seat == 0
