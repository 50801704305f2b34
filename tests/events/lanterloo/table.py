"""Tables of Lanterloo for tests: set up, played on act by act, or played by chance; the same seed, the same game."""

import random
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from events.cards import FIRST_PACK
from events.codec import decode, encode
from events.common import GameOpened, Mode, Shuffled
from events.game import Game, Judgement, Violation
from events.games import LANTERLOO
from events.lanterloo.events import (
    Bid,
    CardPlayed,
    Exchanged,
    FlushClaimed,
    LooEvent,
    Played,
    PositionSet,
)
from events.lanterloo.ruleset import Form, Ruleset
from events.lanterloo.state import State
from events.lanterloo.whereabouts import everywhere

LOO: Game[State, LooEvent] = LANTERLOO
NAMES = "ABCDEFGH"
WORDS = {"play": "stand", "pass": "pass", "miss": "miss", "defend": "defend"}


def ruleset(form: Form, **opts: Any) -> Ruleset:
    return Ruleset(preset="custom", form=form, **opts)


def opened(
    seats: int, rules: Ruleset, mode: Mode = "refereed", first_dealer: int | None = None
) -> GameOpened[Ruleset]:
    """Return the first event of a session; the last seat deals first if nobody is named."""
    return GameOpened(
        game="lanterloo",
        ruleset=rules,
        engine="test",
        seats=tuple(str(UUID(int=player + 1)) for player in range(seats)),
        first_dealer=seats - 1 if first_dealer is None else first_dealer,
        mode=mode,
        source=None,
    )


def drawn_for(opening: GameOpened[Ruleset]) -> GameOpened[Ruleset]:
    """Return the same session with the first dealer still to be drawn."""
    return replace(opening, first_dealer=None)


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def all_cards(state: State) -> list[str]:
    """Every card that the record has anywhere."""
    return [card for place in everywhere(state) for card in place]


