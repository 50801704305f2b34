"""A second, deliberately naive referee: tries every set of cards in every way, for small hands only.

Written from docs/rules/rummy500.md. It shares nothing with the engine but the struct of the options; cards
are texts, acts are tuples, and there is no attempt at speed or at judging what is not legal.

    ("stock", seat)  ("take", seat, cards)  ("renew", seat)  ("decline", seat)  ("discard", seat, card)
    ("group", seat, cards)  ("run", seat, placed)  ("lay", seat, meld, low, high)  ("join", seat, meld, card)
    ("call", seat, cards)  ("call_lay", seat, meld, placed, end)  ("challenge", seat)
    ("swap", seat, meld, joker, card)

A placed card is a text like ``7H`` or ``X1=8H``; the low and high cards of a lay-off stand outward.
"""

from collections.abc import Iterator
from itertools import chain

from tests.perft.naive_changes import after, carried_out
from tests.perft.naive_melds import (
    group_rank,
    is_callable,
    is_playable,
    lay_offs_of,
    melds_of,
    single_lay_offs,
)
from tests.perft.naive_table import (
    LINE,
    Act,
    Cards,
    Group,
    Run,
    Table,
    bare,
    is_natural,
)

__all__ = ["Act", "Cards", "Group", "Run", "Table", "acts", "after", "can_finish", "signature"]


def acts(now: Table) -> list[Act]:
    """Every legal act of every player, of those that differ only by alike cards the first."""
    if now.phase == "over":
        return []
    found: dict[Act, Act] = {}
    for act in chain(_draws(now), _calls(now), _plays(now), _discards(now)):
        found.setdefault(signature(now, act), act)
    return list(found.values())


def signature(now: Table, act: Act) -> Act:
    """What tells an act from others, jokers of one hand being alike, and two copies of a face as well.

    Cards that the turn treats differently are not alike: the duty's card, one that may not be thrown back.
    """
    if act[0] not in ("group", "run", "lay", "join"):
        return act

    def looks(placed: str) -> str:
        card, _, face = placed.partition("=")
        if card[0] == "X":
            return "X" + face
        if face and not now.rules.wild_swap:
            return "W" + face  # which of several wild cards stands for which is one act
        return card[:2] + marks(card) + "=" * bool(face) + face

    def marks(card: str) -> str:
        owed, only = card in now.owed, not _may_use_hand(now) and card in now.taken
        return "!" * (card == now.duty) + "-" * is_barred(now, card) + "o" * owed + "t" * only

    def wild_marks(cards: Cards) -> Cards:
        jokers = [marks(card[:2]) for card in cards if card[0] == "X"]
        others = [card.partition("=")[0] for card in cards if "=" in card and card[0] != "X"]
        return tuple(sorted([*jokers, *(card[:2] + marks(card) for card in others)]))

    kind, seat = act[:2]
    if kind == "group":
        return kind, seat, tuple(sorted(map(looks, act[2]))), wild_marks(act[2])
    if kind == "run":
        return kind, seat, tuple(map(looks, act[2])), wild_marks(act[2])
    if kind == "join":
        return kind, seat, act[2], looks(act[3]), wild_marks((act[3],))
    low, high = act[3], act[4]
    return (
        kind,
        seat,
        act[2],
        tuple(map(looks, low)),
        tuple(map(looks, high)),
        wild_marks(low + high),
    )


def _draws(now: Table) -> Iterator[Act]:
    """R-6.2 to R-6.7, R-6.12."""
    if now.phase not in ("draw", "window"):
        return
    seat, pile = now.turn, now.pile
    if now.stock:
        yield ("stock", seat)
    can_renew = not now.stock and len(pile) > 1 and now.rules.stock_out.startswith("reshuffle")
    can_renew = can_renew and now.challenged is None
    if can_renew:
        yield ("renew", seat)
    if not now.stock and not can_renew:
        yield ("decline", seat)
    if now.renewed:
        return  # who has asked for a stock card takes one
    for count in range(1, len(pile) + 1):
        act = ("take", seat, pile[-count:])
        # Under a challenge the draw is not carried out (12.7): it cannot fail either.
        may_take = not _must_use_stock(now) and can_finish(after(now, act))
        if now.challenged is not None or may_take:
            yield act


def _must_use_stock(now: Table) -> bool:
    """D-R26."""
    is_closed = now.rules.floater_draw == "stock_only" and now.turn in now.floaters
    return is_closed and bool(now.stock)


def _calls(now: Table) -> Iterator[Act]:
    """Section 8, V-4, 12.7."""
    if not _calls_are_open(now):
        return
    excluded = now.closed_out if now.phase == "window" else now.turn
    for seat in range(now.seats):
        if seat == excluded:
            continue
        if now.challenged is not None:
            yield ("challenge", seat)
        if seat in now.floaters and not now.rules.floater_calls:
            continue
        if now.rules.rummy == "full":
            yield from _full_calls(now, seat)
        elif now.rules.rummy == "latest_layoff" and now.fresh:
            for meld in now.melds:
                for kind, placed, end in single_lay_offs(now, now.pile[-1], meld):
                    yield ("call_lay", seat, meld.number, placed, end if kind == "run" else None)


