"""What a viewer may see, and that nothing shown depends on what may not be seen."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from events.cards import UNKNOWN
from events.common import Dealt, Shuffled
from events.errors import CodecError
from events.rummy500.events import RummyEvent, StockDrawn, StockRenewed
from events.rummy500.ruleset import SEED, TIMPALPANT
from projections.audit import audit
from projections.frames import frames
from projections.replay import state_at, states
from projections.seen import seen_as
from projections.timeline import timeline
from projections.viewer import Viewer
from projections.views import open_upto, view_event, view_state
from tests.profiles import examples
from tests.projections.tables import (
    GAME,
    back_to,
    call,
    discard,
    draw,
    ended,
    meld,
    position,
    record,
    scored,
    take,
    won,
)
from tests.seeing import seen_by
from tests.simulate import RUMMY, play

RENEWING = replace(
    TIMPALPANT,
    preset="renewing",
    packs=0,
    max_players=8,
    first_player="left_of_dealer",
    deep_timing="next_play",
)
HIDDEN = [UNKNOWN] * 3

IN_PLAY = record(draw(1, "7C"))
OVER = record(draw(0, "7C"), meld(0, 1, "AS 2S 3S"), discard(0, "KD"), ended("DISCARDED_OUT", 0))


def named(event: RummyEvent) -> str:
    return str(msgspec.json.encode(event))


class TestStates:
    def test_the_public_sees_backs_and_how_many(self) -> None:
        view = seen_as(GAME, IN_PLAY, "public").view()

        assert view["hands"] == [[UNKNOWN] * 4, [UNKNOWN] * 4, [UNKNOWN] * 3]
        assert (view["stock"], view["stock_cards"], view["deck"]) == (2, None, None)
        assert view["pile"] == ["JD"]

    def test_a_seat_sees_its_own_hand_only(self) -> None:
        assert seen_as(GAME, IN_PLAY, 1).view()["hands"] == [
            [UNKNOWN] * 4,
            ["4S", "5S", "QH", "7C"],
            [UNKNOWN] * 3,
        ]

    def test_an_arbiter_sees_all(self) -> None:
        view = seen_as(GAME, IN_PLAY, "all").view()

        assert view["hands"][2] == ["9C", "9D", "9H"]
        assert view["stock_cards"] == ["8C", "2D"]

    def test_a_card_taken_openly_lies_in_hand_with_its_back_up(self) -> None:
        assert seen_as(GAME, record(take(1, "JD")), "public").view()["hands"][1] == [UNKNOWN] * 4

    def test_what_is_left_in_hand_counts_only_for_who_sees_it(self) -> None:
        assert seen_as(GAME, IN_PLAY, 1).view()["left"] == [None, 4 + 5 + 10 + 7, None]

    def test_what_lies_on_the_table_counts_for_all_to_see(self) -> None:
        assert seen_as(GAME, OVER, "public").view(4)["points"] == [1 + 2 + 3, 0, 0]

    def test_melds_show_layers_values_and_what_a_joker_stands_for(self) -> None:
        start = position(hands=("2H X1 4H 9S", "5H QC", "9C 9D"))
        view = seen_as(GAME, record(meld(0, 1, "2H X1=3H 4H"), start=start), "public").view()

        assert view["melds"] == [
            {
                "meld": 1,
                "kind": "sequence",
                "founder": 0,
                "fitting": 3,
                "cards": [
                    {"card": "2H", "as": None, "seat": 0, "value": 2},
                    {"card": "X1", "as": "3H", "seat": 0, "value": 15},
                    {"card": "4H", "as": None, "seat": 0, "value": 4},
                ],
            }
        ]

    def test_the_duty_and_what_may_be_called_are_public(self) -> None:
        start = position(pile="4D 3C", hands=("AS 2S 3S KD", "4S 4H 6S QH", "9C 9D 9H"))
        taken = record(take(1, "4D 3C"), start=start)
        callable_ = record(draw(1, "7C"), discard(1, "KC"), start=position(pile="KS KH"))

        assert seen_as(GAME, taken, "public").view()["duty"] == "4D"
        assert seen_as(GAME, callable_, "public").view()["callable"] == ["KS"]

    def test_everything_is_open_when_the_deal_has_ended(self) -> None:
        for version in range(1, len(OVER) + 1):
            assert seen_as(GAME, OVER, "public").view(version) == seen_as(GAME, OVER, "all").view(
                version
            )

    def test_a_state_is_closed_unless_the_caller_knows_better(self) -> None:
        state = state_at(GAME, OVER)

        assert view_state("rummy500", state, "public")["hands"][1] == HIDDEN
        assert view_state("rummy500", state, "all")["hands"][1][0] == "4S"

    def test_a_view_is_plain_json(self) -> None:
        events = play(3, 4)
        for version in range(1, len(events) + 1):
            view = seen_as(RUMMY, events, "all").view(version)
            assert msgspec.json.decode(msgspec.json.encode(view)) == view


class TestEvents:
    def test_a_hand_dealt_is_seen_by_its_seat(self) -> None:
        event = Dealt(seat=1, cards=("4S", "5S", "QH"))

        assert view_event("rummy500", event, 1) is event
        assert view_event("rummy500", event, 2).cards == (UNKNOWN,) * 3
        assert view_event("rummy500", event, "public").cards == (UNKNOWN,) * 3

    def test_a_stock_card_is_seen_by_who_drew_it(self) -> None:
        assert view_event("rummy500", draw(1, "7C"), 1) == draw(1, "7C")
        assert view_event("rummy500", draw(1, "7C"), 0) == draw(1)

    @pytest.mark.parametrize("viewer", ["public", 0])
    def test_no_player_sees_the_order_of_deck_or_stock(self, viewer: Viewer) -> None:
        deck = Shuffled(deal=1, dealer=0, method="os_random", deck=("7C", "8C"))
        new = StockRenewed(seat=0, stock=("7C", "8C"), pile=("9C",))

        assert view_event("rummy500", deck, viewer).deck == (UNKNOWN, UNKNOWN)
        assert view_event("rummy500", new, viewer).stock == (UNKNOWN, UNKNOWN)
        assert view_event("rummy500", new, viewer).pile == ("9C",)

    def test_a_position_shows_each_seat_its_own_hand(self) -> None:
        seen = view_event("rummy500", position(), 2)

        assert seen.hands == ((UNKNOWN,) * 4, (UNKNOWN,) * 3, ("9C", "9D", "9H"))
        assert seen.stock == (UNKNOWN,) * 3
        assert seen.pile == ("JD",)

    @pytest.mark.parametrize(
        "event",
        [
            take(1, "JD"),
            discard(1, "QH"),
            meld(0, 1, "AS 2S 3S"),
            call(2, "JD"),
            draw(1),
            Dealt(seat=1, cards=(UNKNOWN,)),
            scored((1, 2, 3), (1, 2, 3)),
        ],
        ids=named,
    )
    def test_what_hides_nothing_is_the_very_same_event(self, event: RummyEvent) -> None:
        assert view_event("rummy500", event, "public") is event

    def test_who_sees_all_sees_the_very_same_event(self) -> None:
        event = draw(1, "7C")

        assert view_event("rummy500", event, "all") is event


class TestWhatIsOpen:
    def test_nothing_before_the_first_deal_ends(self) -> None:
        assert open_upto("rummy500", IN_PLAY) == 1

    def test_all_up_to_the_next_deal(self) -> None:
        events = [*OVER, scored((1, 2, 3), (1, 2, 3))]

        assert open_upto("rummy500", events) == len(events)
        assert open_upto("rummy500", [*events, position(deal=2), draw(1, "7C")]) == len(events)

    def test_a_game_broken_off_in_play_is_open(self) -> None:
        events = [*IN_PLAY, won(None, abandoned=True)]

        assert open_upto("rummy500", events) == len(events)

    def test_an_end_that_was_retracted_opens_nothing(self) -> None:
        assert open_upto("rummy500", [*OVER, back_to(5)]) == 1

    def test_a_deal_retracted_after_the_end_stays_hidden(self) -> None:
        events = [*OVER, position(deal=2), draw(1, "7C"), back_to(len(OVER))]

        assert open_upto("rummy500", events) == len(OVER)

    def test_it_opens_with_the_end_of_the_deal_that_took_its_place(self) -> None:
        events = [*OVER, position(deal=2), back_to(len(OVER)), *OVER[1:]]

        assert open_upto("rummy500", events) == len(events)


def test_a_game_that_nobody_knows_has_no_view() -> None:
    with pytest.raises(CodecError, match="no such game: 'whist', expected one of rummy500"):
        open_upto("whist", IN_PLAY)


def unshrunk(quick: int) -> settings:
    """Return settings for games made by chance: a smaller seed is no simpler game, so none is looked for."""
    return settings(examples(quick), phases=[Phase.explicit, Phase.reuse, Phase.generate])


@st.composite
def games_in_play(draw: Any, most_seats: int = 8) -> tuple[list[RummyEvent], Viewer]:
    """Return a log that stops in mid-deal, and somebody at the table or outside it."""
    seats = draw(st.integers(2, most_seats))
    ruleset = draw(st.sampled_from([SEED, RENEWING]))
    events = play(draw(st.integers(0, 10**6)), seats, ruleset, deals=1 if seats > 4 else 2)
    last = max(v for v, event in enumerate(events, 1) if isinstance(event, Shuffled))
    cut = draw(st.integers(last, len(events) - 2))
    viewer = draw(st.one_of(st.just("public"), st.integers(0, seats - 1)))
    return events[:cut], viewer


def with_other_secrets(
    events: list[RummyEvent], viewer: Viewer, rng: random.Random
) -> list[RummyEvent]:
    """Return the same log with the cards of its last deal that this viewer has not seen, exchanged."""
    start = max(index for index, event in enumerate(events) if isinstance(event, Shuffled))
    shuffled = events[start]
    assert isinstance(shuffled, Shuffled)
    seen = msgspec.json.encode(seen_by("rummy500", events, viewer)[start:]).decode()
    unseen = [card for card in shuffled.deck if f'"{card}"' not in seen and f'"{card}=' not in seen]
    other = dict(zip(unseen, rng.sample(unseen, len(unseen)), strict=True))
    changed = [*events[:start], *(_exchanged(event, other) for event in events[start:])]
    _shuffle_what_was_not_drawn(changed, rng)
    return changed


def _exchanged(event: RummyEvent, other: dict[str, str]) -> RummyEvent:
    def all_of(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(other.get(card, card) for card in cards)

    match event:
        case Shuffled():
            return replace(event, deck=all_of(event.deck))
        case Dealt():
            return replace(event, cards=all_of(event.cards))
        case StockDrawn():
            return replace(event, card=other.get(event.card, event.card))
        case _:
            return event


def _shuffle_what_was_not_drawn(events: list[RummyEvent], rng: random.Random) -> None:
    """Change the order in which a renewed stock lies, below the cards that were drawn from it."""
    for index in range(len(events) - 1, 0, -1):
        event = events[index]
        if isinstance(event, Shuffled):
            return
        if isinstance(event, StockRenewed):
            drawn = sum(isinstance(later, StockDrawn) for later in events[index:])
            left = event.stock[drawn:]
            stock = (*event.stock[:drawn], *rng.sample(left, len(left)))
            events[index] = replace(event, stock=stock)
            return


def everything_shown(events: list[RummyEvent], viewer: Viewer) -> object:
    """Return all that the projections tell this viewer about a log."""
    seen = seen_by("rummy500", events, viewer)
    views = [view_state("rummy500", step.after, viewer) for step in states(RUMMY, events)]
    return (
        seen,
        views,
        list(frames(seen_as(RUMMY, events, viewer))),
        timeline(RUMMY, seen),
        audit(RUMMY, seen),
    )


@unshrunk(15)
@given(games_in_play(), st.randoms(use_true_random=False))
def test_what_is_shown_does_not_depend_on_what_is_hidden(
    game: tuple[list[RummyEvent], Viewer], rng: random.Random
) -> None:
    events, viewer = game

    other = with_other_secrets(events, viewer, rng)

    assert everything_shown(other, viewer) == everything_shown(events, viewer)


def test_the_exchange_of_secrets_is_one() -> None:
    events = play(4, 3)[:20]
    other = with_other_secrets(events, "public", random.Random(1))

    assert state_at(RUMMY, other).hands != state_at(RUMMY, events).hands
    assert seen_as(RUMMY, other, 0).view() != seen_as(RUMMY, events, 0).view()


@unshrunk(15)
@given(games_in_play())
def test_a_fair_game_is_fair_in_everybodys_eyes(game: tuple[list[RummyEvent], Viewer]) -> None:
    events, viewer = game

    assert audit(RUMMY, seen_by("rummy500", events, viewer)).findings == ()


# At two packs a card written without its prime means either copy, so that hands can differ in a prime.
@unshrunk(10)
@given(games_in_play(most_seats=4))
def test_a_log_with_secrets_left_out_shows_the_same_table(
    game: tuple[list[RummyEvent], Viewer],
) -> None:
    events, viewer = game
    full = state_at(RUMMY, events)
    seen = state_at(RUMMY, seen_by("rummy500", events, viewer))

    assert view_state("rummy500", seen, viewer) == view_state("rummy500", full, viewer)
