"""Positions of 500 Rummy as case books and the table notation write them, and back.

``m1:R[5H/A 6H/A 8H/B]`` is a sequence with the player whose layer each card is; ``m1:G[9C 9D 9S]@B`` a
group that belongs to B alone.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from events.cards import UNKNOWN, Card
from events.common import MOST_CARDS
from events.errors import ActError
from events.formats.acts import read_card, read_placed
from events.rummy500.events import Kind, Layer, MeldPosition, Opened, PositionSet
from events.rummy500.ruleset import Ruleset
from events.rummy500.scoring import score_bounds
from events.rummy500.state import Meld, State

_MELD: Final = re.compile(r"m(\d{1,3}):([GR])\[([^\]]*)\](?:@(\w+))?")
_DEFAULT_STOCK: Final = 20
# `must` and `forbid` are the rules' own words (section 10) for the duty and the single card taken.
_KEYS: Final = frozenset(
    [
        "turn",
        "wild",
        "phase",
        "hands",
        "pile",
        "stock",
        "table",
        "totals",
        "floaters",
        "drawn",
        "taken",
        "discarder",
        "duty",
        "must",
        "forbid",
    ]
)


def opened_for(ruleset: Ruleset, players: int) -> Opened:
    """Return the opening of a recorded game between nameless players, for a position that stands alone."""
    seats = tuple(f"00000000-0000-4000-8000-{seat:012x}" for seat in range(1, players + 1))
    return Opened(
        game="rummy500",
        ruleset=ruleset,
        engine="casebook",
        seats=seats,
        first_dealer=players - 1,
        mode="recorded",
        source=None,
    )


def read_position(state: Mapping[str, Any], names: Sequence[str]) -> PositionSet:
    """Return the position that a case's `state` describes; raise ActError for what cannot be read."""
    strange = set(state) - _KEYS
    if strange:
        raise ActError(f"unknown in a position: {', '.join(sorted(strange))}")
    hands, turn = state.get("hands") or {}, _seat(state["turn"], names)
    taken = read_cards(state.get("taken") or state.get("forbid"))
    drawn = state.get("drawn", ("pile" if taken else "stock") if state["phase"] == "play" else None)
    discarder = None if state["phase"] != "window" else names[(turn - 1) % len(names)]
    discarder, duty = state.get("discarder", discarder), state.get("duty") or state.get("must")
    position = PositionSet(
        deal=1,
        dealer=(turn - 1) % len(names),
        wild=_wild(state.get("wild")),
        turn=turn,
        phase=state["phase"],
        stock=_stock(state.get("stock", _DEFAULT_STOCK)),
        pile=read_cards(state.get("pile")),
        hands=tuple(read_cards(hands.get(name)) for name in names),
        melds=tuple(read_meld(text, names) for text in state.get("table") or ()),
        drawn=drawn,
        taken=taken,
        duty=read_card(duty) if duty else None,
        discarder=None if discarder is None else _seat(discarder, names),
        floaters=tuple(_seat(name, names) for name in state.get("floaters") or ()),
        totals=tuple((state.get("totals") or {}).get(name, 0) for name in names),
    )
    try:
        return msgspec.convert(msgspec.to_builtins(position), PositionSet)
    except msgspec.ValidationError as error:
        raise ActError(f"not a position: {error}") from error


def _wild(shown: str | int | None) -> Any:
    """Return the letter of a wild rank as a case or a scribe writes it, 7 as a number too."""
    return None if shown is None else str(shown)


def _stock(shown: str | int) -> tuple[Card, ...]:
    """Return the stock of a position: its cards, or so many unknown ones."""
    if isinstance(shown, str):
        return read_cards(shown)
    if not 0 <= shown <= MOST_CARDS:
        raise ActError(f"{shown} cards in the stock, expected 0 to {MOST_CARDS}")
    return (UNKNOWN,) * shown


def read_cards(text: str | list[str] | None) -> tuple[Card, ...]:
    """Return the cards of a line with spaces between them, or of a list; none for an empty or missing one."""
    return tuple(map(read_card, text if isinstance(text, list) else (text or "").split()))


def read_meld(text: str, names: Sequence[str]) -> MeldPosition:
    """Return the meld that a text like ``m1:R[5H/A 6H/A]`` or ``m1:G[9C 9D 9S]@B`` writes."""
    found = _MELD.fullmatch(text)
    if found is None:
        raise ActError(f"not a meld: {text!r}, expected e.g. m1:R[5H/A 6H/A 7H/B]")
    kind: Kind = "group" if found[2] == "G" else "sequence"
    layers = tuple(_layer(word, found[4], names) for word in found[3].split())
    return MeldPosition(int(found[1]), kind, layers)


def _layer(word: str, owner: str | None, names: Sequence[str]) -> Layer:
    card, _, name = word.partition("/")
    return Layer(read_placed(card), _seat(name or owner or "", names))


def _seat(name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise ActError(f"no such player: {name!r}, expected one of {', '.join(names)}")
    return list(names).index(name)


def write_meld(meld: Meld, names: Sequence[str]) -> str:
    """Return a meld as `read_meld` reads it; cards beside it stand after the others."""
    layers = " ".join(f"{laid.card}/{names[laid.seat]}" for laid in (*meld.cards, *meld.beside))
    return f"m{meld.meld}:{'G' if meld.kind == 'group' else 'R'}[{layers}]"


def show_melds(state: State, names: Sequence[str]) -> dict[int, object]:
    """Return the table by meld id; a group's cards in any order, a sequence's low to high."""
    return {meld.meld: _shown(meld.kind, write_meld(meld, names)) for meld in state.table}


def expected_melds(texts: Sequence[str], names: Sequence[str]) -> dict[int, object]:
    """Return melds as a case writes them in the shape of `show_melds`."""
    shown: dict[int, object] = {}
    for text in texts:
        meld = read_meld(text, names)
        layers = " ".join(f"{layer.card}/{names[layer.seat]}" for layer in meld.cards)
        letter = "G" if meld.kind == "group" else "R"
        shown[meld.meld] = _shown(meld.kind, f"m{meld.meld}:{letter}[{layers}]")
    return shown


def _shown(kind: Kind, text: str) -> object:
    if kind == "sequence":
        return text
    head, _, cards = text.partition("[")
    return head, tuple(sorted(cards.rstrip("]").split()))


def show_state(state: State, names: Sequence[str]) -> dict[str, Any]:
    """Return what a case may expect of a state, by the case books' own keys."""
    scores = [low if low == high else None for low, high in score_bounds(state)]
    counted = scores if state.ended else [0] * len(scores)
    return {
        "turn": names[state.turn],
        "phase": "over" if state.ended else state.phase,
        "pile": state.pile,
        "stock": len(state.stock),
        "hands": {n: tuple(sorted(h)) for n, h in zip(names, state.hands, strict=True)},
        "table": show_melds(state, names),
        "duty": state.duty,
        "must": state.duty,
        "discarder": None if state.discarder is None else names[state.discarder],
        "ended": state.ended,
        "out": None if state.out is None else names[state.out],
        "floaters": sorted(names[seat] for seat in state.floaters),
        "scores": dict(zip(names, scores, strict=True)),
        "totals": {
            name: None if score is None else total + score
            for name, total, score in zip(names, state.totals, counted, strict=True)
        },
    }
