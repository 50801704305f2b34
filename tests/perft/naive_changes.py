"""What becomes of the naive referee's table by an act."""

from collections.abc import Callable
from dataclasses import replace

from tests.perft.naive_melds import is_callable, is_playable
from tests.perft.naive_table import (
    LINE,
    Act,
    Cards,
    Group,
    Run,
    Table,
    bare,
    is_natural,
    less,
    with_hand,
)


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
        "swap": _after_swap,
    }
    assert seat < now.seats
    return _ended_if_dry(changes[kind](now, act))


def _ended_if_dry(now: Table) -> Table:
    """R-6.12: with stock and pile both empty the hand ends by itself."""
    is_dry = now.phase in ("draw", "window") and not now.stock and not now.pile
    return replace(now, phase="over") if is_dry else now


def _turn_begun(now: Table, seat: int, drawn: str, taken: Cards, duty: str | None) -> Table:
    return replace(
        now, phase="play", turn=seat, drawn=drawn, taken=taken, duty=duty, renewed=False, fresh=False,
        owed=(), played=False,
    )  # fmt: skip


def _after_stock(now: Table, act: Act) -> Table:
    seat = act[1]
    hands = with_hand(now.hands, seat, (*now.hands[seat], now.stock[0]))
    return _turn_begun(replace(now, hands=hands, stock=now.stock[1:]), seat, "stock", (), None)


def _after_take(now: Table, act: Act) -> Table:
    _, seat, cards = act
    duty = cards[0] if len(cards) > 1 or now.rules.pile_rule != "top_free" else None
    return _lifted(now, seat, cards, "pile", duty)


def _lifted(now: Table, seat: int, cards: Cards, drawn: str, duty: str | None) -> Table:
    assert now.pile[-len(cards) :] == cards
    hands = with_hand(now.hands, seat, now.hands[seat] + cards)
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
    hand = less(now.hands[seat], (card,))
    idle = 0 if now.stock or now.drawn == "stock" or now.played else now.idle + 1
    hands = with_hand(now.hands, seat, hand)
    now = replace(now, hands=hands, pile=(*now.pile, card), idle=idle)
    if not hand:
        is_open = now.rules.illegal_final_discard == "challenge" and is_playable(now, card)
        if not is_open:
            return replace(now, phase="over")
        return replace(_window(now, seat, fresh=True), challenged=seat)
    now = replace(now, floaters=now.floaters - {seat})
    return _turn_over(now, seat, thrown=1)


def _turn_over(now: Table, seat: int, *, thrown: int) -> Table:
    """The end of a turn with so many cards discarded: of the deal too, or a call that was noted, or a window."""
    rounds = now.rules.idle_rounds
    is_idle = rounds is not None and now.idle >= rounds * now.seats
    if not now.stock and (is_idle or now.rules.stock_out == "end_at_once"):
        return replace(now, phase="over")
    noted, now = now.noted, replace(_window(now, seat, fresh=bool(thrown)), noted=None)
    if noted is None:
        return now
    caller, cards = noted
    kept = now.pile[: len(now.pile) - thrown]
    if kept[-len(cards) :] != cards or not is_callable(now, cards):
        return now
    pile = (*kept[: -len(cards)], *now.pile[len(kept) :])
    hands = with_hand(now.hands, caller, now.hands[caller] + cards)
    return _turn_begun(replace(now, hands=hands, pile=pile), caller, "call", cards, cards[0])


def _window(now: Table, seat: int, *, fresh: bool) -> Table:
    return replace(
        now, phase="window", turn=(seat + 1) % now.seats, closed_out=seat, fresh=fresh, drawn=None,
        taken=(), duty=None, owed=(), played=False,
    )  # fmt: skip


def _unchallenged(now: Table) -> Table:
    """After a challenge or a call of it the offender has no cards and is a floater."""
    if now.challenged is None:
        return now
    return replace(now, floaters=now.floaters | {now.challenged}, challenged=None)


def _after_call(now: Table, act: Act) -> Table:
    _, seat, cards = act
    if now.phase == "play":
        return replace(now, noted=(seat, cards))
    return carried_out(now, act)


