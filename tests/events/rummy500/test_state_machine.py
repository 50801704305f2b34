"""Whole deals of 2 to 8 players, played legally to their end over the options that are built."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from events.cards import build_pack
from events.game import Violation, fold
from events.rummy500.events import RummyEvent
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import State
from tests.events.rummy500.mutants import mutants
from tests.events.rummy500.test_totality import cards_of
from tests.events.strategies import rulesets
from tests.profiles import examples
from tests.simulate import LONGEST, RUMMY, next_event, opened, play

LONGEST_DEAL = 3000


def may_go_on_for_ever(ruleset: Ruleset) -> bool:
    """Tell whether the pile is shuffled again and again: nobody need ever go out."""
    return ruleset.stock_out.startswith("reshuffle")


class Deals(RuleBasedStateMachine):
    """A refereed table: dealer and scorer do what is due, players what is legal; slips change nothing."""

    state: State
    rng: random.Random
    events: list[RummyEvent]

    @initialize(data=st.data(), seats=st.integers(2, 8), seed=st.integers(0, 10_000))
    def open(self, data: st.DataObject, seats: int, seed: int) -> None:
        opening = opened(seats, data.draw(rulesets(seats)))
        self.rng = random.Random(seed)
        self.state, self.events = RUMMY.initial(opening), [opening]

    def go_on(self) -> None:
        event = next_event(self.state, self.rng)
        assert RUMMY.judge(self.state, event) == (), event
        self.events.append(event)
        self.state = RUMMY.evolve(self.state, event)

    @precondition(lambda self: self.state.phase != "ended")
    @rule(steps=st.integers(1, 40))
    def play(self, steps: int) -> None:
        for _ in range(steps):
            if self.state.phase != "ended":
                self.go_on()

    @precondition(lambda self: self.state.phase != "ended")
    @rule()
    def finish_the_deal(self) -> None:
        for _ in range(LONGEST_DEAL):
            self.go_on()
            if self.state.phase in ("scored", "ended"):
                return
        assert may_go_on_for_ever(self.state.ruleset), self.state.ruleset

    @rule()
    def slip(self) -> None:
        """A wrong act is refused with a rule, and judging it has changed nothing."""
        before = self.state
        for act in mutants(self.state, RUMMY.due(self.state), self.rng):
            for found in RUMMY.judge(self.state, act):
                assert isinstance(found, Violation)
                assert found.code
                assert found.rule
        assert self.state == before

    @invariant()
    def every_card_is_somewhere(self) -> None:
        state = self.state
        if state.phase != "shuffle":
            pack = build_pack(state.packs, state.ruleset.jokers_per_pack)
            assert sorted(cards_of(state)) == sorted(pack)

    @invariant()
    def somebody_can_go_on(self) -> None:
        state = self.state
        can_act = any(True for _ in RUMMY.legal(state, state.turn))
        assert can_act or RUMMY.due(state) or state.phase == "ended"

    def teardown(self) -> None:
        """The log gives the table again."""
        assert fold(RUMMY, self.events) == self.state


Deals.TestCase.settings = settings(examples(8, shrink=False), stateful_step_count=20)
TestDeals = Deals.TestCase


@given(data=st.data(), seats=st.integers(2, 8), seed=st.integers(0, 10_000))
@examples(25, shrink=False)
def test_every_deal_comes_to_an_end_and_is_scored_once(
    data: st.DataObject, seats: int, seed: int
) -> None:
    ruleset: Ruleset = data.draw(rulesets(seats))
    tags = [str(event.__struct_config__.tag) for event in play(seed, seats, ruleset)]
    if len(tags) == LONGEST and may_go_on_for_ever(ruleset):
        return
    assert tags[-1] in ("deal_scored", "game_ended")
    assert tags.count("deal_scored") == tags.count("deal_ended") == 1
    assert tags.count("upcard_turned") == tags.count("redealt") + 1