class Table:
    """A session between A, B, C ..., the last of whom deals; acts are `A play`, `B KS`, `C exchange 2S 3D`."""

    def __init__(self, form: Form, seats: int, *, mode: Mode = "recorded", **opts: Any):
        opening = opened(seats, ruleset(form, **opts), mode)
        assert LOO.problems(opening) == ()
        self.events: list[LooEvent] = [opening]
        self.state: State = LOO.initial(opening)

    def deal(self, *hands: str, up: str, miss: str = "", stock: str = "") -> "Table":
        """Deal these hands, A's first, with a deck that gives them; declarations come next."""
        (shuffled,) = LOO.due(self.state)
        assert isinstance(shuffled, Shuffled)
        heaps = [cards(hand) for hand in hands]
        first = self.state.seats - 1 - shuffled.dealer
        turned = [heaps[(seat - first) % len(heaps)] for seat in range(len(heaps))]
        if miss:
            turned.append(cards(miss))
        top = [card for around in zip(*turned, strict=True) for card in around]
        named = [*top, up, *cards(stock)]
        assert len(set(named)) == len(named), "a card twice"
        rest = [card for card in FIRST_PACK if card not in named]
        self.record(replace(shuffled, deck=(*named, *rest)))
        return self.settle("ante", "deal", "turn_up")

    def position(self, *hands: str, trump: str = "H", **more: Any) -> "Table":
        """Start from a position: all have declared to play and A leads, unless told otherwise."""
        seats = self.state.seats
        values: dict[str, Any] = {
            "deal": 2,
            "dealer": seats - 1,
            "turn": 0,
            "phase": "play",
            "pool": 15,
            "single": False,
            "trump": trump,
            "turn_up": None,
            "stock": (),
            "miss": (),
            "hands": tuple(map(cards, hands)),
            "aside": ((),) * seats,
            "declared": ("stand",) * seats,
            "tricks": (0,) * seats,
            "trick": (),
            "balances": (0,) * seats,
        }
        return self.record(PositionSet(**values | more))

    def read(self, line: str) -> LooEvent:
        name, word, *rest = line.split()
        seat, named = NAMES.index(name), tuple(rest)
        if word in WORDS:
            took = self.state.miss if word in ("miss", "defend") else ()
            return Bid(seat=seat, choice=WORDS[word], cards=took)  # type: ignore[arg-type]
        if word == "exchange":
            top = self.state.stock[: len(named)]
            return Exchanged(seat=seat, put_out=named, drawn=top)
        if word == "flush":
            return FlushClaimed(seat=seat, cards=named)
        return CardPlayed(seat=seat, card=word, civil="civil" in named)

    def judge(self, act: str | LooEvent) -> tuple[Judgement, ...]:
        return LOO.judge(self.state, self.read(act) if isinstance(act, str) else act)

    def codes(self, act: str | LooEvent) -> list[str]:
        return [found.code for found in self.judge(act) if isinstance(found, Violation)]

    def record(self, *acts: str | LooEvent) -> "Table":
        """Write down what happened, legal or not."""
        for act in acts:
            event = self.read(act) if isinstance(act, str) else act
            assert decode("lanterloo", encode(event)) == event
            self.events.append(event)
            self.state = LOO.evolve(self.state, event)
        return self

    def do(self, *acts: str | LooEvent) -> "Table":
        """Carry out legal acts, and what dealer and scorer do after each, up to the end of the deal."""
        for act in acts:
            assert self.judge(act) == (), (act, self.judge(act))
            self.record(act).settle("trick", "show", "settle", "over")
        return self

    def settle(self, *phases: str) -> "Table":
        """Record what is due as long as the table is in one of these phases."""
        while self.state.phase in phases and (owed := LOO.due(self.state)):
            assert LOO.judge(self.state, owed[0]) == ()
            self.record(owed[0])
        return self

    def legal(self, name: str) -> set[str]:
        """The cards that a player may play now."""
        acts = LOO.legal(self.state, NAMES.index(name))
        return {act.card for act in acts if isinstance(act, CardPlayed)}

    def words(self, name: str) -> set[str]:
        """What a player may say now."""
        acts = LOO.legal(self.state, NAMES.index(name))
        return {act.choice for act in acts if isinstance(act, Bid)}


def trick(*plays: str, civil: bool = False) -> tuple[Played, ...]:
    """Return cards of a trick in play, `A:9S` each; `civil` goes with the first."""
    return tuple(
        Played(NAMES.index(play[0]), play[2:], civil and not index)
        for index, play in enumerate(plays)
    )


def play(
    seed: int, seats: int, rules: Ruleset, *, deals: int = 4, mode: Mode = "refereed"
) -> list[LooEvent]:
    """Return the log of a session that ends by itself or stops when that many deals are settled."""
    rng = random.Random(seed)
    opening = opened(seats, rules, mode)
    assert not LOO.problems(opening), LOO.problems(opening)
    events: list[LooEvent] = [opening]
    state = LOO.initial(opening)
    while state.phase != "ended" and not (state.phase == "scored" and state.deal >= deals):
        event = next_event(state, rng)
        events.append(event)
        state = LOO.evolve(state, event)
    return events


def next_event(state: State, rng: random.Random) -> LooEvent:
    """Return what comes next: what is due, else an act of some player, with the service's part filled in."""
    owed = LOO.due(state)
    acts: Sequence[LooEvent] = owed or [
        act for seat in range(state.seats) for act in LOO.legal(state, seat)
    ]
    assert acts, f"nothing legal: {state}"
    event = owed[0] if owed else _picked(acts, rng)
    return LOO.complete(state, LOO.shuffle(state, event, rng.shuffle))


def _picked(acts: Sequence[LooEvent], rng: random.Random) -> LooEvent:
    """Return one of the acts, each kind as likely as another: there are dozens of exchanges."""
    kind = rng.choice(sorted({type(act).__name__ for act in acts}))
    return rng.choice([act for act in acts if type(act).__name__ == kind])