def carried_out(now: Table, act: Act) -> Table:
    """A call as it is carried out."""
    _, seat, cards = act
    return _lifted(_unchallenged(now), seat, cards, "call", cards[0])


def _after_call_lay(now: Table, act: Act) -> Table:
    """V-4a: the card goes to its meld, and the order of turns stays."""
    _, _, number, placed, end = act
    card = placed.partition("=")[0]
    assert now.pile[-1] == card
    now = replace(_unchallenged(now), pile=now.pile[:-1], fresh=False)
    return _grown(now, number, placed, end)


def _after_challenge(now: Table, act: Act) -> Table:
    """12.7: the offender takes the card back, and must lay it off at once."""
    seat = now.challenged
    assert seat is not None
    card = now.pile[-1]
    hands = with_hand(now.hands, seat, (card,))
    now = replace(now, hands=hands, pile=now.pile[:-1], challenged=None, turn=seat, phase="play")
    return replace(now, drawn=None, taken=(), duty=card, fresh=False, owed=(), played=False)


def _after_play(now: Table, act: Act) -> Table:
    kind, seat = act[:2]
    if kind == "join":
        used: Cards = (bare(act[3]),)
        now = _grown(now, act[2], act[3], None)
    elif kind == "lay":
        used = tuple(placed.partition("=")[0] for placed in act[3] + act[4])
        for end, row in (("low", act[3]), ("high", act[4])):
            for placed in row:
                now = _grown(now, act[2], placed, end)
    else:
        used = tuple(placed.partition("=")[0] for placed in act[2])
        now = replace(now, melds=(*now.melds, _new_meld(now, kind, act[2])))
    hand = less(now.hands[seat], used)
    duty = None if now.duty in used else now.duty
    owed = tuple(card for card in now.owed if card not in used)
    hands = with_hand(now.hands, seat, hand)
    now = replace(now, hands=hands, duty=duty, owed=owed, played=True)
    return now if hand else _melded_out(now, seat)


def _after_swap(now: Table, act: Act) -> Table:
    """12.11: the natural card takes the joker's place, the joker comes to the hand."""
    _, seat, number, joker, card = act

    def swapped(meld: Group | Run) -> Group | Run:
        if meld.number != number:
            return meld
        if isinstance(meld, Group):
            return replace(meld, cards=tuple(card if bare(c) == joker else c for c in meld.cards))
        return replace(meld, standing=tuple(one for one in meld.standing if one[1] != joker))

    hand = (*less(now.hands[seat], (card,)), joker)
    now = replace(now, melds=tuple(map(swapped, now.melds)), owed=(*now.owed, joker))
    return replace(now, hands=with_hand(now.hands, seat, hand))


def _melded_out(now: Table, seat: int) -> Table:
    """R-7.1, 12.6."""
    if now.rules.go_out in ("free", "discard_required"):
        return replace(now, phase="over")
    now = replace(now, floaters=now.floaters | {seat}, idle=0)
    return _turn_over(now, seat, thrown=0)


def _new_meld(now: Table, kind: str, placed: Cards) -> Group | Run:
    number = max((meld.number for meld in now.melds), default=0) + 1
    if kind == "group":
        return Group(number, placed)
    faces = [text.partition("=")[2] or text for text in placed]
    low = LINE.index("".join(face[0] for face in faces))
    standing = tuple(
        (low + at, bare(text)) for at, text in enumerate(placed) if not is_natural(text)
    )
    return Run(number, faces[0][1], low, low + len(faces) - 1, standing)


def _grown(now: Table, number: int, placed: str, end: str | None) -> Table:
    def grow(meld: Group | Run) -> Group | Run:
        if meld.number != number:
            return meld
        if isinstance(meld, Group):
            return replace(meld, cards=(*meld.cards, placed))
        low, high = (meld.low - 1, meld.high) if end == "low" else (meld.low, meld.high + 1)
        at = low if end == "low" else high
        standing = meld.standing if is_natural(placed) else (*meld.standing, (at, bare(placed)))
        return replace(meld, low=low, high=high, standing=standing)

    return replace(now, melds=tuple(map(grow, now.melds)))
