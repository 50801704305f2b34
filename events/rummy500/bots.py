"""Players that are programs: what one of them does at a table of 500 Rummy, every act a legal one.

Pure: chance is handed in, so the same chance makes the same game. A bot sees the whole state but looks only
at what its seat may know. It is no strong player; it is quick, and gets a game to its end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from events.cards import RANK, SUIT, UNKNOWN, Card, is_joker, physical
from events.rummy500.calls import open_calls
from events.rummy500.due import renewal
from events.rummy500.events import (
    DiscardChallenged,
    Discarded,
    DrawDeclined,
    LaidOff,
    MeldLaid,
    PileTaken,
    RummyCalled,
    RummyEvent,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.legal import legal, must_use
from events.rummy500.melds import sequence_low
from events.rummy500.plays import plays
from events.rummy500.reach import plays_with
from events.rummy500.referee import judge
from events.rummy500.scoring import card_value, table_values
from events.rummy500.state import Laid, Meld, State

T = TypeVar("T")

CONSIDERED: Final = 400
"""Ways to act that a bot looks at; a hand with jokers has many more than decide anything."""
TAKES_CONSIDERED: Final = 6
"""Cards of the pile that could be melded, from the top, of which the greedy one picks the best."""


class Chance(Protocol):
    """What a bot needs of a `random.Random`."""

    def random(self) -> float:
        """Return a number from 0 to below 1."""
        ...

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of a row that is not empty."""
        ...


Bot = Callable[[State, int, Chance], RummyEvent | None]


def random_bot(state: State, seat: int, chance: Chance) -> RummyEvent | None:
    """Return any legal act, each kind as likely as the others; None to let others go on (not in one's turn)."""
    if seat != state.turn:
        claims = list(islice(_claims(state, seat), CONSIDERED))
        return chance.choice(claims) if claims and chance.random() < 0.5 else None
    kinds: dict[type[Any], list[RummyEvent]] = {}
    for act in islice(legal(state, seat), CONSIDERED):
        kinds.setdefault(type(act), []).append(act)
    act = chance.choice(kinds[chance.choice(sorted(kinds, key=lambda kind: kind.__name__))])
    # At a refereed table it is the service that renews the stock, for whoever wants to draw from it.
    return StockDrawn(seat=seat, card=UNKNOWN) if isinstance(act, StockRenewed) else act


def greedy_bot(state: State, seat: int, _chance: Chance) -> RummyEvent | None:
    """Return what scores most at once; None to let others go on.

    It melds and lays off all it can, takes of the pile what it can meld, calls and challenges whenever it
    may, and discards the dearest card that goes with no other of its hand.
    """
    if seat != state.turn:
        return max(_claims(state, seat), key=lambda act: _worth(state, act), default=None)
    chosen = _best_play(state, seat) if state.phase == "play" else _best_take(state, seat)
    others = _discards(state, seat) if state.phase == "play" else _other_draws(state, seat)
    return chosen or next(others, None) or next(legal(state, seat))


BOTS: Final[dict[str, Bot]] = {"random": random_bot, "greedy": greedy_bot}


def next_act(state: State, bot: Bot, chance: Chance) -> RummyEvent:
    """Return what the players do next: a call or challenge of the others, left of the turn first, else the turn."""
    if state.challenge is not None or open_calls(state):
        for step in range(1, state.seats):
            act = bot(state, (state.turn + step) % state.seats, chance)
            if act is not None:
                return act
    act = bot(state, state.turn, chance)
    assert act is not None
    return act


def _claims(state: State, seat: int) -> Iterator[RummyEvent]:
    return (a for a in legal(state, seat) if isinstance(a, RummyCalled | DiscardChallenged))


def _best_take(state: State, seat: int) -> PileTaken | None:
    """Return the draw from the pile that gains most, None if none gains."""
    best, gain = None, 0
    for act in islice(_takes(state, seat), TAKES_CONSIDERED):
        worth = _worth(state, act)
        if worth > gain and not judge(state, act):
            best, gain = act, worth
    return best


def _takes(state: State, seat: int) -> Iterator[PileTaken]:
    """Yield the draws from the pile, the shortest first, whose deepest card can go down."""
    pile = state.pile
    for depth in range(len(pile) - 1, -1, -1):
        hand = (*state.hands[seat], *pile[depth:])
        if any(True for _ in _plays_with(pile[depth], hand, state)):
            yield PileTaken(seat=seat, cards=pile[depth:])


def _worth(state: State, act: RummyEvent) -> int:
    """Return about how many points cards from the pile bring: those that can go down, less the others."""
    cards = act.cards if isinstance(act, PileTaken | RummyCalled) else ()
    hand = (*state.hands[getattr(act, "seat", 0)], *cards)
    total = 0
    for card in cards:
        goes = any(True for _ in _plays_with(card, hand, state))
        total += card_value(card, state.ruleset, state.wilds) * (1 if goes else -1)
    return total


def _plays_with(card: Card, hand: Sequence[Card], state: State) -> Iterable[Any]:
    if card == UNKNOWN:
        return ()
    return plays_with(card, hand, state.table, state.ruleset, state.wilds, all_bridges=False)


def _other_draws(state: State, seat: int) -> Iterator[RummyEvent]:
    if state.stock or renewal(state, seat) is not None:
        yield StockDrawn(seat=seat, card=UNKNOWN)
    elif not judge(state, decline := DrawDeclined(seat=seat)):
        yield decline


def _best_play(state: State, seat: int) -> MeldLaid | LaidOff | None:
    """Return the meld or lay-off that scores most of those that may be made."""
    found = islice(plays(state, seat, must_use(state)), CONSIDERED)
    ranked = sorted(found, key=lambda play: _points(play, state), reverse=True)
    return next((play for play in ranked if not judge(state, play)), None)


def _points(play: MeldLaid | LaidOff, state: State) -> int:
    ruleset, wilds = state.ruleset, state.wilds
    if isinstance(play, LaidOff):
        cards = (physical(placement.card) for placement in play.cards)
        return sum(card_value(card, ruleset, wilds) for card in cards)
    low = sequence_low(play.cards) if play.kind == "sequence" else 0
    laid = tuple(Laid(card, play.seat) for card in play.cards)
    return sum(table_values(Meld(play.meld, play.kind, play.seat, laid, low), ruleset, wilds))


def _discards(state: State, seat: int) -> Iterator[Discarded]:
    """Yield the discards that may be made, the one to be missed least first."""
    hand, wilds = state.hands[seat], state.wilds

    def keenness(card: Card) -> tuple[bool, int, Card]:
        return _is_needed(card, hand, wilds), -card_value(card, state.ruleset, wilds), card

    for card in sorted((c for c in hand if c != UNKNOWN), key=keenness):
        if not judge(state, act := Discarded(seat=seat, card=card)):
            yield act


def _is_needed(card: Card, hand: Sequence[Card], wilds: str) -> bool:
    """Tell whether a card is wild or makes two thirds of a meld with another of the hand."""
    if card[0] in wilds:
        return True
    others = [one for one in hand if one != UNKNOWN and not is_joker(one)]
    return any(
        (one[0] == card[0] and one[1] != card[1])
        or (SUIT[one] == SUIT[card] and 0 < abs(RANK[one] - RANK[card]) <= 2)
        for one in others
    )
