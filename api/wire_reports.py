"""The JSON of `GET /v1/games/{id}/report`; see `api.wire`."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType, field

from api import shapes
from api.wire import LAST_VERSION, AuditFinding, DealNumber, Viewer, ViewQuery

At = Annotated[int, Meta(ge=1, le=LAST_VERSION)]


class ReportQuery(ViewQuery, frozen=True, kw_only=True):
    """A deal, a range of versions with both ends, or all; `ruleset` is a preset to be put beside the game's own."""

    deal: DealNumber | UnsetType = UNSET
    first: At | UnsetType = field(default=UNSET, name="from")
    last: At | UnsetType = field(default=UNSET, name="to")
    ruleset: Annotated[str, Meta(max_length=80)] | None = None


class Scope(msgspec.Struct, frozen=True):
    """What a report is about; `text` says it."""

    deal: int | None
    first: int
    last: int
    text: str


class HeldCard(msgspec.Struct, frozen=True):
    """A card that all have seen come to a hand at version `since`, and stay there."""

    seat: int
    card: str
    since: int
    event: str


class HiddenCards(msgspec.Struct, frozen=True):
    """Cards that a seat had not seen: where, how many, and what each of them can be."""

    place: str
    seat: int | None
    count: int
    possible: list[str]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat could know after version `at`, as far as the reader may be told; `text` says it."""

    seat: int
    at: int
    own: list[str]
    laid_aside: list[str]
    public: list[str]
    held: list[HeldCard]
    hidden: list[HiddenCards]
    unseen: int
    text: list[str]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """Scores as recorded and as they would be by the rules; `undefined` says why there are none."""

    deal: int | None
    recorded: list[int | None] | None
    corrected: list[int | None] | None
    undefined: str | None
    version: int | None
    text: str


class Breach(AuditFinding, frozen=True, kw_only=True):
    """A breach with all about it; what only `follows` from an earlier one has no position, knowledge and acts."""

    follows: int | None
    happened: Raw
    happened_text: str
    position: dict[str, Any] | None
    knowledge: Known | None
    acts: list[Raw]
    more: bool
    due: list[Raw]
    score: Score


class ReportSide(msgspec.Struct, frozen=True, kw_only=True):
    """The same by another ruleset; `parts_at` is the first version of which the two do not say the same."""

    ruleset: str
    parts_at: int | None
    findings: list[AuditFinding]
    unchecked: list[AuditFinding]
    text: list[str]


class RecorderLine(msgspec.Struct, frozen=True, kw_only=True):
    """Who recorded, how many events, from which version to which, and when."""

    recorded_by: UUID
    events: int
    first: int
    last: int
    first_at: shapes.Time
    last_at: shapes.Time


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """Who brought the game in from a file, when, and up to which version."""

    imported_by: UUID
    imported_at: shapes.Time
    version: int


class RecordPart(msgspec.Struct, frozen=True, kw_only=True):
    """How the game was recorded, and its chain: every hash computed anew, `wrong` the first that differs."""

    recorders: list[RecorderLine]
    imported: Imported | None
    chain_holds: bool
    wrong: int | None
    head: shapes.Sha256
    text: list[str]


class ReportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An audit report, computed from what the viewer sees; `scores` are by deal, `total` is the game's."""

    game_id: UUID
    version: int
    viewer: Viewer
    game: shapes.GameKind
    ruleset: str
    scope: Scope
    events: int
    retracted: int
    verdict: str
    breaches: list[Breach]
    unchecked: list[AuditFinding]
    scores: list[Score]
    total: Score
    beside: ReportSide | None
    record: RecordPart
