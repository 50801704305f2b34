"""What a case of each type may say: a key that no one reads is a mistake, not a remark, and is told."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

_REMARKS: Final = frozenset(
    {"seed", "rule", "note", "notes", "why", "reason", "reasons", "comment", "remark", "source"}
) | {"title", "text", "see"}
_ANYWHERE: Final = frozenset({"id", "type", "game", "opts"}) | _REMARKS
MONEY: Final = frozenset({"paid", "looed", "loo", "pool_after", "next_pool", "next_is_single"})
_KEYS: Final[dict[str, frozenset[str]]] = {
    "melds": frozenset({"rows", "meld", "valid", "error", "points", "players", "wild"}),
    "layout": frozenset({"rows", "players", "jokers", "cards", "deal", "stock", "packs"}),
    "totals": frozenset({"rows", "totals", "went_out", "winner"}),
    "play": frozenset({"variants", "players", "state", "do", "expect"}),
    "settle": frozenset({"rows", "pool", "tricks", "standers", "walkover"}) | MONEY,
    "ledger": frozenset({"rows", "players", "hands", "balances", "pool_end"}),
    "declare": frozenset({"rows", "order", "pool", "trump", "turnup", "force", "says"})
    | {"outcome", "by", "standers", "error"}
    | MONEY,
    "follow": frozenset({"rows", "hand", "trick", "trump", "turnup", "civil", "legal"})
    | {"two_players"},
    "lead": frozenset({"rows", "hand", "trump", "turnup", "legal", "first", "won_prev"})
    | {"two_players"},
    "trick": frozenset({"rows", "plays", "trump", "turnup", "civil", "winner"}),
    "flush": frozenset({"rows", "hands", "order", "all", "pool", "trump", "turnup", "winner"})
    | {"class"}
    | MONEY,
    "act": frozenset({"rows", "players", "first_dealer", "state", "played", "booked"})
    | {"do", "expect"},
}
_HAND: Final = frozenset({"dealer", "pool", "tricks", "standers", "walkover", "after"}) | MONEY


def unknown_keys(case: Mapping[str, Any], part: Mapping[str, Any]) -> list[str]:
    """Return the keys of a case and of one of its rows or variants that nothing reads, none of a type not run."""
    allowed = _KEYS.get(case["type"])
    if allowed is None:
        return []
    strange = {*case, *part} - allowed - _ANYWHERE
    if case["type"] == "ledger":
        strange |= set(_strange_in_hands(part.get("hands", case.get("hands"))))
    return sorted(map(str, strange))


def _strange_in_hands(hands: Any) -> Iterator[str]:
    for hand in hands if isinstance(hands, list) else ():
        yield from set(hand) - _HAND - _ANYWHERE
