"""A second, deliberately naive referee: tries every set of cards in every way, for small hands only.

Written from docs/rules/rummy500.md. It shares nothing with the engine but the struct of the options; cards
are texts, acts are tuples, and there is no attempt at speed or at judging what is not legal.

    ("stock", seat)  ("take", seat, cards)  ("renew", seat)  ("decline", seat)  ("discard", seat, card)
    ("group", seat, cards)  ("run", seat, placed)  ("lay", seat, meld, low, high)  ("join", seat, meld, card)
    ("call", seat, cards)  ("call_lay", seat, meld, placed, end)  ("challenge", seat)

A placed card is a text like ``7H`` or ``X1=8H``; the low and high cards of a lay-off stand outward.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any

from events.rummy500.ruleset import Ruleset

Cards = tuple[str, ...]
Act = tuple[Any, ...]

LINE = "A23456789TJQKA"
"""The ranks along a sequence: place 0 is a low ace, place 13 a high one."""
LONGEST = 13
"""Cards in a sequence (D-R06); tables with two aces in one are not played here."""


@dataclass(frozen=True)
class Group:
    number: int
    cards: Cards


@dataclass(frozen=True)
class Run:
    """A sequence from place `low` to place `high`; around the corner places go on in both directions."""

    number: int
    suit: str
    low: int
    high: int


@dataclass(frozen=True)
class Table:
    """The table between two acts. `turn` is who acts, in a window who draws next."""

    rules: Ruleset
    hands: tuple[Cards, ...]
    stock: Cards
    pile: Cards
    turn: int
    phase: str
    melds: tuple[Group | Run, ...] = ()
    drawn: str | None = None
    taken: Cards = ()
    duty: str | None = None
    renewed: bool = False
    closed_out: int | None = None
    """Who may not call in this window: the player whose turn has just ended (R-8.2)."""
    fresh: bool = False
    floaters: frozenset[int] = frozenset()
    challenged: int | None = None
    """Whose last discard may still be challenged (12.7)."""

    @property
    def seats(self) -> int:
        return len(self.hands)


def deal(rules: Ruleset, seats: int, deck: Cards, size: int) -> Table:
    """R-1.3 to R-1.6, seat 0 dealing: one card at a time, clockwise, the dealer last; then the upcard."""
    hands: list[list[str]] = [[] for _ in range(seats)]
    cards = list(deck)
    for _ in range(size):
        for step in range(1, seats + 1):
            hands[step % seats].append(cards.pop(0))
    upcard = cards.pop(0)
    return Table(rules, tuple(map(tuple, hands)), tuple(cards), (upcard,), 1 % seats, "draw")


# --- what may be done -----------------------------------------------------------------------------------


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
        if is_wild(card):
            return "X" + face
        return card[:2] + marks(card)

    def marks(card: str) -> str:
        return "!" * (card == now.duty) + "-" * is_barred(now, card)

    def wild_marks(cards: Cards) -> Cards:
        return tuple(sorted(marks(card[:2]) for card in cards if is_wild(card)))

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
    if now.phase != "window" or not now.pile:
        return
    for seat in range(now.seats):
        if seat == now.closed_out:
            continue
        if now.challenged is not None:
            yield ("challenge", seat)
        if seat in now.floaters and not now.rules.floater_calls:
            continue
        if now.rules.rummy == "full":
            yield from _full_calls(now, seat)
        elif now.rules.rummy == "latest_layoff" and now.fresh:
            for meld in now.melds:
                for kind, placed, end in _single_lay_offs(now, now.pile[-1], meld):
                    yield ("call_lay", seat, meld.number, placed, end if kind == "run" else None)


def _full_calls(now: Table, seat: int) -> Iterator[Act]:
    counts = range(1, len(now.pile) + 1) if now.challenged is None else (1,)
    for count in counts:
        cards = now.pile[-count:]
        act = ("call", seat, cards)
        if is_callable(now, cards) and can_finish(after(now, act)):
            yield act


def is_callable(now: Table, cards: Cards) -> bool:
    """R-8.1: the lowest of these cards can go down with the others alone."""
    named = cards[0]
    if any(named in used for used in _melds_of(now, cards)):
        return True
    return any(named in used for meld in now.melds for used, _ in _lay_offs_of(now, cards, meld))


def _plays(now: Table) -> Iterator[Act]:
    """Melds and lay-offs that leave the turn an end (R-6.6, R-6.8, R-6.11)."""
    if now.phase == "play":
        yield from (act for act in _attempts(now) if can_finish(after(now, act)))


def _attempts(now: Table) -> Iterator[Act]:
    """Melds and lay-offs that shape and duty allow, whether or not the turn can then end."""
    seat, hand = now.turn, now.hands[now.turn]
    for cards, kind in _melds_of(now, hand).items():
        if _does_duty(now, cards, is_new=True):
            for act in kind:
                yield (act[0], seat, act[1])
    for meld in now.melds:
        for used, act in _lay_offs_of(now, hand, meld):
            if _does_duty(now, used, is_new=False):
                yield (act[0], seat, *act[1:])


def _does_duty(now: Table, used: Cards, *, is_new: bool) -> bool:
    """R-6.6, D-R09, V-3b."""
    if now.duty is None:
        return True
    if now.duty not in used:
        return now.rules.deep_timing == "by_turn_end"
    return is_new or now.drawn != "pile" or now.rules.pile_rule != "always_new_meld"


def _discards(now: Table) -> Iterator[Act]:
    if now.phase == "play":
        yield from (("discard", now.turn, c) for c in now.hands[now.turn] if may_discard(now, c))


def may_discard(now: Table, card: str) -> bool:
    """R-6.4, R-6.6, V-7."""
    if now.duty is not None or is_barred(now, card):
        return False
    rules, is_last = now.rules, len(now.hands[now.turn]) == 1
    guarded = rules.go_out == "floating_unplayable" and rules.illegal_final_discard == "reject"
    return not (guarded and is_last and is_playable(now, card))


def is_playable(now: Table, card: str) -> bool:
    """D-R20."""
    return any(True for meld in now.melds for _ in _single_lay_offs(now, card, meld))


def is_barred(now: Table, card: str) -> bool:
    """R-6.4, D-R13, 12.11."""
    if now.rules.redraw_scope == "any_taken":
        return card in now.taken
    if now.drawn != "pile" or len(now.taken) != 1:
        return False
    same_face = now.rules.redraw_scope == "same_face" and not is_wild(card)
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


# --- what becomes of it ---------------------------------------------------------------------------------


def after(now: Table, act: Act) -> Table:
    """The table after an act."""
    kind, seat = act[:2]
    if now.challenged is not None and kind in ("stock", "take", "decline"):
        return replace(now, phase="over")  # nobody challenged: the offender is out
    changes: dict[str, Callable[[Table, Act], Table]] = {
        "stock": _after_stock,
        "take": _after_take,
        "renew": _after_renewal,
        "decline": lambda now, act: replace(now, phase="over"),
        "discard": _after_discard,
        "call": _after_call,
        "call_lay": _after_call_lay,
        "challenge": _after_challenge,
        "group": _after_play,
        "run": _after_play,
        "lay": _after_play,
        "join": _after_play,
    }
    assert seat < now.seats
    return _ended_if_dry(changes[kind](now, act))


def _ended_if_dry(now: Table) -> Table:
    """R-6.12: with stock and pile both empty the hand ends by itself."""
    is_dry = now.phase in ("draw", "window") and not now.stock and not now.pile
    return replace(now, phase="over") if is_dry else now


def _turn_begun(now: Table, seat: int, drawn: str, taken: Cards, duty: str | None) -> Table:
    return replace(
        now, phase="play", turn=seat, drawn=drawn, taken=taken, duty=duty, renewed=False, fresh=False
    )  # fmt: skip


def _after_stock(now: Table, act: Act) -> Table:
    seat = act[1]
    hands = _with(now.hands, seat, (*now.hands[seat], now.stock[0]))
    return _turn_begun(replace(now, hands=hands, stock=now.stock[1:]), seat, "stock", (), None)


def _after_take(now: Table, act: Act) -> Table:
    _, seat, cards = act
    duty = cards[0] if len(cards) > 1 or now.rules.pile_rule != "top_free" else None
    return _lifted(now, seat, cards, "pile", duty)


def _lifted(now: Table, seat: int, cards: Cards, drawn: str, duty: str | None) -> Table:
    assert now.pile[-len(cards) :] == cards
    hands = _with(now.hands, seat, now.hands[seat] + cards)
    now = replace(now, hands=hands, pile=now.pile[: -len(cards)])
    return _turn_begun(now, seat, drawn, cards, duty)


def _after_renewal(now: Table, act: Act) -> Table:
    """D-R12, the shuffle of these tests being to turn the cards over, the last first."""
    if now.rules.stock_out == "reshuffle_all_but_top":
        stock, pile = now.pile[-2::-1], now.pile[-1:]
    else:
        turned = now.pile[::-1]
        stock, pile = turned[1:], turned[:1]
    return replace(now, stock=stock, pile=pile, phase="draw", renewed=True, fresh=False)


def _after_discard(now: Table, act: Act) -> Table:
    _, seat, card = act
    hand = _less(now.hands[seat], (card,))
    now = replace(now, hands=_with(now.hands, seat, hand), pile=(*now.pile, card))
    if not hand:
        is_open = now.rules.illegal_final_discard == "challenge" and is_playable(now, card)
        if not is_open:
            return replace(now, phase="over")
        return replace(_window(now, seat, fresh=True), challenged=seat)
    now = replace(now, floaters=now.floaters - {seat})
    if now.rules.stock_out == "end_at_once" and not now.stock:
        return replace(now, phase="over")
    return _window(now, seat, fresh=True)


def _window(now: Table, seat: int, *, fresh: bool) -> Table:
    return replace(
        now, phase="window", turn=(seat + 1) % now.seats, closed_out=seat, fresh=fresh, drawn=None,
        taken=(), duty=None,
    )  # fmt: skip


def _unchallenged(now: Table) -> Table:
    """After a challenge or a call of it the offender has no cards and is a floater."""
    if now.challenged is None:
        return now
    return replace(now, floaters=now.floaters | {now.challenged}, challenged=None)


def _after_call(now: Table, act: Act) -> Table:
    _, seat, cards = act
    return _lifted(_unchallenged(now), seat, cards, "call", cards[0])


def _after_call_lay(now: Table, act: Act) -> Table:
    """V-4a: the card goes to its meld, and the order of turns stays."""
    _, _, number, placed, end = act
    card = placed.partition("=")[0]
    assert now.pile[-1] == card
    now = replace(_unchallenged(now), pile=now.pile[:-1], fresh=False)
    return _grown(now, number, card, end)


def _after_challenge(now: Table, act: Act) -> Table:
    """12.7: the offender takes the card back, and must lay it off at once."""
    seat = now.challenged
    assert seat is not None
    card = now.pile[-1]
    hands = _with(now.hands, seat, (card,))
    now = replace(now, hands=hands, pile=now.pile[:-1], challenged=None, turn=seat, phase="play")
    return replace(now, drawn=None, taken=(), duty=card, fresh=False)


def _after_play(now: Table, act: Act) -> Table:
    kind, seat = act[:2]
    if kind == "join":
        used: Cards = (act[3],)
        now = _grown(now, act[2], act[3], None)
    elif kind == "lay":
        used = tuple(placed.partition("=")[0] for placed in act[3] + act[4])
        for end, row in (("low", act[3]), ("high", act[4])):
            for placed in row:
                now = _grown(now, act[2], placed, end)
    else:
        used = tuple(placed.partition("=")[0] for placed in act[2])
        now = replace(now, melds=(*now.melds, _new_meld(now, kind, act[2])))
    hand = _less(now.hands[seat], used)
    duty = None if now.duty in used else now.duty
    now = replace(now, hands=_with(now.hands, seat, hand), duty=duty)
    return now if hand else _melded_out(now, seat)


def _melded_out(now: Table, seat: int) -> Table:
    """R-7.1, 12.6."""
    if now.rules.go_out in ("free", "discard_required"):
        return replace(now, phase="over")
    now = replace(now, floaters=now.floaters | {seat})
    if now.rules.stock_out == "end_at_once" and not now.stock:
        return replace(now, phase="over")
    return _window(now, seat, fresh=False)


def _new_meld(now: Table, kind: str, placed: Cards) -> Group | Run:
    number = max((meld.number for meld in now.melds), default=0) + 1
    if kind == "group":
        return Group(number, placed)
    faces = [text.partition("=")[2] or text for text in placed]
    low = LINE.index("".join(face[0] for face in faces))
    return Run(number, faces[0][1], low, low + len(faces) - 1)


def _grown(now: Table, number: int, card: str, end: str | None) -> Table:
    def grow(meld: Group | Run) -> Group | Run:
        if meld.number != number:
            return meld
        if isinstance(meld, Group):
            return replace(meld, cards=(*meld.cards, card))
        if end == "low":
            return replace(meld, low=meld.low - 1)
        return replace(meld, high=meld.high + 1)

    return replace(now, melds=tuple(map(grow, now.melds)))


# --- melds and lay-offs ---------------------------------------------------------------------------------


def is_wild(card: str) -> bool:
    return card[0] == "X"


def _melds_of(now: Table, hand: Cards) -> dict[Cards, list[Act]]:
    """Every set of cards that makes a new meld, with each way to put it down."""
    found: dict[Cards, list[Act]] = {}
    for size in range(3, len(hand) + 1):
        for cards in combinations(hand, size):
            ways: list[Act] = [("group", cards)] if is_group(cards) else []
            ways += [("run", placed) for placed in runs_of(cards)]
            if ways:
                found[cards] = ways
    return found


def is_group(cards: Cards) -> bool:
    """R-3.2, R-3.3, R-4.5, R-4.7."""
    naturals = [card for card in cards if not is_wild(card)]
    ranks, suits = {card[0] for card in naturals}, {card[1] for card in naturals}
    return len(cards) in (3, 4) and len(ranks) == 1 and len(suits) == len(naturals)


def runs_of(cards: Cards) -> Iterator[Cards]:
    """R-3.4, R-3.5, R-4.2: every run that all these cards make together, jokers where they are wanted."""
    naturals = [card for card in cards if not is_wild(card)]
    wilds = [card for card in cards if is_wild(card)]
    if not naturals or len({card[1] for card in naturals}) > 1 or len(cards) > LONGEST:
        return
    suit = naturals[0][1]
    for low in range(len(LINE) - len(cards) + 1):
        waiting, free = list(naturals), list(wilds)
        placed = []
        for rank in LINE[low : low + len(cards)]:
            here = next((card for card in waiting if card[0] == rank), None)
            if here is not None:
                waiting.remove(here)
                placed.append(here)
            elif free:
                placed.append(f"{free.pop(0)}={rank}{suit}")
        if not waiting and len(placed) == len(cards):
            yield tuple(placed)


def _lay_offs_of(now: Table, hand: Cards, meld: Group | Run) -> Iterator[tuple[Cards, Act]]:
    """Every way to lay cards of a hand off on one meld in one action, with the cards used (R-5.8)."""
    if isinstance(meld, Group):
        for card in hand:
            if _joins(card, meld):
                yield (card,), ("join", meld.number, card)
        return
    found: set[tuple[Cards, Cards]] = set()
    _lay_on(now, hand, meld, ((), ()), found)
    for low, high in sorted(found):
        used = tuple(placed.partition("=")[0] for placed in low + high)
        yield used, ("lay", meld.number, low, high)


def _lay_on(
    now: Table, hand: Cards, run: Run, laid: tuple[Cards, Cards], found: set[tuple[Cards, Cards]]
) -> None:
    """Lay one card more, at either end, and go on from there."""
    if laid in found:
        return
    if laid != ((), ()):
        found.add(laid)
    low, high = laid
    for card in hand:
        for _, placed, end in _single_lay_offs(now, card, run):
            rest = _less(hand, (card,))
            if end == "low":
                more = replace(run, low=run.low - 1)
                _lay_on(now, rest, more, ((*low, placed), high), found)
            else:
                more = replace(run, high=run.high + 1)
                _lay_on(now, rest, more, (low, (*high, placed)), found)


def _single_lay_offs(
    now: Table, card: str, meld: Group | Run
) -> Iterator[tuple[str, str, str | None]]:
    """R-5.2, R-5.3, R-4.8: how one card fits on one meld."""
    if isinstance(meld, Group):
        if _joins(card, meld):
            yield "group", card, None
        return
    for end, place in (("low", meld.low - 1), ("high", meld.high + 1)):
        if not _reaches(now.rules, meld, place):
            continue
        face = "A23456789TJQK"[place % 13] + meld.suit
        if is_wild(card):
            yield "run", f"{card}={face}", end
        elif card[:2] == face:
            yield "run", card, end


def _reaches(rules: Ruleset, run: Run, place: int) -> bool:
    is_full = run.high - run.low + 1 >= LONGEST
    return not is_full and (rules.runs == "around_corner" or 0 <= place <= 13)


def _joins(card: str, group: Group) -> bool:
    naturals = [other for other in group.cards if not is_wild(other)]
    if len(group.cards) >= 4:
        return False
    return is_wild(card) or all(card[0] == other[0] and card[1] != other[1] for other in naturals)


def _less(hand: Cards, used: Cards) -> Cards:
    left = Counter(used)
    rest = []
    for card in hand:
        if left[card]:
            left[card] -= 1
        else:
            rest.append(card)
    return tuple(rest)


def _with(hands: tuple[Cards, ...], seat: int, hand: Cards) -> tuple[Cards, ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])
