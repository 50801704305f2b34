"""One game written down in three ways: with all cards, as a scribe at the table sees it, and from mid-deal on.

For tests. A scribe sees what is open: no hands, no stock, until the cards are shown.
"""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import asdict, replace

from events.cards import UNKNOWN, physical
from events.game import Violation
from events.rummy500.events import (
    Layer,
    MeldPosition,
    Placement,
    PositionSet,
    RummyEvent,
    StockDrawn,
)
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import IN_PLAY, State
from projections.views import view_event
from tests.events.rummy500.mutants import mutants
from tests.simulate import RUMMY, next_event, opened

# What a position cannot tell, or tells by what is in play: nothing that any rule asks for.
UNTOLD = {
    "deck",
    "dealt",
    "in_play",
    "dealer",
    "first_dealer",
    "scores",
    "anyone_starts",
    "played",
    "idle",
}
# What only the holder of a card, or who knows the stock, can see to be wrong (12.13).
UNSEEN = {"NOT_IN_HAND", "DRAW_NOT_TOP"}
CARD = re.compile(r"[A2-9TJQK][SHDC]'?(=..)?|X[1-4](=..)?")
LONGEST = 400


def with_illegal_acts(
    seed: int, seats: int, ruleset: Ruleset, count: int
) -> tuple[list[RummyEvent], list[int]]:
    """Return one deal in which some acts break the rules for all to see, and the versions of those.

    Play goes on as the table then stands; where nobody could go on, the log ends.
    """
    rng = random.Random(seed)
    opening = opened(seats, ruleset, "recorded")
    slips = sorted(rng.sample(range(seats + 3, seats + 60), count))
    events: list[RummyEvent] = [opening]
    state, wrong = RUMMY.initial(opening), list[int]()
    while len(events) < LONGEST and state.phase not in ("scored", "ended"):
        act = None
        if slips and len(events) + 1 >= slips[0] and state.phase in IN_PLAY:
            act = _slip(state, rng)
        if act is not None:
            slips.pop(0)
            wrong.append(len(events) + 1)
        elif not RUMMY.due(state) and not any(RUMMY.legal(state, state.turn)):
            break
        act = act or next_event(state, rng)
        events.append(act)
        state = RUMMY.evolve(state, act)
    return events, wrong


def _slip(state: State, rng: random.Random) -> RummyEvent | None:
    seat = state.turn
    listed = list(islice(RUMMY.legal(state, seat), 40))
    tried = (_from_the_top(state, act) for act in mutants(state, listed, rng))
    wrong = [act for act in tried if act is not None and _is_visibly_wrong(state, act)]
    return rng.choice(wrong) if wrong else None


def _from_the_top(state: State, act: RummyEvent) -> RummyEvent | None:
    """Return the act, a draw from the stock as one of the card that lies there; None if none does."""
    if not isinstance(act, StockDrawn):
        return act
    return replace(act, card=state.stock[0]) if state.stock else None


def _is_visibly_wrong(state: State, act: RummyEvent) -> bool:
    """Tell whether an act breaks a rule for all to see.

    Not so if it shows a card that lies unseen in another hand or in the stock, or one card twice: a scribe
    has to believe who shows a card that it is his (12.13).
    """
    seat: int | None = getattr(act, "seat", None)
    if seat is None or seat >= state.seats:
        return False  # the dealer's facts, and none about this table
    codes = {found.code for found in RUMMY.judge(state, act) if isinstance(found, Violation)}
    shown = sorted(card for card in _shown(act) if card != UNKNOWN)
    lying = [physical(laid.card) for meld in state.table for laid in (*meld.cards, *meld.beside)]
    top = state.stock[:1] if isinstance(act, StockDrawn) else ()
    in_sight = {*state.hands[seat], *top, *state.pile, *lying}
    all_there = all(card in in_sight for card in shown)
    return bool(codes) and not codes & UNSEEN and all_there and len(set(shown)) == len(shown)


def _shown(act: RummyEvent) -> Iterator[str]:
    """Yield the cards that an act names."""
    for value in (getattr(act, name) for name in act.__struct_fields__):
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Placement):
                yield physical(one.card)
            elif isinstance(one, str) and CARD.fullmatch(one):
                yield physical(one)


def by_scribe(events: Sequence[RummyEvent]) -> list[RummyEvent]:
    """Return the log with `??` for all that nobody at the table but its holder sees."""
    return [view_event("rummy500", event, "public") for event in events]


def from_positions(
    events: Sequence[RummyEvent], upto: int
) -> Iterator[tuple[int, list[RummyEvent]]]:
    """Yield each version before *upto* that a position can tell, and the log that starts from it."""
    state = RUMMY.initial(events[0])  # type: ignore[arg-type]
    for version, event in enumerate(events[1 : upto - 1], 2):
        state = RUMMY.evolve(state, event)
        if state.phase in IN_PLAY:
            position = position_of(state)
            told = RUMMY.evolve(RUMMY.initial(events[0]), position)  # type: ignore[arg-type]
            if _without(told) == _without(state):
                yield version, [events[0], position, *events[version:]]


def _without(state: State) -> dict[str, object]:
    return {name: value for name, value in asdict(state).items() if name not in UNTOLD}


def position_of(state: State) -> PositionSet:
    """Return the position that shows this table."""
    melds = tuple(
        MeldPosition(
            meld=meld.meld,
            kind=meld.kind,
            cards=tuple(Layer(card=laid.card, seat=laid.seat) for laid in meld.cards),
        )
        for meld in state.table
    )
    return PositionSet(
        deal=state.deal,
        dealer=state.dealer,
        wild=state.wilds[1:] or None,  # type: ignore[arg-type]
        turn=state.turn,
        phase=state.phase,  # type: ignore[arg-type]
        stock=state.stock,
        pile=state.pile,
        hands=state.hands,
        melds=melds,
        drawn=state.drawn,
        taken=state.taken,
        duty=state.duty,
        discarder=state.discarder,
        floaters=state.floaters,
        totals=state.totals,
    )
