"""A second, deliberately naive referee of Lanterloo: asks of every card and every word whether it may be, one by one.

Written from docs/rules/lanterloo.md. It shares nothing with the engine: cards are texts, options a dict, acts are
tuples, and there is no attempt at speed or at judging what is not legal. Seat 0 is eldest, the last seat deals.

    ("play", seat)  ("pass", seat)  ("miss", seat)  ("defend", seat)  ("change", seat, cards)  ("renew", seat)
    ("claim", seat, cards)  ("card", seat, card, words said)

The cards of a change or a claim stand in alphabetical order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

Cards = tuple[str, ...]
Act = tuple[Any, ...]

RANKS = "23456789TJQKA"
COURT = "KQJ"
DEFAULTS: dict[str, Any] = {
    "form": "loo5",
    "stakes": "limited",
    "unit": 1,
    "limited_loo": None,
    "unlimited_cap": None,
    "pam_card": "JC",
    "pam_suit": "trump",
    "exchange_shortage": "limit",
    "all_pass": "dealer",
    "lone_vs_dealer": "dealer_may_pass",
    "force": "single_pool",
    "force_miss": "eldest",
    "force_loo5": False,
    "club_law": False,
    "club_law_miss": "withdrawn",
    "flush_looes": "standers",
    "flush_paid_to": "pool",
    "flush_tie": "cards_then_elder",
    "flush_classes": "pam_first",
    "flush_autoclaim": True,
    "blaze": "off",
    "loo5_play": "free",
    "civil": "spoken",
    "civil_scope": "unless_only_card",
    "lead_two": "any_trump",
    "lead_two_scope": "first_lead",
    "lead_ace": "off",
    "trump_after_trick": False,
    "must_undertrump": False,
}


@dataclass(frozen=True)
class Table:
    """The table between two acts. `said` are the words by seat, `gone` the hands of those who passed."""

    opts: tuple[tuple[str, Any], ...]
    hands: tuple[Cards, ...]
    stock: Cards
    miss: Cards
    turn_up: str
    pool: int
    single: bool
    said: tuple[str | None, ...]
    turn: int = 0
    phase: str = "declare"
    gone: tuple[Cards, ...] = ()
    trick: tuple[tuple[int, str, bool], ...] = ()
    tricks: tuple[int, ...] = ()
    shown: tuple[tuple[int, Cards], ...] = ()
    answered: tuple[int, ...] = ()
    alone: int | None = None
    """Who has the pool without play, if no flush of his is to be settled before (L-6.4)."""
    won: tuple[int, ...] = ()
    """What the hand brought each seat, once it is over."""
    left: int = 0
    """The chips left in the pool, once it is over."""

    def opt(self, name: str) -> Any:
        return dict(self.opts).get(name, DEFAULTS[name])

    @property
    def seats(self) -> range:
        return range(len(self.hands))

    @property
    def dealer(self) -> int:
        return len(self.hands) - 1

    @property
    def trump(self) -> str:
        return self.turn_up[1]

    @property
    def pam(self) -> str | None:
        """L-3.2, L-3.3: the knave of clubs, or that of trumps; none if it is turned up, or at three cards."""
        if self.opt("form") != "loo5":
            return None
        knave = "JC" if self.opt("pam_card") == "JC" else "J" + self.trump
        return None if knave == self.turn_up else knave

    @property
    def in_play(self) -> list[int]:
        return [s for s in self.seats if self.said[s] in ("play", "miss", "change", "defend")]

    @property
    def standers(self) -> list[int]:
        return [s for s in self.seats if self.said[s] in ("play", "miss", "change")]

    @property
    def heads(self) -> bool:
        """Whether the duties of three-card Loo hold (section 8, option loo5_play)."""
        return bool(self.opt("form") != "loo5" or self.opt("loo5_play") == "as_loo3")


def begin(
    opts: dict[str, Any], hands: tuple[Cards, ...], heap: Cards, turn_up: str, *, pool: int,
    single: bool, said: tuple[str | None, ...] | None = None,
) -> Table:  # fmt: skip
    """The table once trumps are turned up; in loo3 the first three cards of the heap are the miss."""
    spare = 3 if opts["form"] == "loo3" else 0
    nobody: tuple[str | None, ...] = (None,) * len(hands)
    now = Table(
        tuple(opts.items()), hands, heap[spare:], heap[:spare], turn_up, pool, single,
        said or nobody, gone=((),) * len(hands), tricks=(0,) * len(hands),
    )  # fmt: skip
    return _after_word(now)


# --- what may be done -----------------------------------------------------------------------------------


def acts(now: Table) -> list[Act]:
    """Every legal act of every player."""
    if now.phase == "declare":
        return [*_words(now, now.turn), *_early_claims(now)]
    if now.phase == "claim":
        return [*_claims(now), *(_plays(now) if not now.shown and now.alone is None else ())]
    return list(_plays(now)) if now.phase == "play" else []


def _is_forced(now: Table) -> bool:
    """L-5.1, L-5.4: the hands of these deals are the first of their session."""
    if now.opt("form") == "loo5" and not now.opt("force_loo5"):
        return False
    return now.single if now.opt("force") == "single_pool" else bool(now.opt("force") != "off")


def _is_club_law(now: Table) -> bool:
    """L-5.5."""
    return bool(now.opt("club_law")) and now.trump == "C"


def _miss_is_there(now: Table) -> bool:
    """L-4.6, L-5.2, L-5.5."""
    if not now.miss or (_is_club_law(now) and now.opt("club_law_miss") == "withdrawn"):
        return False
    return not (_is_forced(now) and now.opt("force_miss") == "withdrawn")


def _has_to_defend(now: Table, seat: int) -> bool:
    """L-4.8: the dealer, by option, if just one player stands, who has not the miss."""
    if now.opt("lone_vs_dealer") != "must_defend" or seat != now.dealer:
        return False
    return len(now.standers) == 1 and "miss" not in now.said and _miss_is_there(now)


def _words(now: Table, seat: int) -> Iterator[Act]:
    """Sections 4 and 5."""
    yield ("play", seat)
    if not _is_forced(now) and not _is_club_law(now) and not _has_to_defend(now, seat):
        yield ("pass", seat)
    if _miss_is_there(now) and (seat == 0 or not _is_forced(now)):
        yield ("miss", seat)
    if _has_to_defend(now, seat):
        yield ("defend", seat)
    changes = now.opt("form") != "loo3"
    if _is_club_law(now) and now.opt("club_law_miss") == "withdrawn":
        changes = False
    if changes:
        for size in range(min(len(now.hands[seat]), len(now.stock)) + 1):
            for cards in combinations(sorted(now.hands[seat]), size):
                yield ("change", seat, cards)
        is_short = len(now.stock) < len(now.hands[seat])
        if is_short and now.opt("exchange_shortage") == "recycle_passed" and any(now.gone):
            yield ("renew", seat)


# --- flushes ----------------------------------------------------------------------------------------------


def flush(now: Table, cards: Cards) -> tuple[int, str] | None:
    """L-6.1, L-6.2, L-6.6: how high the class is, and its name; None for no flush."""
    if now.opt("form") != "loo5" or len(cards) != 5:
        return None
    rest = [card for card in cards if card != now.pam]
    has_pam = len(rest) == 4
    if len({card[1] for card in rest}) == 1:
        if has_pam and now.opt("flush_classes") == "pam_first":
            return 5, "pam_flush"
        return (4, "trump_flush") if rest[0][1] == now.trump else (3, "plain_flush")
    if now.opt("blaze") == "below_flush" and all(card[0] in COURT for card in rest):
        return (2, "pam_blaze") if has_pam else (1, "blaze")
    return None


def _may_show(now: Table) -> list[int]:
    """L-6.4: whose flush would count."""
    if now.opt("flush_looes") == "shown_before_pass":
        return [seat for seat in now.seats if now.said[seat] != "pass"]
    if now.alone is not None:
        return [now.alone] if now.opt("flush_looes") == "all" else []
    return now.in_play


def _early_claims(now: Table) -> Iterator[Act]:
    """At once, where flushes are claimed and who has not passed yet may not pass after one (section 13)."""
    if now.opt("flush_autoclaim") or now.opt("flush_looes") != "shown_before_pass":
        return
    for seat in _may_show(now):
        if flush(now, now.hands[seat]):
            yield ("claim", seat, tuple(sorted(now.hands[seat])))


def _claims(now: Table) -> Iterator[Act]:
    """L-6.5: before the first lead; after one claim each of the others claims or says that he has none."""
    for seat in _may_show(now):
        if seat in now.answered:
            continue
        if flush(now, now.hands[seat]):
            yield ("claim", seat, tuple(sorted(now.hands[seat])))
        if now.shown or now.alone is not None:
            yield ("claim", seat, ())


# --- cards ------------------------------------------------------------------------------------------------


def _plays(now: Table) -> Iterator[Act]:
    hand = now.hands[now.turn]
    for card in sorted(hand):
        if _may_follow(now, hand, card) if now.trick else _may_lead(now, hand, card):
            yield ("card", now.turn, card, False)
            told = now.opt("civil") == "spoken" and now.pam is not None and not now.trick
            if told and card == "A" + now.trump:
                yield ("card", now.turn, card, True)


def _is_trump(now: Table, card: str) -> bool:
    return card == now.pam or card[1] == now.trump


def _height(now: Table, card: str) -> int:
    return 20 if card == now.pam else RANKS.index(card[0])


def _suit(now: Table, card: str) -> str:
    """L-7.4: the suit that a card calls for, or follows."""
    if card == now.pam:
        return card[1] if now.opt("pam_suit") == "clubs" else now.trump
    return card[1]


def _may_lead(now: Table, hand: Cards, card: str) -> bool:
    """L-7.2, L-8.1 to L-8.3."""
    if not now.heads:
        return True
    is_first = not any(now.tricks)
    ace, king = "A" + now.trump, "K" + now.trump
    asks = now.opt("lead_ace")
    if ace in hand and (asks == "ace_or_king" or (asks == "ace_first_lead" and is_first)):
        return card == ace
    if asks == "ace_or_king" and now.turn_up == ace and king in hand:
        return card == king
    trumps = [one for one in hand if _is_trump(now, one)]
    two = now.opt("lead_two")
    if len(trumps) > 1 and two != "off" and (is_first or now.opt("lead_two_scope") == "every_lead"):
        return card in trumps and _suits_two(now, trumps, card, two)
    if now.opt("trump_after_trick") and not is_first and trumps:
        return card in trumps
    return True


def _suits_two(now: Table, trumps: list[str], card: str, two: str) -> bool:
    above = [one for one in trumps if _height(now, one) > _height(now, card)]
    if two == "any_trump" or (two == "highest_if_two_players" and len(now.in_play) > 2):
        return True
    if not above:
        return True
    return two == "highest_if_two_players" and len(above) == 1 and _touches(now, above[0], card)


def _touches(now: Table, high: str, low: str) -> bool:
    """Whether no trump that can be in play lies between; the turn-up is not in play."""
    between = [rank + now.trump for rank in RANKS]
    between = [one for one in between if one not in (now.turn_up, now.pam, high, low)]
    return not any(_height(now, low) < _height(now, one) < _height(now, high) for one in between)


def _may_follow(now: Table, hand: Cards, card: str) -> bool:
    pam = now.pam
    if pam in hand and len(hand) > 1 and _is_civil(now):
        others = tuple(one for one in hand if one != pam)
        has_to = now.opt("civil_scope") == "without_revoke" and _pam_follows_trumps(now)
        if has_to and not any(one[1] == now.trump for one in others):
            return card == pam
        return card != pam and _in_order(now, others, card)
    if pam in hand and now.opt("pam_suit") == "free":
        return card == pam or _in_order(now, tuple(one for one in hand if one != pam), card)
    trumps_led = _suit(now, now.trick[0][1]) == now.trump
    if pam in hand and trumps_led and not _pam_follows_trumps(now):
        others = tuple(one for one in hand if one != pam)
        if not any(one[1] == now.trump for one in others):
            return True
        return card != pam and _in_order(now, others, card)
    return _in_order(now, hand, card)


def _pam_follows_trumps(now: Table) -> bool:
    """L-7.4: under `clubs` only if clubs are trumps, under `free` never."""
    if now.opt("pam_suit") == "clubs" and now.pam is not None:
        return now.pam[1] == now.trump
    return bool(now.opt("pam_suit") == "trump")


def _is_civil(now: Table) -> bool:
    """L-7.6."""
    _, led, said = now.trick[0]
    said = now.opt("civil") == "auto" or (said and now.opt("civil") == "spoken")
    return led == "A" + now.trump and said


def _in_order(now: Table, hand: Cards, card: str) -> bool:
    """L-7.3 and L-8.4, for a hand in which every card follows its own suit."""
    led = _suit(now, now.trick[0][1])
    same = [one for one in hand if _suit(now, one) == led]
    if same and card not in same:
        return False
    if not now.heads:
        return True
    choice = same or [one for one in hand if _is_trump(now, one)]
    winning = [one for one in choice if _wins_all(now, one)]
    if winning:
        return card in winning
    if not same and choice and now.opt("must_undertrump"):
        return card in choice
    return True


def _wins_all(now: Table, card: str) -> bool:
    return _best(now, [*(one for _, one, _ in now.trick), card]) == card


def _best(now: Table, cards: list[str]) -> str:
    """L-7.5: the highest trump, otherwise the highest of the suit led."""
    trumps = [one for one in cards if _is_trump(now, one)]
    led = [one for one in cards if one[1] == cards[0][1]]
    return max(trumps or led, key=lambda one: _height(now, one))


# --- what happens then ------------------------------------------------------------------------------------


def after(now: Table, act: Act) -> Table:
    """The table after a legal act and all that dealer and scorer do after it."""
    kind, seat = act[:2]
    if kind == "card":
        return _after_card(now, seat, act[2], act[3])
    if kind == "claim":
        return _after_claim(now, seat, act[2])
    if kind == "renew":
        beneath = tuple(reversed([card for pile in now.gone for card in pile]))
        return replace(now, stock=now.stock + beneath, gone=((),) * len(now.hands))
    said = (*now.said[:seat], kind, *now.said[seat + 1 :])
    now = replace(now, said=said)
    if kind == "pass":
        now = _with_hand(replace(now, gone=_put(now.gone, seat, now.hands[seat])), seat, ())
    if kind in ("miss", "defend"):
        now = replace(_with_hand(now, seat, now.miss), miss=())
    if kind == "change":
        kept = tuple(card for card in now.hands[seat] if card not in act[2])
        count = len(act[2])
        now = _with_hand(now, seat, kept + now.stock[:count])
        now = replace(now, stock=now.stock[count:])
    return _after_word(now)


def _put(rows: tuple[Cards, ...], seat: int, cards: Cards) -> tuple[Cards, ...]:
    return (*rows[:seat], rows[seat] + cards, *rows[seat + 1 :])


def _with_hand(now: Table, seat: int, cards: Cards) -> Table:
    return replace(now, hands=(*now.hands[:seat], cards, *now.hands[seat + 1 :]))


def _after_word(now: Table) -> Table:
    """L-4.2, L-4.5, L-6.4, L-6.5."""
    if now.opt("flush_looes") == "shown_before_pass" and now.opt("flush_autoclaim"):
        open_ones = [seat for seat in _may_show(now) if flush(now, now.hands[seat])]
        if open_ones:
            return _swept(now, open_ones)
    silent = [seat for seat in now.seats if now.said[seat] is None]
    if silent == [now.dealer] and not now.in_play and now.opt("all_pass") == "dealer":
        return _falls_to(now, now.dealer)
    if silent:
        return replace(now, phase="declare", turn=silent[0])
    if not now.in_play:
        return _over(now, {}, {}, keep=now.pool)
    if len(now.in_play) == 1:
        return _falls_to(now, now.in_play[0])
    return _begun(now)


def _falls_to(now: Table, seat: int) -> Table:
    now = replace(now, alone=seat)
    if now.opt("form") == "loo5" and now.opt("flush_looes") == "all":
        if not now.opt("flush_autoclaim"):
            return replace(now, phase="claim", turn=seat)
        if flush(now, now.hands[seat]):
            return _swept(now, [seat])
    return _over(now, {seat: now.pool}, {})


def _begun(now: Table) -> Table:
    now = replace(now, phase="play", turn=now.in_play[0])
    if now.opt("form") != "loo5":
        return now
    if not now.opt("flush_autoclaim"):
        return replace(now, phase="claim")
    open_ones = [seat for seat in _may_show(now) if flush(now, now.hands[seat])]
    return _swept(now, open_ones) if open_ones else now


def _after_claim(now: Table, seat: int, cards: Cards) -> Table:
    shown = (*now.shown, (seat, cards)) if cards else now.shown
    now = replace(now, phase="claim", shown=shown, answered=(*now.answered, seat))
    if any(one not in now.answered for one in _may_show(now)):
        return now
    if now.shown:
        return _swept(now, [one for one, _ in now.shown])
    return _over(now, {seat: now.pool}, {})


def _after_card(now: Table, seat: int, card: str, said: bool) -> Table:
    trick = (*now.trick, (seat, card, said))
    hand = tuple(one for one in now.hands[seat] if one != card)
    now = replace(_with_hand(now, seat, hand), trick=trick, phase="play")
    if len(trick) < len(now.in_play):
        ahead = [(seat + step) % len(now.hands) for step in range(1, len(now.hands))]
        return replace(now, turn=next(one for one in ahead if one in now.in_play))
    best = _best(now, [one for _, one, _ in trick])
    taker = next(one for one, lying, _ in trick if lying == best)
    tricks = tuple(count + (one == taker) for one, count in enumerate(now.tricks))
    now = replace(now, trick=(), tricks=tricks, turn=taker)
    return now if any(now.hands[one] for one in now.in_play) else _settled(now)


# --- chips ------------------------------------------------------------------------------------------------


def _one_loo(now: Table) -> int:
    """L-9.3 to L-9.5."""
    ante = (5 if now.opt("form") == "loo5" else 3) * int(now.opt("unit"))
    if now.opt("stakes") == "limited":
        return int(now.opt("limited_loo") or ante)
    return min(now.pool, int(now.opt("unlimited_cap") or now.pool))


def _settled(now: Table) -> Table:
    """L-9.1 to L-9.6; what a defending dealer wins stays in the pool, and he is not looed (L-4.8)."""
    share = now.pool // (5 if now.opt("form") == "loo5" else 3)
    paid = {seat: share * now.tricks[seat] for seat in now.standers}
    loos = {seat: _one_loo(now) for seat in now.standers if not now.tricks[seat]}
    return _over(now, paid, loos, keep=now.pool - sum(paid.values()))


def _swept(now: Table, shown: list[int]) -> Table:
    """L-6.3, L-6.4."""
    found = {seat: flush(now, now.hands[seat]) for seat in sorted(shown)}
    classes = {seat: one[0] for seat, one in found.items() if one is not None}
    best = [seat for seat in classes if classes[seat] == max(classes.values())]
    tie = "elder" if classes[best[0]] < 3 else now.opt("flush_tie")
    if tie == "cards_then_elder":

        def heights(seat: int) -> list[int]:
            return sorted((_height(now, card) for card in now.hands[seat]), reverse=True)

        top = max(heights(seat) for seat in best)
        best = [seat for seat in best if heights(seat) == top]
    winners = best if tie == "split" else best[:1]
    liable = list(now.seats) if now.opt("flush_looes") == "all" else _may_show(now)
    loos = [seat for seat in liable if seat not in winners and not _is_exempt(now, seat, shown)]
    paid = _shared(now.pool, winners)
    if now.opt("flush_paid_to") == "winner":
        for _ in loos:
            for seat, chips in _shared(_one_loo(now), winners).items():
                paid[seat] += chips
        lost = {seat: _one_loo(now) for seat in loos}
        return _over(now, paid, lost, keep=-sum(lost.values()))
    return _over(now, paid, {seat: _one_loo(now) for seat in loos})


def _is_exempt(now: Table, seat: int, shown: list[int]) -> bool:
    return now.said[seat] != "pass" and (now.pam in now.hands[seat] or seat in shown)


def _shared(chips: int, seats: list[int]) -> dict[int, int]:
    """Equal parts, odd chips to the elder."""
    return {
        seat: chips // len(seats) + (place < chips % len(seats))
        for place, seat in enumerate(sorted(seats))
    }


def _over(now: Table, paid: dict[int, int], loos: dict[int, int], keep: int = 0) -> Table:
    won = tuple(paid.get(seat, 0) - loos.get(seat, 0) for seat in now.seats)
    return replace(now, phase="over", won=won, left=keep + sum(loos.values()))
