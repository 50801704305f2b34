"""Small tables for comparing the engine with the oracle: a few cards that meet often, each once."""

from hypothesis import strategies as st

from events.rummy500.ruleset import Ruleset
from events.rummy500.state import Laid, Meld, State
from tests.events.rummy500 import oracle
from tests.simulate import RUMMY, opened

ONE_PACK = (*(rank + suit for suit in "SH" for rank in "A23JQK"), "2D", "KD", "AD")
TWO_PACKS = (*ONE_PACK, *(card + "'" for card in ONE_PACK[:9]))
JOKERS = ("X1", "X2", "X3", "X4")

# Melds that lie on the table, built of cards that the small pack has not or that go with them.
MELDS: tuple[tuple[tuple[str, ...], oracle.Group | oracle.Run], ...] = (
    (("4S", "5S", "6S"), oracle.Run("S", 3, 5)),
    (("TS", "9S", "8S")[::-1], oracle.Run("S", 7, 9)),
    (("AH", "2H", "3H"), oracle.Run("H", 0, 2)),
    (("QH", "KH", "AH"), oracle.Run("H", 11, 13)),
    (("4H", "5H", "X2=6H"), oracle.Run("H", 3, 5)),
    (("3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS"), oracle.Run("S", 2, 9)),
    (
        ("3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH"),
        oracle.Run("H", 2, 12),
    ),
    (tuple(f"{rank}H" for rank in "A23456789TJQK"), oracle.Run("H", 0, 12)),
    (tuple(f"{rank}S" for rank in "23456789TJQKA"), oracle.Run("S", 1, 13)),
    (("KS", "KC", "KH"), oracle.Group(("KS", "KC", "KH"))),
    (("2C", "2D", "X1"), oracle.Group(("2C", "2D", "X1"))),
    (("AC", "AS", "AH", "AD"), oracle.Group(("AC", "AS", "AH", "AD"))),
)


def hands(packs: int, most: int, least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    """Return hands of a few cards, every physical card once."""
    cards = (ONE_PACK if packs == 1 else TWO_PACKS) + JOKERS[: 2 * packs]
    return st.lists(st.sampled_from(cards), min_size=least, max_size=most, unique=True).map(tuple)


def tables(most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Return the indexes of different melds of MELDS."""
    return st.lists(st.integers(0, len(MELDS) - 1), max_size=most, unique=True).map(tuple)


def meld(index: int, number: int = 1) -> Meld:
    """Return a meld of MELDS as the engine has it."""
    cards, seen = MELDS[index]
    low = seen.low + 1 if isinstance(seen, oracle.Run) else 0
    kind: oracle.Kind = "sequence" if isinstance(seen, oracle.Run) else "group"
    return Meld(number, kind, 1, tuple(Laid(card, 1) for card in cards), low)


def state_with(
    ruleset: Ruleset, hand: tuple[str, ...], melds: tuple[int, ...], **changes: object
) -> State:
    """Return the middle of seat 0's turn with this hand and table; what else is in play lies nowhere."""
    state = RUMMY.initial(opened(3, ruleset))
    values = {name: getattr(state, name) for name in State.__struct_fields__}
    table = tuple(meld(index, number) for number, index in enumerate(melds, 1))
    standing = {
        "phase": "play",
        "drawn": "stock",
        "hands": (hand, ("??",), ("??",)),
        "stock": ("??",),
    }
    return State(**values | standing | {"table": table} | changes)


def seen(melds: tuple[int, ...]) -> oracle.Table:
    """Return the same melds as the oracle has them."""
    return tuple(MELDS[index][1] for index in melds)


def rules(packs: int, options: oracle.Options, **more: object) -> Ruleset:
    """Return the ruleset that has the oracle's options."""
    return Ruleset(
        packs=packs,
        min_naturals=options.min_naturals,
        run_two_aces=options.run_two_aces,
        runs="around_corner" if options.around_corner else "plain",
        go_out="discard_required" if options.must_keep_discard else "free",
        redraw_scope=options.redraw_scope,
        deep_timing="by_turn_end" if options.by_turn_end else "next_play",
        pile_rule="always_new_meld" if options.new_meld_only else "top_free",
        **more,  # type: ignore[arg-type]
    )
