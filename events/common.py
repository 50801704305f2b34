"""Events and field types that both games share.

Each event is a frozen struct whose canonical text has `t` (the tag) and `v` (the shape's version) first
and then every field. A shape that has been shipped never changes: one that must gets a new version, and
what it was before stays in `upcasters.py` for ever.
"""

from typing import Annotated, Any, Final, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from events.cards import Card

# A player is a label beside the log; the log holds only this id (canonical UUID text).
PlayerId: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z",
        min_length=36,
        max_length=36,
    ),
]
Seat: TypeAlias = Annotated[int, Meta(ge=0, le=7)]
DEAL_LIMIT: Final = 100_000
Deal: TypeAlias = Annotated[int, Meta(ge=1, le=DEAL_LIMIT)]
Version: TypeAlias = Annotated[int, Meta(ge=1, le=2_147_483_647)]
# Points or chips: any whole number that every reader of JSON keeps exactly; unlimited Loo grows fast.
AMOUNT_LIMIT: Final = 9_007_199_254_740_991
Amount: TypeAlias = Annotated[int, Meta(ge=-AMOUNT_LIMIT, le=AMOUNT_LIMIT)]
# Machine words only, never prose: a code in capitals, a slug in lower case.
Code: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]{0,39}\Z", max_length=40)]
Slug: TypeAlias = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._:/@+-]{0,199}\Z", max_length=200)
]
Sha256: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z", min_length=64, max_length=64)]
MOST_CARDS: Final = 120
Cards: TypeAlias = Annotated[tuple[Card, ...], Meta(max_length=MOST_CARDS)]
Deck: TypeAlias = Annotated[tuple[Card, ...], Meta(min_length=1, max_length=MOST_CARDS)]
Mode: TypeAlias = Literal["refereed", "recorded"]

R = TypeVar("R")


class Event(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="t", forbid_unknown_fields=True, gc=False
):
    """The base of all events: what happened, in the past tense."""

    v: Literal[1] = 1


class GameOpened(Event, Generic[R], frozen=True, kw_only=True, tag="game_opened"):
    """A table was opened: the ruleset with every option spelled out, and who sits where.

    `seats` are players in clockwise order; `first_dealer` is null while the dealer is still to be drawn;
    `engine` is the version of the rules program; `source` says where a recorded game comes from.
    """

    game: Slug
    ruleset: R
    engine: Slug
    seats: Annotated[tuple[PlayerId, ...], Meta(min_length=2, max_length=8)]
    first_dealer: Seat | None
    mode: Mode
    source: Slug | None


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One card drawn for the deal by one seat."""

    seat: Seat
    card: Card


class DealerDrawn(Event, frozen=True, kw_only=True, tag="dealer_drawn"):
    """Cards were drawn for the first deal, in this order; `dealer` is null when the lowest tied."""

    draws: Annotated[tuple[Draw, ...], Meta(min_length=1, max_length=120)]
    dealer: Seat | None


class Shuffled(Event, frozen=True, kw_only=True, tag="shuffled"):
    """The pack was shuffled for a deal; `deck` is the whole order, first card dealt first, `??` if unknown."""

    deal: Deal
    dealer: Seat
    method: Slug
    deck: Deck


class Dealt(Event, frozen=True, kw_only=True, tag="dealt"):
    """One seat has its cards, in the order in which they came."""

    seat: Seat
    cards: Cards


class Remarked(Event, frozen=True, kw_only=True, tag="remarked"):
    """Someone wrote a remark; the text lies beside the log, here is its SHA-256(0x02 || salt || text).

    `about` is the earlier version that it speaks of, also one that was retracted; null for where it stands.
    """

    v: Literal[2] = 2  # type: ignore[assignment]
    seat: Seat | None
    text: Sha256
    about: Version | None = None


class Retracted(Event, frozen=True, kw_only=True, tag="retracted"):
    """The record goes back to version `back_to`: what came after it no longer counts, nothing is deleted."""

    back_to: Version
    reason: Code


class Redealt(Event, frozen=True, kw_only=True, tag="redealt"):
    """The deal is void, as a misdeal is; the same dealer deals again."""

    reason: Code


class DealEnded(Event, frozen=True, kw_only=True, tag="deal_ended"):
    """A deal is over: why, and who went out."""

    deal: Deal
    reason: Code
    out: Seat | None


class DealScored(Event, frozen=True, kw_only=True, tag="deal_scored"):
    """The deal's points by seat and the running totals; null where the record does not say."""

    deal: Deal
    scores: Annotated[tuple[Amount | None, ...], Meta(min_length=2, max_length=8)]
    totals: Annotated[tuple[Amount | None, ...], Meta(min_length=2, max_length=8)]


class GameEnded(Event, frozen=True, kw_only=True, tag="game_ended"):
    """The game is over: somebody has won, or it was abandoned and nobody has."""

    winner: Seat | None
    abandoned: bool


def names(event_union: Any) -> dict[str, type[Event]]:
    """Return the tag of every event of a union with its struct."""
    members = getattr(event_union, "__args__", (event_union,))  # a union of one is that one
    return {_tag(member): _origin(member) for member in members}


def _origin(member: Any) -> type[Event]:
    origin: type[Event] = getattr(member, "__origin__", member)
    return origin


def _tag(member: Any) -> str:
    tag = _origin(member).__struct_config__.tag
    assert isinstance(tag, str)
    return tag
