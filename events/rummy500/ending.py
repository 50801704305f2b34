"""Whether a turn can still be ended by legal acts (R-6.7, R-6.11), searched exactly.

A turn ends with a discard that is not barred (R-6.4, `redraw_scope`) or, where the table allows it, by
putting everything down. Putting cards down only shrinks the hand, so the search goes on only while a duty
is open or every card left is barred.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from events.cards import RANK, UNKNOWN, Card, is_joker
from events.rummy500.lying import group_rank
from events.rummy500.melds import ACE_HIGH, ACE_LOW, SMALLEST, natural_suits, suit_of
from events.rummy500.reach import lay_offs_with, plays_with
from events.rummy500.ruleset import Ruleset
from events.rummy500.smallest import Play, new_melds_with
from events.rummy500.state import Laid, Meld, State
from events.rummy500.swaps import may_swap, swapped, swaps

Cards = tuple[Card, ...]

# Positions looked at before the search gives up and answers "yes, it can": hands of this kind, with a
# dozen barred cards that must all be put down, do not occur at a table.
SEARCH_LIMIT: Final = 2_000


class Outlook(msgspec.Struct, frozen=True, gc=False):
    """What decides whether a turn can end: cards, table, what is barred, what is owed."""

    hand: Cards
    table: tuple[Meld, ...]
    barred: Cards
    duty: Card | None
    owed: Cards
    new_meld_only: bool
    duty_from: Cards | None
    ruleset: Ruleset
    wilds: str


def outlook(state: State, seat: int) -> Outlook:
    """Return the outlook of a seat in the middle of its turn."""
    return Outlook(
        hand=state.hands[seat],
        table=state.table,
        barred=barred_cards(state),
        duty=state.duty,
        owed=state.owed,
        new_meld_only=must_be_new(state),
        duty_from=_only_from(state),
        ruleset=state.ruleset,
        wilds=state.wilds,
    )


def _only_from(state: State) -> Cards | None:
    """Return the only cards that may go down with a called one, None for any (D-R15)."""
    if state.drawn == "call" and not state.ruleset.call_meld_may_use_hand:
        return state.taken
    return None


def must_be_new(state: State) -> bool:
    """Tell whether a lay-off does not satisfy this turn's duty (V-3b; calls may, D-R23)."""
    return state.ruleset.pile_rule == "always_new_meld" and state.drawn == "pile"


def barred_cards(state: State) -> Cards:
    """Return the cards that may not be discarded this turn (R-6.4, D-R13, `redraw_scope`)."""
    scope, taken = state.ruleset.redraw_scope, state.taken
    if scope == "any_taken" or not taken:
        return taken
    if state.drawn != "pile" or len(taken) != 1:
        return ()
    if scope == "same_face" and not is_joker(taken[0]):
        # Each as often as a record without primes can have it in one hand.
        return (taken[0][:2], taken[0][:2] + "'") * 2
    return taken


def may_discard_some(hand: Cards, barred: Cards) -> bool:
    """Tell whether a hand has a card that is not barred; of equal ones as many are as stand among the barred."""
    if not barred:
        return bool(hand)
    return any(hand.count(card) > barred.count(card) for card in hand)


def can_end(view: Outlook) -> bool:
    """Tell whether some series of legal acts ends the turn."""
    if view.duty is None and not view.owed and _may_discard(view.hand, view):
        return True
    return (
        plainly_ends(view)
        or _ends_at_once(view)
        or _Search(view).leads_to_an_end(view.hand, view.table, view.duty, view.owed)
    )


def plainly_ends(view: Outlook) -> bool:
    """Tell whether the duty's card makes a meld of three with natural cards, and something is left to discard.

    A glance that says nothing if it says no: most draws that may be made at all are of this kind.
    """
    card, hand = view.duty, view.hand
    if card in (None, UNKNOWN) or card not in hand or view.owed or view.duty_from is not None:
        return False
    assert card is not None
    # Were each card of the rest barred, there would be as many barred ones.
    if card[0] in view.wilds or len(hand) - SMALLEST <= len(view.barred):
        return False
    rank, suit = card[0], card[1]
    if len({other[1] for other in hand if other[0] == rank}) >= SMALLEST:
        return True
    ranks = {RANK[other[:2]] for other in hand if other[1] == suit and other[0] not in view.wilds}
    if ACE_LOW in ranks:
        ranks.add(ACE_HIGH)
    own = RANK[card[:2]]
    places = (own, ACE_HIGH) if own == ACE_LOW else (own,)
    return any(
        (at - 2 in ranks and at - 1 in ranks)
        or (at - 1 in ranks and at + 1 in ranks)
        or (at + 1 in ranks and at + 2 in ranks)
        for at in places
    )


def _ends_at_once(view: Outlook) -> bool:
    """Tell whether one action fulfils the duty and leaves a discard: so nearly every turn ends."""
    if view.duty is None or view.owed:
        return False
    return any(_may_discard(_less(view.hand, play.used), view) for play in duty_plays(view))


def duty_plays(view: Outlook, *, all_bridges: bool = True) -> Iterator[Play]:
    """Yield the smallest actions that put the duty's card down as the table asks for it."""
    if view.duty in (None, UNKNOWN) or view.duty not in view.hand:
        return
    only = view.duty_from
    hand = view.hand if only is None else tuple(card for card in view.hand if card in only)
    if view.new_meld_only:
        yield from new_melds_with(view.duty, hand, view.ruleset, view.wilds)
    else:
        yield from plays_with(
            view.duty, hand, view.table, view.ruleset, view.wilds, all_bridges=all_bridges
        )


def _may_discard(hand: Cards, view: Outlook) -> bool:
    return may_discard_some(hand, view.barred)


