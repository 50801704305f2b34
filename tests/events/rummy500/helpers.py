"""Tables of 500 Rummy set up in the case books' words, and played on act by act."""

from typing import Any

from events.codec import decode, encode
from events.formats.acts import parse_act
from events.formats.positions import opened_for, read_position
from events.game import Judgement, Unchecked, Violation
from events.rummy500.calls import open_calls
from events.rummy500.events import RummyEvent
from events.rummy500.ruleset import Ruleset, problems
from events.rummy500.state import State
from tests.simulate import RUMMY

NAMES = "ABCDEFGH"


class Table:
    """A recorded game that starts from a position; acts are written as at a table: `A take 4S`."""

    def __init__(self, players: int = 0, opts: dict[str, Any] | None = None, **position: Any):
        players = players or max(3, len(position["hands"]))
        ruleset = Ruleset(preset="custom", **(opts or {}))
        opening = opened_for(ruleset, players)
        assert not problems(opening)
        self.names = NAMES[:players]
        event = read_position({"turn": "A", "phase": "draw"} | position, self.names)
        self.events: list[RummyEvent] = [opening, event]
        assert RUMMY.judge(RUMMY.initial(opening), event) == ()
        self.state: State = RUMMY.evolve(RUMMY.initial(opening), event)

    def read(self, line: str) -> RummyEvent:
        return parse_act(line, self.state, self.names)

    def judge(self, act: str | RummyEvent) -> tuple[Judgement, ...]:
        return RUMMY.judge(self.state, self.read(act) if isinstance(act, str) else act)

    def do(self, *acts: str | RummyEvent) -> "Table":
        """Carry out legal acts, and what follows by itself."""
        for act in acts:
            found = self.judge(act)
            assert found == (), (act, found)
            self.record(act)
            self.settle()
        return self

    def settle(self) -> "Table":
        """Record what follows by itself, up to the end of the deal."""
        while self.state.phase != "over" and (owed := RUMMY.due(self.state)):
            self.record(owed[0])
        return self

    def record(self, act: str | RummyEvent) -> "Table":
        """Write down what happened, legal or not."""
        event = self.read(act) if isinstance(act, str) else act
        assert decode("rummy500", encode(event)) == event
        self.events.append(event)
        self.state = RUMMY.evolve(self.state, event)
        return self

    def codes(self, act: str | RummyEvent) -> list[str]:
        """The codes of the rules that an act would break, in the engine's order."""
        return [found.code for found in self.judge(act) if isinstance(found, Violation)]

    def unchecked(self, act: str | RummyEvent) -> list[str]:
        return [found.code for found in self.judge(act) if isinstance(found, Unchecked)]

    def refuses(self, act: str | RummyEvent, code: str, rule: str | None = None) -> "Table":
        """Assert that the first rule that an act breaks is this one; nothing is carried out."""
        found = [one for one in self.judge(act) if isinstance(one, Violation)]
        assert [one.code for one in found[:1]] == [code], (act, found)
        assert rule is None or found[0].rule == rule, found[0]
        return self

    def hand(self, name: str) -> str:
        return " ".join(self.state.hands[self.names.index(name)])

    @property
    def pile(self) -> str:
        return " ".join(self.state.pile)

    @property
    def callable(self) -> str:
        return " ".join(open_calls(self.state))

    @property
    def turn(self) -> str:
        return self.names[self.state.turn]