def _calls_are_open(now: Table) -> bool:
    """R-8.3; D-R16: also in the middle of a turn once something has been put down."""
    if now.phase == "window":
        return bool(now.pile)
    also = now.rules.rummy == "full" and now.rules.rummy_window == "also_after_meld"
    return now.phase == "play" and also and now.played and now.noted is None


def _full_calls(now: Table, seat: int) -> Iterator[Act]:
    counts = range(1, len(now.pile) + 1) if now.challenged is None else (1,)
    for count in counts:
        cards = now.pile[-count:]
        act = ("call", seat, cards)
        if is_callable(now, cards) and can_finish(carried_out(now, act)):
            yield act


def _plays(now: Table) -> Iterator[Act]:
    """Melds and lay-offs that leave the turn an end (R-6.6, R-6.8, R-6.11)."""
    if now.phase == "play":
        yield from (act for act in _attempts(now) if can_finish(after(now, act)))


def _swaps(now: Table) -> Iterator[Act]:
    """12.11, V-9b: a natural card for the joker or wild card that stands for it, none that must be melded."""
    if not (now.rules.joker_swap or now.rules.wild_swap):
        return
    seat, bound = now.turn, (now.duty, *now.owed)
    for meld in now.melds:
        for card in (card for card in now.hands[seat] if card[0] != "X" and card not in bound):
            for joker in _given_for(card, meld):
                yield ("swap", seat, meld.number, joker, card)


def _given_for(card: str, meld: Group | Run) -> Iterator[str]:
    if isinstance(meld, Run):
        for place, joker in meld.standing:
            if card[:2] == LINE[place % 13] + meld.suit:
                yield joker
        return
    naturals = [other for other in meld.cards if is_natural(other)]
    if card[0] == group_rank(meld) and all(card[1] != other[1] for other in naturals):
        yield from (bare(other) for other in meld.cards if not is_natural(other))


def _attempts(now: Table) -> Iterator[Act]:
    """Melds, lay-offs and swaps that shape and duty allow, whether or not the turn can then end."""
    yield from _swaps(now)
    seat, hand = now.turn, now.hands[now.turn]
    for cards, kind in melds_of(now, hand).items():
        if _does_duty(now, cards, is_new=True):
            for act in kind:
                yield (act[0], seat, act[1])
    for meld in now.melds:
        for used, act in lay_offs_of(now, hand, meld):
            if _does_duty(now, used, is_new=False):
                yield (act[0], seat, *act[1:])


def _does_duty(now: Table, used: Cards, *, is_new: bool) -> bool:
    """R-6.6, D-R09, V-3b."""
    if now.duty is None:
        return True
    if now.duty not in used:
        return now.rules.deep_timing == "by_turn_end"
    if not _may_use_hand(now) and any(card not in now.taken for card in used):
        return False
    return is_new or now.drawn != "pile" or now.rules.pile_rule != "always_new_meld"


def _may_use_hand(now: Table) -> bool:
    """D-R15: whether a called card may go down with cards of the hand."""
    return now.duty is None or now.drawn != "call" or now.rules.call_meld_may_use_hand


def _discards(now: Table) -> Iterator[Act]:
    if now.phase == "play":
        yield from (("discard", now.turn, c) for c in now.hands[now.turn] if may_discard(now, c))


def may_discard(now: Table, card: str) -> bool:
    """R-6.4, R-6.6, V-7."""
    if now.duty is not None or now.owed or is_barred(now, card):
        return False
    rules, is_last = now.rules, len(now.hands[now.turn]) == 1
    guarded = rules.go_out == "floating_unplayable" and rules.illegal_final_discard == "reject"
    return not (guarded and is_last and is_playable(now, card))


def is_barred(now: Table, card: str) -> bool:
    """R-6.4, D-R13, 12.11."""
    if now.rules.redraw_scope == "any_taken":
        return card in now.taken
    if now.drawn != "pile" or len(now.taken) != 1:
        return False
    same_face = now.rules.redraw_scope == "same_face" and card[0] != "X"
    return card[:2] == now.taken[0][:2] if same_face else card in now.taken


def can_finish(now: Table) -> bool:
    """Whether some series of legal acts ends this turn, found by trying them all (R-6.7, R-6.11)."""
    seen: set[Table] = set()

    def finishes(then: Table) -> bool:
        if then.phase != "play":
            return then.rules.go_out != "discard_required"
        if any(may_discard(then, card) for card in then.hands[then.turn]):
            return True
        if then in seen:
            return False
        seen.add(then)
        return any(finishes(after(then, act)) for act in _attempts(then))

    return finishes(now)