def _may_meld_out(ruleset: Ruleset) -> bool:
    return ruleset.go_out != "discard_required"


def _position(now: Outlook) -> tuple[object, ...]:
    """Return what tells one position of a search from another.

    Which joker lies where and who laid what makes no difference, unless a joker can be swapped out again.
    """
    if may_swap(now.ruleset):
        return frozenset(now.hand), len(now.hand), now.table, now.duty, now.owed
    naturals = sorted(card for card in now.hand if not is_joker(card))
    jokers = [card in now.barred for card in now.hand if is_joker(card)]
    shapes = Counter(map(_shape, now.table))
    return tuple(naturals), sum(jokers), len(jokers), frozenset(shapes.items()), now.duty


def _shape(meld: Meld) -> tuple[object, ...]:
    if meld.kind == "sequence":
        return suit_of(meld), meld.low, len(meld.cards)
    return group_rank(meld), natural_suits(meld), len(meld.cards)


class _Search:
    """A depth-first search over smallest actions that remembers the positions it has seen."""

    def __init__(self, view: Outlook) -> None:
        self.view = view
        self.steps = 0
        self.seen: set[tuple[object, ...]] = set()

    def leads_to_an_end(
        self, hand: Cards, table: tuple[Meld, ...], duty: Card | None, owed: Cards
    ) -> bool:
        fulfilled = duty is None and not owed
        if fulfilled and _may_discard(hand, self.view):
            return True
        if not hand:
            return fulfilled and _may_meld_out(self.view.ruleset)
        self.steps += 1
        if self.steps > SEARCH_LIMIT:
            return True
        now = msgspec.structs.replace(self.view, hand=hand, table=table, duty=duty, owed=owed)
        if self.steps > 1 and self._has_been(now):
            return False
        return any(
            self.leads_to_an_end(
                _less(hand, play.used), _changed(table, play), _left(duty, play), _still(owed, play)
            )
            for play in self._plays(now)
        ) or any(
            self.leads_to_an_end(
                (*_less(hand, (card,)), joker),
                _with_swap(table, meld, joker, card),
                duty,
                (*owed, joker),
            )
            for meld, joker, card in self._swaps(now)
        )

    def _has_been(self, now: Outlook) -> bool:
        """Tell whether a position was seen before; the first one cannot come again."""
        key = _position(now)
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def _plays(self, now: Outlook) -> Iterator[Play]:
        if now.duty is not None:
            yield from duty_plays(now)
            yield from self._before_the_duty(now, now.duty)
        elif now.owed or may_swap(now.ruleset):
            for card in now.owed or now.hand:
                if card != UNKNOWN and card in now.hand:
                    yield from plays_with(card, now.hand, now.table, now.ruleset, now.wilds)
        elif _may_meld_out(now.ruleset):
            yield from _fewest_plays(now)

    def _swaps(self, now: Outlook) -> Iterator[tuple[Meld, Card, Card]]:
        if may_swap(now.ruleset):
            yield from swaps(now.hand, now.table)

    def _before_the_duty(self, now: Outlook, duty: Card) -> Iterator[Play]:
        """Yield new sequences round whose corner the duty can be laid: no other action must come first.

        Elsewhere a sequence that the duty could extend could as well be laid together with it, and a lay-off
        brings its own bridge.
        """
        ruleset, wilds = now.ruleset, now.wilds
        if ruleset.runs == "plain" or ruleset.deep_timing == "next_play" or duty[0] in wilds:
            return
        mates = tuple(c for c in now.hand if c != duty and (c[0] in wilds or c[1] == duty[1]))
        for card in (c for c in mates if c[0] in wilds or RANK[c] == ACE_LOW):
            for play in new_melds_with(card, mates, ruleset, wilds):
                if _ends_in_an_ace(play.new) and suit_of(play.new) == duty[1]:
                    left = (*_less(mates, play.used), duty)
                    if any(True for _ in lay_offs_with(duty, left, play.new, ruleset, wilds)):
                        yield play


def _ends_in_an_ace(meld: Meld) -> bool:
    return meld.kind == "sequence" and (meld.low == ACE_LOW or meld.high == ACE_HIGH)


def _fewest_plays(now: Outlook) -> list[Play]:
    """Return the plays of one card where every card must go down: of the one that has fewest.

    Whatever it ends up in, some smallest action with it is possible now, and the rest can be added later:
    so no other card need be tried, and if it has none there is no way at all.
    """
    if UNKNOWN in now.hand:
        return []
    fewest: list[Play] | None = None
    # A joker goes where there is room: it decides nothing as long as a natural card is left.
    for card in [c for c in now.hand if c[0] not in now.wilds] or now.hand[:1]:
        limit = None if fewest is None else len(fewest)
        found = list(islice(plays_with(card, now.hand, now.table, now.ruleset, now.wilds), limit))
        if fewest is None or len(found) < len(fewest):
            fewest = found
        if not fewest:
            break
    return fewest or []


def _less(hand: Cards, used: Cards) -> Cards:
    rest = list(hand)
    for card in used:
        rest.remove(card)
    return tuple(rest)


def _changed(table: tuple[Meld, ...], play: Play) -> tuple[Meld, ...]:
    return (*(meld for meld in table if meld is not play.old), play.new)


def _with_swap(table: tuple[Meld, ...], meld: Meld, joker: Card, card: Card) -> tuple[Meld, ...]:
    new = swapped(meld, joker, Laid(card, 0))
    return tuple(new if there is meld else there for there in table)


def _still(owed: Cards, play: Play) -> Cards:
    return tuple(card for card in owed if card not in play.used)


def _left(duty: Card | None, play: Play) -> Card | None:
    return None if duty in play.used else duty
