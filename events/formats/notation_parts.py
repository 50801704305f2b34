"""The parts of table notation that are not acts: players, rulesets, hands, numbers, set-up of a deal."""

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from events.cards import UNKNOWN, Card
from events.common import Shuffled
from events.errors import ActError
from events.formats import rulesets
from events.formats.acts import read_card
from events.formats.positions import read_position
from events.rummy500.due import due
from events.rummy500.events import PositionSet
from events.rummy500.ruleset import PRESETS, Ruleset, pack_size
from events.rummy500.state import State

OPENERS: Final = ("deal", "position", "drawn")
FACT_WORDS: Final = (
    *OPENERS,
    "end",
    "scores:",
    "totals:",
    "winner:",
    "abandoned",
    "redeal",
    "retract",
    "remark:",
    "remark",
)
POSITION_KEYS: Final = frozenset(
    [
        "turn",
        "wild",
        "phase",
        "stock",
        "pile",
        "table",
        "drawn",
        "taken",
        "duty",
        "discarder",
        "floaters",
        "totals",
    ]
)
NAME_LIMIT: Final = 80

_LABEL: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,15}")
_REPEATED: Final = re.compile(r"\?\?\*([1-9][0-9]{0,2})")
_MELDS: Final = re.compile(r"m\d+:[GR]\[[^\]]*\](?:@\w+)?")
_NUMBER: Final = re.compile(r"-?[0-9]{1,7}")
_PHASES: Final = ("draw", "play", "window")


class Setup(msgspec.Struct):
    """What has been read of a deal before its first act: a shuffle, or a position."""

    deal: int
    dealer: int | None
    method: str = "unknown"
    deck: tuple[Card, ...] = ()
    hands: dict[int, tuple[Card, ...]] = {}
    firsts: dict[int, Card] = {}
    upcard: Card | None = None
    position: dict[str, Any] | None = None


def read_players(text: str) -> dict[str, str]:
    """Return the seats' letters in order, each with the player's name: ``A=Anna, B=Ben`` or ``A B C``."""
    parts = text.split(",") if "," in text else text.split()
    pairs = [part.strip().partition("=") for part in parts]
    people = {label.strip(): name.strip() or label.strip() for label, _, name in pairs}
    if not 2 <= len(people) <= 8 or len(people) < len(pairs):
        raise ActError(f"expected 'players:' with 2 to 8 different players, not {text!r}")
    for label, name in people.items():
        if not _LABEL.fullmatch(label) or label in FACT_WORDS or label in ("hand", "first"):
            raise ActError(f"not a player's letter: {label!r}, expected e.g. A or A=Anna")
        if len(name) > NAME_LIMIT:
            raise ActError(f"name of {len(name)} characters, expected <= {NAME_LIMIT}")
    return people


def read_hand(text: str) -> tuple[Card, ...]:
    """Return the cards of a line; ``??*7`` is seven unknown ones."""
    cards: list[Card] = []
    for word in text.split():
        repeated = _REPEATED.fullmatch(word)
        cards += [UNKNOWN] * int(repeated[1]) if repeated else [read_card(word)]
    return tuple(cards)


def is_number(text: str) -> bool:
    """Tell whether a word is a whole number of at most seven ordinary digits, `-` before it or not."""
    return _NUMBER.fullmatch(text) is not None


def read_numbers(text: str, labels: Sequence[str]) -> dict[str, int]:
    """Return the numbers of ``A 24 B -25`` by player."""
    words = text.split()
    if len(words) % 2:
        raise ActError(f"expected players and numbers, e.g. 'A 24 B -25', not {text!r}")
    numbers = {}
    for label, number in zip(words[::2], words[1::2], strict=True):
        if label not in labels:
            raise ActError(f"no such player: {label!r}, expected one of {', '.join(labels)}")
        if not is_number(number):
            raise ActError(f"not a number: {number!r}")
        numbers[label] = int(number)
    return numbers


def read_ruleset(text: str) -> Ruleset:
    """Return the ruleset that ``seed target=1000 low_ace=fifteen`` writes."""
    return rulesets.read_ruleset(text, PRESETS)


def shuffle_of(setup: Setup, state: State) -> Shuffled:
    """Return the shuffle of a deal; who deals follows from the game where it is not written."""
    owed = due(state)
    dealer = owed[0].dealer if owed and isinstance(owed[0], Shuffled) else state.dealer
    return Shuffled(
        deal=setup.deal,
        dealer=dealer if setup.dealer is None else setup.dealer,
        method=setup.method,
        deck=setup.deck or (UNKNOWN,) * pack_size(state.ruleset, state.seats),
    )


def position_of(setup: Setup, labels: Sequence[str]) -> PositionSet:
    """Return the position that the lines after ``position`` describe."""
    given = setup.position or {}
    if "turn" not in given or given.get("phase") not in _PHASES:
        raise ActError("a position needs 'turn: A' and 'phase: draw', 'play' or 'window'")
    stock, table = given.get("stock", "0"), given.get("table", "")
    if _MELDS.sub("", table).strip():
        raise ActError(f"not melds: {table!r}, expected e.g. m1:R[5H/A 6H/A 7H/B]")
    values = given | {
        "hands": {labels[seat]: " ".join(cards) for seat, cards in setup.hands.items()},
        "stock": int(stock) if is_number(stock) else " ".join(read_hand(stock)),
        "pile": " ".join(read_hand(given.get("pile", ""))),
        "table": _MELDS.findall(table),
        "floaters": given.get("floaters", "").split(),
        "totals": read_numbers(given.get("totals", ""), labels),
    }
    event = read_position(values, labels)
    dealer = event.dealer if setup.dealer is None else setup.dealer
    return replace(event, deal=setup.deal, dealer=dealer)
