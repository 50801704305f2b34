"""A dispute as it stands after its events, and who may do what in it.

Pure, and total like a game's fold: `evolve` copies facts. What cannot come in a stream at all is said by
`impossible`, of whatever file it is read; what somebody may not do now by `refused`. docs/disputes.md has the rules
P-1 to P-10 that they cite.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal
from uuid import UUID

import msgspec
from msgspec.structs import replace

from events.disputes import (
    Adjustment,
    Adjustments,
    AppealDecided,
    Appealed,
    DisputeEvent,
    DisputeOpened,
    DisputeWithdrawn,
    EvidenceLinked,
    PrecedentTagged,
    Ruled,
    StatementAdded,
    ToVersion,
)
from events.errors import NotALogError
from events.game import Violation

Standing = Literal["open", "ruled", "appealed", "final", "withdrawn"]
Decided = Ruled | AppealDecided

MOST_DISPUTES: Final = 20
"""Disputes about one game that are opened for the same player (P-10)."""
MOST_SAID: Final = 20
"""Statements and evidence of the same player in one dispute (P-10)."""
NOBODY: Final = UUID(int=0)
"""Who records where there are no tokens: no two of them are known to be the same person."""


class Dispute(msgspec.Struct, frozen=True):
    """A dispute after its events; `ruled_by` is the token with which the ruling was recorded."""

    opened: DisputeOpened
    standing: Standing = "open"
    version: int = 1
    ruling: Ruled | None = None
    ruled_by: UUID = NOBODY
    appeal: AppealDecided | None = None
    tags: tuple[str, ...] = ()

    @property
    def in_force(self) -> Decided | None:
        """The last decision: the one on appeal, or else the ruling, which stands while an appeal is open."""
        return self.appeal or self.ruling

    @property
    def adjustments(self) -> Adjustments:
        """What the decision in force adds to the scores."""
        return () if self.in_force is None else self.in_force.adjustments


class Table(msgspec.Struct, frozen=True):
    """What of the disputed game a dispute can speak of: who sits there, its versions, and the deals scored."""

    seats: tuple[str, ...]
    versions: int
    scored: frozenset[int]


class Actor(msgspec.Struct, frozen=True):
    """Who acts: the token's id, whether he is an arbiter, and the players he may speak for (None: all)."""

    identity: UUID = NOBODY
    is_arbiter: bool = False
    players: frozenset[str] | None = frozenset()

    def speaks_for(self, player: str) -> bool:
        """Tell whether this player's words can come from him."""
        return self.players is None or player in self.players


ANYONE: Final = Actor(is_arbiter=True, players=None)
"""Who uses the command line, and so the database itself."""

# P-2: in which standing each act can come.
_WHEN: Final[dict[type[DisputeEvent], tuple[Standing, ...]]] = {
    StatementAdded: ("open", "appealed"),
    EvidenceLinked: ("open", "appealed"),
    DisputeWithdrawn: ("open",),
    Ruled: ("open",),
    Appealed: ("ruled",),
    AppealDecided: ("appealed",),
    PrecedentTagged: ("ruled", "appealed", "final"),
}
_ARBITERS: Final = (Ruled, AppealDecided, PrecedentTagged)


def begin(opened: DisputeOpened) -> Dispute:
    """Return a dispute that has just been opened."""
    return Dispute(opened)


def evolve(dispute: Dispute, event: DisputeEvent, recorded_by: UUID = NOBODY) -> Dispute:
    """Return the dispute after one more event, whatever it is."""
    after = replace(dispute, version=dispute.version + 1)
    match event:
        case Ruled():
            return replace(after, standing="ruled", ruling=event, ruled_by=recorded_by)
        case Appealed():
            return replace(after, standing="appealed")
        case AppealDecided():
            return replace(after, standing="final", appeal=event)
        case DisputeWithdrawn():
            return replace(after, standing="withdrawn")
        case PrecedentTagged():
            return replace(after, tags=tuple(sorted({*dispute.tags, *event.tags})))
        case StatementAdded() | EvidenceLinked() | DisputeOpened():
            return after


def fold(events: Sequence[DisputeEvent], recorded_by: Iterable[UUID] = ()) -> Dispute:
    """Return a dispute from its events; raise NotALogError for a stream that does not begin as one does."""
    opened = events[0] if events else None
    if not isinstance(opened, DisputeOpened):
        raise NotALogError("a dispute begins with dispute_opened")
    dispute, recorders = begin(opened), list(recorded_by)[1:]
    for place, event in enumerate(events[1:]):
        by = recorders[place] if place < len(recorders) else NOBODY
        dispute = evolve(dispute, event, by)
    return dispute


def impossible(dispute: Dispute | None, event: DisputeEvent) -> tuple[Violation, ...]:
    """Return why an event can stand nowhere after these, whoever records it; `None` is an empty stream."""
    return tuple(_impossible(dispute, event))


def refused(
    dispute: Dispute | None, event: DisputeEvent, table: Table, actor: Actor
) -> tuple[Violation, ...]:
    """Return why this actor may not do this now, in the order standing, person, object."""
    return (
        *_impossible(dispute, event),
        *_not_his(dispute, event, table, actor),
        *_off(event, table),
    )


