"""The JSON of requests and answers, as structs, and how they are written.

Requests refuse unknown fields. Answers spell hashes and salts in hexadecimal, times in RFC 3339 (UTC,
microseconds), ids as texts; every number in them is below 2^53. Nothing here reads a request or a table.
"""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from api import shapes
from api.engines import Engine, WhichEngine
from events.games import DEFAULT, GAMES

LAST_VERSION: Final = 2**31 - 1

Name = Annotated[str, Meta(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Hex16 = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
Version = Annotated[int, Meta(ge=0, le=LAST_VERSION)]
GameName = Annotated[
    str,
    Meta(pattern=rf"^(?:{'|'.join(GAMES)})\Z", extra_json_schema={"enum": list(GAMES)}),
]
DealNumber = Annotated[int, Meta(ge=1, le=100_000)]
Visibility = Literal["public", "unlisted", "private"]
Viewer = Literal["public", "all"] | Annotated[int, Meta(ge=0, le=7)]
Status = Literal["open", "ended"]
Moment = Annotated[datetime, Meta(tz=True)]


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of everything that a client sends."""


class RulesetChoice(Request, frozen=True, kw_only=True):
    """A preset by name, and the options in which this table differs from it."""

    preset: str = "seed"
    options: dict[str, Any] = {}


class Person(Request, frozen=True, kw_only=True):
    """Who sits down: a known player's id, or a name for a new one, or both."""

    id: UUID | None = None
    name: Name | None = None


class OpenGame(Request, frozen=True, kw_only=True):
    """`POST /v1/games`; seats are clockwise, each a name or a person."""

    seats: Annotated[list[Name | Person], Meta(min_length=2, max_length=8)]
    game: str = DEFAULT
    ruleset: str | RulesetChoice = "seed"
    mode: Literal["refereed", "recorded"] = "refereed"
    first_dealer: Annotated[int, Meta(ge=0, le=7)] | None = 0
    game_id: UUID | None = None
    visibility: Visibility = "public"
    source: str | None = None


class Remark(Request, frozen=True, kw_only=True):
    """The text that a `remarked` event holds the hash of, with its salt."""

    salt: Hex16
    text: Annotated[str, Meta(min_length=1, max_length=4000)]


class RecordEvents(Request, frozen=True, kw_only=True):
    """`POST /v1/games/{id}/events`; `texts` by the index of their `remarked` event, counted from 0."""

    events: Annotated[list[msgspec.Raw], Meta(min_length=1, max_length=1000)]
    expected_version: Version | None = None
    texts: dict[str, Remark] = {}


class AskAudit(Request, frozen=True, kw_only=True):
    """`POST /v1/games/{id}/audits`; without a ruleset, the game's own; with `calls`, those are explained.

    `beside` is another ruleset under which the same is judged too.
    """

    deal: DealNumber | None = None
    calls: bool = False
    ruleset: str | RulesetChoice | None = None
    beside: str | RulesetChoice | None = None
    engine: WhichEngine = "newest"
    viewer: Viewer | None = None


class ListQuery(Request, frozen=True, kw_only=True):
    """What `GET /v1/games` can be asked.

    The filters from `player` on follow the log within seconds; the times are of play: a game that went on
    at `since` or later, and had begun before `until`. `findings`: whether breaches are known that may be told. `search`:
    how a player's name, or the game's id, begins.
    """

    game: GameName | None = None
    status: Status | None = None
    mode: Literal["refereed", "recorded"] | None = None
    player: UUID | None = None
    search: Annotated[str, Meta(min_length=1, max_length=80)] | None = None
    ruleset: str | None = None
    findings: bool | None = None
    since: Moment | None = None
    until: Moment | None = None
    cursor: str | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class ViewQuery(Request, frozen=True, kw_only=True):
    """Whose view the answer is to have."""

    viewer: str | None = None


class EventsQuery(ViewQuery, frozen=True, kw_only=True):
    """What `GET /v1/games/{id}/events` can be asked."""

    after: Version = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 200


class StreamQuery(ViewQuery, frozen=True, kw_only=True):
    """What `GET /v1/games/{id}/stream` can be asked."""

    after: Version = 0


class StateQuery(ViewQuery, frozen=True, kw_only=True):
    """What `GET /v1/games/{id}/state` can be asked."""

    at: Annotated[int, Meta(ge=1, le=LAST_VERSION)] | None = None


class RecordQuery(ViewQuery, frozen=True, kw_only=True):
    """What goes with recording: judge only, and whose view the answer has."""

    dry_run: bool = False


class ImportQuery(Request, frozen=True, kw_only=True):
    """Whether an import only looks at the file."""

    check: bool = False


class GameQuery(Request, frozen=True, kw_only=True):
    """Whether a game is to be shown with its scores, as played and as ruled."""

    scores: bool = False


class NoQuery(Request, frozen=True, kw_only=True):
    """An address that takes no parameters."""


class Player(msgspec.Struct, frozen=True):
    """A seat, who sits there, and the name if there is one."""

    seat: int
    id: shapes.Id
    name: str | None


class GameSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A game as the list shows it."""

    game_id: UUID
    game: shapes.GameKind
    mode: shapes.Mode
    visibility: shapes.Visibility
    status: shapes.Status
    version: int
    head: shapes.Sha256
    ruleset: str | None
    players: list[Player]
    created_at: shapes.Time
    changed_at: shapes.Time
    links: dict[str, str]


class GamePage(msgspec.Struct, frozen=True):
    """One page of games and the cursor of the next, null on the last one."""

    games: list[GameSummary]
    next: str | None


class GameDetail(GameSummary, frozen=True, kw_only=True, omit_defaults=True):
    """A game with the event that opened it, every option spelled out; `scores` if they were asked for."""

    opened: Any
    scores: Any | UnsetType = UNSET


class EventLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event as the reader may see it.

    With its salt it is the whole event, and SHA-256 leads from it to the hash. With `inner` in its place
    it is narrowed: hidden cards are `??`, and the chain can be checked all the same.
    """

    version: int
    recorded_at: shapes.Time
    recorded_by: UUID
    hash: shapes.Sha256
    salt: shapes.Salt | UnsetType = UNSET
    inner: shapes.Sha256 | UnsetType = UNSET
    event: msgspec.Raw
    remark: str | UnsetType = UNSET


class EventPage(msgspec.Struct, frozen=True):
    """Some events of a game; `next_after` is null on the last page."""

    game_id: UUID
    version: int
    viewer: Viewer
    events: list[EventLine]
    next_after: int | None


class StateAnswer(msgspec.Struct, frozen=True):
    """The table at version `at` of a game that is at `version` now, and whose view it is."""

    game_id: UUID
    version: int
    at: int
    viewer: Viewer
    state: dict[str, Any]


class TimelineAnswer(msgspec.Struct, frozen=True):
    """The course of a game, computed from what the viewer sees."""

    game_id: UUID
    version: int
    viewer: Viewer
    timeline: Any


class Judged(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that was broken, or could not be checked and why; `text` says it as a sentence."""

    code: str
    rule: str
    seat: int | None
    params: dict[str, Any]
    text: str
    unchecked: str | UnsetType = UNSET
    version: int | UnsetType = UNSET


class AuditFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One finding; `text` says it as a sentence."""

    version: int
    deal: int | None
    seat: int | None
    severity: shapes.Severity
    code: str
    rule: str
    expected: str | int | None
    actual: str | int | None
    event: str
    params: dict[str, Any]
    text: str


class AuditBeside(msgspec.Struct, frozen=True, kw_only=True):
    """The same under another ruleset; `differing` are the versions of which the two find not the same."""

    ruleset: str
    verdict: str
    findings: list[AuditFinding]
    unchecked: list[AuditFinding]
    differing: list[int]


class AuditAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An audit, computed from what the viewer sees; `calls` is null unless they were asked for."""

    game_id: UUID
    version: int
    viewer: Viewer
    game: shapes.GameKind
    ruleset: str
    deal: int | None
    events: int
    deals: int
    verdict: str
    findings: list[AuditFinding]
    unchecked: list[AuditFinding]
    remarks: list[int]
    retracted: int
    unfinished: Any
    calls: dict[str, Any] | None
    engine: Engine | None = None
    beside: AuditBeside | None = None


class Added(msgspec.Struct, frozen=True):
    """An event that an append made, as the reader may see it."""

    version: int
    event: msgspec.Raw


class RecordAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What an append came to: all events in the new versions, the service's own included."""

    game_id: UUID
    first_version: int
    version: int
    head: shapes.Sha256
    recorded_at: shapes.Time | None
    repeated: bool
    dry_run: bool
    viewer: Viewer
    events: list[Added]
    warnings: list[Judged]


class ImportAnswer(msgspec.Struct, frozen=True):
    """What an import changed, or would change; `continued` are games that were here and have got more events."""

    imported: list[UUID]
    present: list[UUID]
    events: int
    stored: bool
    continued: list[UUID] = []


_ENCODER: Final = msgspec.json.Encoder()


def encode(answer: Any) -> bytes:
    """Return the JSON of an answer."""
    return _ENCODER.encode(answer)
