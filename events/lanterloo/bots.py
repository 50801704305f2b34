"""Players that are programs: what one of them does at a table of Lanterloo, every act a legal one.

Pure: chance is handed in, so the same chance makes the same game. A bot sees the whole state but looks only
at what its seat may know. It is no strong player; it is quick, and gets a session to its end.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from events.cards import Card
from events.lanterloo.declaring import must_play
from events.lanterloo.events import Bid, CardPlayed, Exchanged, FlushClaimed, LooEvent, StockRenewed
from events.lanterloo.legal import legal
from events.lanterloo.ruleset import hand_size
from events.lanterloo.state import State
from events.lanterloo.tricks import ABOVE_ACE, ACE, is_trump, rank_of, strength_in, suit_of

T = TypeVar("T")

_QUEEN: Final = 12
_KING: Final = 13
# How much a hand must be worth to the greedy one before it stands, by the number of cards.
_ENOUGH: Final = {3: 20, 5: 28}


class Chance(Protocol):
    """What a bot needs of a `random.Random`."""

    def random(self) -> float:
        """Return a number from 0 to below 1."""
        ...

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of a row that is not empty."""
        ...


Bot = Callable[[State, int, Chance], LooEvent]


def next_act(state: State, bot: Bot, chance: Chance) -> LooEvent:
    """Return what the player whose turn it is does; at this table nobody acts out of turn."""
    return bot(state, state.turn, chance)


def random_bot(state: State, seat: int, chance: Chance) -> LooEvent:
    """Return any legal act, each kind as likely as the others."""
    kinds: dict[str, list[LooEvent]] = {}
    for act in _acts(state, seat):
        kinds.setdefault(type(act).__name__, []).append(act)
    return chance.choice(kinds[chance.choice(sorted(kinds))])


def greedy_bot(state: State, seat: int, chance: Chance) -> LooEvent:
    """Return what promises a trick: it stands on trumps and high cards, changes low ones, wins cheaply."""
    acts = _acts(state, seat)
    flushes = [act for act in acts if isinstance(act, FlushClaimed)]
    if flushes:
        return next((act for act in flushes if act.cards), flushes[0])
    plays = [act for act in acts if isinstance(act, CardPlayed)]
    if plays:
        return _play(state, plays)
    return _declare(state, seat, acts, chance)


BOTS: Final[dict[str, Bot]] = {"random": random_bot, "greedy": greedy_bot}


def _acts(state: State, seat: int) -> list[LooEvent]:
    """Return the legal acts; at a refereed table it is the service that renews the stock."""
    return [act for act in legal(state, seat) if not isinstance(act, StockRenewed)]


def _declare(state: State, seat: int, acts: Sequence[LooEvent], chance: Chance) -> LooEvent:
    hand = state.hands[seat]
    said = {act.choice: act for act in acts if isinstance(act, Bid)}
    stands = must_play(state) or _worth(state, hand) >= _ENOUGH[hand_size(state.ruleset)]
    changes = [act for act in acts if isinstance(act, Exchanged)]
    if changes and (stands or chance.random() < 0.2):
        weak = tuple(card for card in hand if not _is_strong(state, card))
        return max(changes, key=lambda act: (set(act.put_out) <= set(weak), len(act.put_out)))
    if not stands and "miss" in said and chance.random() < 0.4:
        return said["miss"]
    if stands or "pass" not in said:
        return said["stand"] if stands or "defend" not in said else said["defend"]
    return said["pass"]


def _worth(state: State, hand: Sequence[Card]) -> int:
    """Return how much a hand promises: trumps count double."""
    return sum(
        _rank(state, card) * (2 if is_trump(state, card) else 1)
        for card in hand
        if _is_strong(state, card)
    )


def _is_strong(state: State, card: Card) -> bool:
    return is_trump(state, card) or rank_of(card) >= _KING


def _rank(state: State, card: Card) -> int:
    return ABOVE_ACE if card == state.pam else rank_of(card)


def _play(state: State, plays: Sequence[CardPlayed]) -> CardPlayed:
    """Return a lead from the top, or the cheapest card that wins, or else the lowest."""
    if not state.trick:
        return max(plays, key=lambda act: (_lead_worth(state, act.card), act.civil))
    led = suit_of(state, state.trick[0].card)
    best = max(strength_in(state, one.card, led) for one in state.trick)
    winning = [act for act in plays if strength_in(state, act.card, led) > best]
    return min(
        winning or plays, key=lambda act: (is_trump(state, act.card), _rank(state, act.card))
    )


def _lead_worth(state: State, card: Card) -> int:
    top_trump = is_trump(state, card) and _rank(state, card) >= _QUEEN
    return _rank(state, card) + (ACE if top_trump else 0)
