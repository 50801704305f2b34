"""The JSON of disputes: what they can be asked, what is done in them, and how they are shown; see `api.wire`."""

from typing import Annotated, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from api import shapes, wire
from api.wire import DealNumber, Request
from events.common import AMOUNT_LIMIT, Code, Version
from events.disputes import MOST_ADJUSTMENTS, MOST_VERSIONS, Decision, Remedy, Rule, Tag
from events.disputing import Standing

Words = Annotated[str, Meta(min_length=1, max_length=4000)]
SeatNumber = Annotated[int, Meta(ge=0, le=7)]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
RuleList = Annotated[tuple[Rule, ...], Meta(max_length=20)]


class Points(Request, frozen=True, kw_only=True):
    """So many points, or chips, for a seat in a deal."""

    deal: DealNumber
    seat: SeatNumber
    points: Annotated[int, Meta(ge=-AMOUNT_LIMIT, le=AMOUNT_LIMIT)]


class Found(Request, frozen=True, kw_only=True):
    """What was found at a version: a breach, or that it was none."""

    version: Version
    code: Code
    breach: bool = True


PointsList = Annotated[tuple[Points, ...], Meta(max_length=MOST_ADJUSTMENTS)]
FoundList = Annotated[tuple[Found, ...], Meta(max_length=MOST_VERSIONS)]


class Speaker(Request, frozen=True, kw_only=True):
    """Who speaks: a seat, or a person by id. Without either, the seat of the token, or else the arbiter."""

    seat: SeatNumber | None = None
    by: UUID | None = None


class OpenDispute(Speaker, frozen=True, kw_only=True):
    """`POST /v1/games/{id}/disputes`; the claim says in words what was wrong and what is demanded."""

    versions: Annotated[list[Version], Meta(min_length=1, max_length=MOST_VERSIONS)]
    claim: Words
    rules: RuleList = ()
    remedy: Remedy = "adjust"
    demanded: PointsList = ()


class Say(Speaker, frozen=True, kw_only=True, tag_field="do", tag="say"):
    """A statement."""

    text: Words


class Link(Speaker, frozen=True, kw_only=True, tag_field="do", tag="link"):
    """Evidence: a version of the game; another game, of which a version may be named; or a file by its SHA-256."""

    version: Version | None = None
    game_id: UUID | None = None
    report: Hash | None = None
    text: Words | None = None


class Withdraw(Speaker, frozen=True, kw_only=True, tag_field="do", tag="withdraw"):
    """The dispute is taken back by whoever opened it."""

    text: Words | None = None


class Rule_(Request, frozen=True, kw_only=True, tag_field="do", tag="rule"):  # noqa: N801 - `Rule` is cited
    """An arbiter decides; the text says why."""

    decision: Decision
    text: Words
    facts: FoundList = ()
    rules: RuleList = ()
    adjustments: PointsList = ()
    by: UUID | None = None


class Appeal(Speaker, frozen=True, kw_only=True, tag_field="do", tag="appeal"):
    """A party does not accept the ruling."""

    text: Words


class Decide(Request, frozen=True, kw_only=True, tag_field="do", tag="decide"):
    """The appeal is decided: `upheld` leaves the ruling as it is, `changed` needs a decision of its own."""

    outcome: Literal["upheld", "changed"]
    text: Words
    decision: Decision | None = None
    facts: FoundList = ()
    rules: RuleList = ()
    adjustments: PointsList = ()
    by: UUID | None = None


class Tag_(Request, frozen=True, kw_only=True, tag_field="do", tag="tag"):  # noqa: N801 - `Tag` is a word
    """Words under which the decision is found."""

    tags: Annotated[list[Tag], Meta(min_length=1, max_length=20)]


Act: TypeAlias = Say | Link | Withdraw | Rule_ | Appeal | Decide | Tag_


class GoOn(Request, frozen=True, kw_only=True):
    """`POST /v1/disputes/{id}/events`: one act, after the version that its sender saw."""

    act: Act
    expected_version: wire.Version


class DisputesQuery(Request, frozen=True, kw_only=True):
    """What `GET /v1/disputes` can be asked.

    `rule`, `code` and `words` are those of decisions: rules applied, facts found, and words that all stand in the
    reasons, whatever their case.
    """

    rule: Rule | None = None
    code: Code | None = None
    words: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    tag: Tag | None = None
    game_id: UUID | None = None
    standing: Standing | None = None
    cursor: str | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a dispute, with what its hash is checked by, and its text unless that was erased."""

    version: int
    recorded_at: shapes.Time
    recorded_by: UUID
    hash: shapes.Sha256
    salt: shapes.Salt
    event: msgspec.Raw
    text: str | None


class DecisionShown(msgspec.Struct, frozen=True, kw_only=True):
    """A decision in force: the ruling, or the one on appeal."""

    version: int
    on_appeal: bool
    decision: shapes.Decision
    facts: list[Found]
    rules: list[str]
    adjustments: list[Points]
    by: str | None
    text: str | None


class DisputeShown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A dispute as it stands; `people` are names by player id. A list shows it without its events."""

    dispute_id: UUID
    game_id: UUID
    game: shapes.GameKind
    standing: shapes.Standing
    version: int
    head: shapes.Sha256
    opened_at: shapes.Time
    changed_at: shapes.Time
    versions: list[int]
    by: str | None
    claim: str | None
    rules: list[str]
    remedy: shapes.Remedy
    demanded: list[Points]
    decision: DecisionShown | None
    tags: list[str]
    people: dict[str, str]
    links: dict[str, str]
    events: list[Line] | UnsetType = UNSET


class DisputePage(msgspec.Struct, frozen=True):
    """Some disputes, and the cursor of the next."""

    disputes: list[DisputeShown]
    next: str | None


class GoneOn(msgspec.Struct, frozen=True, kw_only=True):
    """What an act came to; `repeated` if it is a first answer again."""

    version: int
    repeated: bool
    dispute: DisputeShown


class ScoresShown(msgspec.Struct, frozen=True, kw_only=True):
    """A game's scores by seat as played and as ruled; `adjusted` is what all decisions in force add."""

    played: list[int | None]
    ruled: list[int | None]
    adjusted: list[int]
    winner_played: int | None
    winner_ruled: int | None
    deals: list["DealShown"]
    disputes: list[UUID]


class DealShown(msgspec.Struct, frozen=True, kw_only=True):
    """A scored deal, as played and as ruled."""

    deal: int
    version: int
    played: list[int | None]
    ruled: list[int | None]
