"""Events of a dispute about a game, in a stream of its own: nothing in the game's log ever changes.

What is written here stays for ever, so it never holds a name or a text: an event holds a text's SHA-256(0x02 ||
salt || text), as a remark does. Who recorded an event (a token) stands beside every event; `by` is the player, or
the person, for whom it speaks. Which of these may come when is said in `events.disputing`.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from events.common import AMOUNT_LIMIT, Code, Deal, Event, PlayerId, Seat, Sha256, Slug, Version

NAME: Final = "dispute"
"""What stands in a head as its `game`; its kind has the same name."""
MOST_VERSIONS: Final = 50
MOST_ADJUSTMENTS: Final = 200

# A stream's id is written as a player's is: canonical UUID text.
StreamId: TypeAlias = PlayerId
# As the rules are cited, V-4a, L-7.3, or the number alone where a judgement has it so.
Rule: TypeAlias = Annotated[
    str, Meta(pattern=r"^([A-Z]{1,3}-)?[0-9]{1,3}(\.[0-9]{1,3}){0,3}[a-z]?\Z", max_length=20)
]
Rules: TypeAlias = Annotated[tuple[Rule, ...], Meta(max_length=20)]
Tag: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,39}\Z", max_length=40)]
Remedy: TypeAlias = Literal["adjust", "note", "replay", "void"]
"""What is demanded: other scores, a finding on record, the deal played again, the deal void."""
Decision: TypeAlias = Literal["upheld", "partly", "rejected"]
"""What becomes of the claim."""


class Adjustment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So many points or chips are added to what a seat scored in a deal; never none."""

    deal: Deal
    seat: Seat
    points: Annotated[int, Meta(ge=-AMOUNT_LIMIT, le=AMOUNT_LIMIT)]


Adjustments: TypeAlias = Annotated[tuple[Adjustment, ...], Meta(max_length=MOST_ADJUSTMENTS)]


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was found at a version of the game: a breach by its code, or, with `breach` false, that it was none."""

    version: Version
    code: Code
    breach: bool


class ToVersion(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="k", tag="version"
):
    """Evidence: another version of the disputed game."""

    version: Version


class ToGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="k", tag="game"):
    """Evidence: another game, or a version of it; `head` is the hash that it had there."""

    game_id: StreamId
    version: Version
    head: Sha256


class ToReport(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="k", tag="report"
):
    """Evidence: a report or another file, by its SHA-256."""

    sha256: Sha256


Evidence: TypeAlias = ToVersion | ToGame | ToReport


class DisputeOpened(Event, frozen=True, kw_only=True, tag="dispute_opened"):
    """Somebody says that what was recorded at these versions of a game was wrong.

    `head` is the hash that the game's log has at its version `at`, the last one when this was opened, so that the
    dispute is about that log and no other. `text` is the claim in words with what is demanded; `demanded` the
    adjustments asked for, if any.
    """

    game_id: StreamId
    game: Slug
    at: Version
    head: Sha256
    versions: Annotated[tuple[Version, ...], Meta(min_length=1, max_length=MOST_VERSIONS)]
    by: PlayerId | None
    rules: Rules
    remedy: Remedy
    demanded: Adjustments
    text: Sha256


class StatementAdded(Event, frozen=True, kw_only=True, tag="statement_added"):
    """A party, or with `by` null the arbiter, says something."""

    by: PlayerId | None
    text: Sha256


class EvidenceLinked(Event, frozen=True, kw_only=True, tag="evidence_linked"):
    """Something is pointed to; `text` says in words what it shows."""

    by: PlayerId | None
    evidence: Evidence
    text: Sha256 | None


class DisputeWithdrawn(Event, frozen=True, kw_only=True, tag="dispute_withdrawn"):
    """Whoever opened the dispute takes it back."""

    by: PlayerId | None
    text: Sha256 | None


class Ruled(Event, frozen=True, kw_only=True, tag="ruled"):
    """An arbiter decides: facts found, rules applied, and what is to be added to the scores; `text` says why."""

    by: PlayerId | None
    decision: Decision
    facts: Annotated[tuple[Fact, ...], Meta(max_length=MOST_VERSIONS)]
    rules: Rules
    adjustments: Adjustments
    text: Sha256


class Appealed(Event, frozen=True, kw_only=True, tag="appealed"):
    """A party does not accept the ruling, which stays in force until the appeal is decided."""

    by: PlayerId | None
    text: Sha256


class AppealDecided(Event, frozen=True, kw_only=True, tag="appeal_decided"):
    """The appeal is over: the ruling is upheld, or `adjustments` stand in the place of the ruling's."""

    by: PlayerId | None
    outcome: Literal["upheld", "changed"]
    decision: Decision
    facts: Annotated[tuple[Fact, ...], Meta(max_length=MOST_VERSIONS)]
    rules: Rules
    adjustments: Adjustments
    text: Sha256


class PrecedentTagged(Event, frozen=True, kw_only=True, tag="precedent_tagged"):
    """A decision is put under some words by which later disputes find it."""

    tags: Annotated[tuple[Tag, ...], Meta(min_length=1, max_length=20)]


DisputeEvent: TypeAlias = (
    DisputeOpened
    | StatementAdded
    | EvidenceLinked
    | DisputeWithdrawn
    | Ruled
    | Appealed
    | AppealDecided
    | PrecedentTagged
)