def too_much(event: DisputeEvent, before: int, actor: Actor) -> tuple[Violation, ...]:
    """Return why this is once too often for a player: a game's page shows all that was said in disputes about it.

    *before* is how many disputes about the game were opened for him, or how often he has spoken in this one.
    """
    match event:
        case DisputeOpened():
            code, most = "TOO_MANY_DISPUTES", MOST_DISPUTES
        case StatementAdded() | EvidenceLinked():
            code, most = "TOO_MUCH_SAID", MOST_SAID
        case _:
            return ()
    if actor.is_arbiter or before < most:
        return ()
    return (_wrong(code, "P-10", str(before + 1), f"at most {most} of a player"),)


def _impossible(dispute: Dispute | None, event: DisputeEvent) -> Iterator[Violation]:
    if isinstance(event, DisputeOpened):
        if dispute is not None:
            yield _wrong("WRONG_STANDING", "P-2", "a dispute that is open already", "a new one")
        if list(event.versions) != sorted({*event.versions}) or event.versions[-1] > event.at:
            shown = " ".join(map(str, event.versions))
            yield _wrong("VERSIONS_WRONG", "P-1", shown, f"rising versions up to {event.at}")
        yield from _bad_adjustments(event.demanded)
        return
    if dispute is None:
        yield _wrong("WRONG_STANDING", "P-2", "no dispute yet", "dispute_opened")
        return
    allowed = _WHEN[type(event)]
    if dispute.standing not in allowed:
        yield _wrong("WRONG_STANDING", "P-2", dispute.standing, " or ".join(allowed))
    if isinstance(event, Ruled | AppealDecided):
        yield from _bad_adjustments(event.adjustments)
        if event.decision == "rejected" and event.adjustments:
            yield _wrong("REJECTED_AND_ADJUSTED", "P-6", "a claim rejected", "no adjustments")
    if isinstance(event, AppealDecided) and _changes_what_it_upholds(event, dispute.ruling):
        expected = "the ruling's own decision and adjustments"
        yield _wrong("UPHELD_AND_CHANGED", "P-8", "another decision", expected)


def _changes_what_it_upholds(event: AppealDecided, ruling: Ruled | None) -> bool:
    if event.outcome != "upheld" or ruling is None:
        return False
    return (event.decision, event.adjustments) != (ruling.decision, ruling.adjustments)


def _bad_adjustments(adjustments: Sequence[Adjustment]) -> Iterator[Violation]:
    places = [(one.deal, one.seat) for one in adjustments]
    if places != sorted({*places}) or not all(one.points for one in adjustments):
        shown = " ".join(f"{one.deal}:{one.seat}:{one.points}" for one in adjustments)
        expected = "each deal and seat once, in order, none of 0 points"
        yield _wrong("ADJUSTMENTS_WRONG", "P-6", shown[:200], expected)


def _not_his(
    dispute: Dispute | None, event: DisputeEvent, table: Table, actor: Actor
) -> Iterator[Violation]:
    if isinstance(event, _ARBITERS):
        if not actor.is_arbiter:
            yield _wrong("ARBITER_NEEDED", "P-5", "somebody else", "an arbiter")
        elif isinstance(event, AppealDecided) and dispute is not None:
            yield from _own_ruling(dispute, event, actor)
        return
    by = None if isinstance(event, PrecedentTagged) else event.by
    if by is None:
        if isinstance(event, Appealed):
            yield _wrong("NOT_A_PARTY", "P-3", "nobody", "a player of the game")
        elif not actor.is_arbiter:
            yield _wrong("ARBITER_NEEDED", "P-5", "nobody named", "a player, or an arbiter")
    elif by not in table.seats:
        yield _wrong("NOT_A_PARTY", "P-3", by, "a player of the game")
    elif not actor.speaks_for(by):
        yield _wrong("NOT_YOUR_SEAT", "P-4", by, "a player for whom this token may speak")
    if isinstance(event, DisputeWithdrawn) and dispute is not None and by != dispute.opened.by:
        opener = dispute.opened.by or "the arbiter"
        yield _wrong("NOT_THE_OPENER", "P-7", by or "the arbiter", opener)


def _own_ruling(dispute: Dispute, event: AppealDecided, actor: Actor) -> Iterator[Violation]:
    same_token = actor.identity != NOBODY and actor.identity == dispute.ruled_by
    ruled_by = None if dispute.ruling is None else dispute.ruling.by
    if same_token or (event.by is not None and event.by == ruled_by):
        yield _wrong("OWN_RULING", "P-8", "the arbiter who ruled", "another arbiter")


def _off(event: DisputeEvent, table: Table) -> Iterator[Violation]:
    """Yield what an event says of versions, deals and seats that the game does not have."""
    versions: list[int] = []
    adjustments: Sequence[Adjustment] = ()
    match event:
        case DisputeOpened():
            versions, adjustments = [*event.versions], event.demanded
        case EvidenceLinked(evidence=ToVersion(version=version)):
            versions = [version]
        case Ruled() | AppealDecided():
            versions = [fact.version for fact in event.facts]
            adjustments = event.adjustments
    for version in versions:
        if version > table.versions:
            yield _wrong("NO_SUCH_VERSION", "P-1", str(version), f"1 to {table.versions}")
    for one in adjustments:
        if one.seat >= len(table.seats):
            yield _wrong("NO_SUCH_SEAT", "P-6", str(one.seat), f"0 to {len(table.seats) - 1}")
        if one.deal not in table.scored:
            yield _wrong("NO_SUCH_DEAL", "P-6", str(one.deal), "a deal that was scored")


def _wrong(code: str, rule: str, actual: str, expected: str) -> Violation:
    return Violation(code, rule, None, {"expected": expected, "actual": actual})
