"""Every error that Lanterlog raises on purpose, as one tree.

    LanterlogError
    ├── CardError            a text that is no card
    ├── ActError             a line that writes no act of the game
    ├── CaseError            a case file that cannot be read
    ├── CodecError           a body that is not the canonical text of an event
    ├── NotALogError         a stream that does not begin as a game does
    ├── NoSuchVersion        a version that a log does not have
    ├── NoSuchDeal           a deal that a log does not have
    ├── TooManyActs          more acts than are ever listed
    ├── RulesetError         options that cannot be played
    ├── UpcastError          an event shape that no upcaster knows
    ├── CorrectionError      a correction of the rules that is none
    ├── RefusedError         acts that a refereed table refuses
    ├── DisputeError         what cannot be done in a dispute as it stands, with a code and the rule for it
    ├── FormatError          a file that is not in the format it claims, with line and reason
    │   ├── AlteredFile      a file of ours that has been changed, with its first bad place
    │   └── AbsentGame       a dispute about a game that is not here
    ├── StoreError           what the store refuses
    │   ├── UnknownGame      no such stream
    │   ├── UnknownDispute   no such dispute
    │   ├── UnknownPerson    a name that nobody has, or several
    │   ├── StaleVersion     another append came first
    │   ├── CommandReused    the same command id with another request
    │   ├── NotStorable      bodies, texts or ids that the database cannot hold
    │   ├── GameFull         no version left in a stream
    │   ├── StoreBusy        another transaction was in the way: the same call may go through later
    │   ├── ConnectionLost   the database went away in the middle of a call
    │   ├── AlteredLog       an imported chain that does not hold
    │   ├── OtherHead        an imported game that is here with another end
    │   │   └── NotContinued a part of a game that does not go on from what is here
    │   ├── TooManyRights    a login that could bypass the append-only log
    │   ├── NotMigrated      a database whose schema is not this program's
    │   └── EmbeddedError    the program's own PostgreSQL does not start
    ├── ProjectionError      a read model that cannot be brought up to date
    │   ├── ProjectionFailed an event that no rows can be made with, with its place
    │   ├── ProjectionBusy   another session is at it: the same call may go through later
    │   └── ProjectionMoved  a checkpoint that is not where it was left
    ├── BadSetting           an environment variable that cannot be used
    ├── BadUsage             a command line that means nothing here
    ├── BenchError           a measurement that did not come to its end
    └── RequestError         an HTTP request that is refused for its form, with a code

Messages are lower-case text with the value and what was expected.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID


class LanterlogError(Exception):
    """The root: catch it where the program meets its user, and nowhere else."""


def as_reason(error: Exception, limit: int = 300) -> str:
    """Return another library's error as a reason of ours: cut off, its first word lower-case unless it is a
    name such as JSON.
    """
    text = str(error)[:limit]
    return text if text[1:2].isupper() or text.startswith("NaN") else text[:1].lower() + text[1:]


class CardError(LanterlogError):
    """A text that is no card."""


class ActError(LanterlogError):
    """A line that writes no act of the game, or not in the words of the table."""


class CaseError(LanterlogError):
    """A case file that cannot be read."""


class CodecError(LanterlogError):
    """A body that is not the canonical text of an event."""


class NotALogError(LanterlogError):
    """A stream that does not begin as a game does."""


class NoSuchVersion(LanterlogError):
    """A version that a log does not have; versions count from 1 to `last`."""

    def __init__(self, version: int, last: int) -> None:
        super().__init__(f"no version {version}, expected 1 to {last}")
        self.version = version
        self.last = last


class NoSuchDeal(LanterlogError):
    """A deal that a log does not have, or no longer has since it was retracted."""

    def __init__(self, deal: int) -> None:
        super().__init__(f"no deal {deal} in this log")
        self.deal = deal


class TooManyActs(LanterlogError):
    """More melds and lay-offs of one hand than are ever listed: the listing ends with this, not quietly."""

    def __init__(self, seat: int, most: int) -> None:
        super().__init__(
            f"seat {seat} has more melds and lay-offs than are listed, expected <= {most}"
        )
        self.seat = seat
        self.most = most


class RulesetError(LanterlogError):
    """Options that cannot be played together, or are not built yet; `violations` says which and why."""

    def __init__(self, reason: str, violations: Sequence[Any] = ()) -> None:
        super().__init__(reason)
        self.violations = tuple(violations)


class RefusedError(LanterlogError):
    """Acts that were refused, whole: `violations` of the one at `index`, the game being at `version`.

    `recorded` is what was appended all the same: an act that fell and that its game keeps on record.
    """

    def __init__(
        self, index: int, version: int, violations: Sequence[Any], recorded: Any = None
    ) -> None:
        codes = ", ".join(f"{found.code} ({found.rule})" for found in violations)
        super().__init__(f"event {index + 1} after version {version} refused: {codes}")
        self.index = index
        self.version = version
        self.violations = tuple(violations)
        self.recorded = recorded


class DisputeError(LanterlogError):
    """What cannot be done in a dispute as it stands, or not by whoever wants to; `violations` says why."""

    def __init__(self, violations: Sequence[Any]) -> None:
        first = violations[0]
        found = f"{first.params['actual']}, expected {first.params['expected']}"
        super().__init__(f"{first.code} ({first.rule}): {found}")
        self.violations = tuple(violations)


class UpcastError(LanterlogError):
    """An event shape that no upcaster knows, or a registry with a gap."""


class CorrectionError(LanterlogError):
    """A correction of the rules that is out of order, of no game, or changes more than judgement."""


class FormatError(LanterlogError):
    """A file that is not in the format it claims: the line, counted from 1, and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class AlteredFile(FormatError):
    """A file of ours that has been changed; game and version of its first bad place where they are known."""

    def __init__(self, line: int, game_id: UUID | None, version: int | None, reason: str) -> None:
        place = f"game {game_id}: " if game_id and version is None else ""
        place = f"version {version} of game {game_id}: " if game_id and version else place
        super().__init__(line, place + reason)
        self.reason = reason
        self.game_id = game_id
        self.version = version


class AbsentGame(FormatError):
    """A dispute in a file about a game, or a version of it, that is neither here nor before it in the file."""


class StoreError(LanterlogError):
    """What the store refuses; unless a subclass says otherwise, nothing was stored."""


class UnknownGame(StoreError):
    """There is no such stream."""

    def __init__(self, game_id: UUID) -> None:
        super().__init__(f"no game {game_id}")
        self.game_id = game_id


class UnknownDispute(StoreError):
    """There is no such dispute."""

    def __init__(self, dispute_id: UUID) -> None:
        super().__init__(f"no dispute {dispute_id}")
        self.dispute_id = dispute_id


class UnknownPerson(StoreError):
    """A name that nobody has, or that does not say which of several people is meant."""


class StaleVersion(StoreError):
    """Another append came first: read on from `expected`, then try again from `current`."""

    def __init__(self, game_id: UUID, expected: int, current: int) -> None:
        super().__init__(f"game {game_id} is at version {current}, expected {expected}")
        self.game_id = game_id
        self.expected = expected
        self.current = current


class CommandReused(StoreError):
    """A command id that has already stood for another request."""

    def __init__(self, game_id: UUID, command_id: UUID) -> None:
        super().__init__(
            f"command {command_id} of game {game_id} was another request, expected a new id"
        )
        self.game_id = game_id
        self.command_id = command_id


class NotStorable(StoreError):
    """Bodies, texts, hashes or ids that the database cannot hold."""


class GameFull(StoreError):
    """The stream has no version left for that many events."""


class StoreBusy(StoreError):
    """A lock, a deadlock or the time limit was in the way: the same call may go through later."""


class StoreUnavailable(StoreError):
    """The database is there and can do nothing now: its disk is full, it has no memory, or it may only be read."""


class ConnectionLost(StoreError):
    """The database went away in the middle: only the same call again tells whether it was stored."""


class AlteredLog(StoreError):
    """An imported chain that does not hold; `version` is the first one that is wrong."""

    def __init__(self, game_id: UUID, version: int, reason: str) -> None:
        super().__init__(f"version {version} of game {game_id} {reason}")
        self.game_id = game_id
        self.version = version
        self.reason = reason


class OtherHead(StoreError):
    """An imported game that is here already and ends otherwise."""

    def __init__(self, game_id: UUID, current: int) -> None:
        super().__init__(
            f"game {game_id} is here at version {current} with another head, expected the same game"
        )
        self.game_id = game_id
        self.current = current


class NotContinued(OtherHead):
    """A part of a game that does not go on from what is here; `current` is the version here, 0 for none."""

    def __init__(self, game_id: UUID, current: int, reason: str) -> None:
        StoreError.__init__(self, f"a part of game {game_id}: {reason}")
        self.game_id = game_id
        self.current = current


class TooManyRights(StoreError):
    """A login that could bypass the append-only log; `reasons` says how."""

    def __init__(self, login: str, reasons: tuple[str, ...]) -> None:
        super().__init__(
            f"login {login!r} {', '.join(reasons)}: expected one that only reads and executes"
        )
        self.login = login
        self.reasons = reasons


class NotMigrated(StoreError):
    """A database without the schema that this program was written for."""


class EmbeddedError(StoreError):
    """The PostgreSQL that comes with the program cannot be started where it was told to."""


class ProjectionError(LanterlogError):
    """A read model that cannot be brought up to date; what it had stays as it was."""


class ProjectionFailed(ProjectionError):
    """An event that no rows can be made with: position in the ledger, game, version and the reason."""

    def __init__(self, name: str, position: int, game_id: UUID, version: int, reason: str) -> None:
        super().__init__(
            f"{name} stopped at position {position}: version {version} of game {game_id}: {reason}"
        )
        self.name = name
        self.position = position
        self.game_id = game_id
        self.version = version
        self.reason = reason


class ProjectionBusy(ProjectionError):
    """Another session rebuilds, or reads the tables without an end: the same call may go through later."""


class ProjectionMoved(ProjectionError):
    """A checkpoint that is not where it was left: someone else has moved it, and nothing was written."""


class BadSetting(LanterlogError):
    """An environment variable that cannot be used, with its value and what was expected."""


class BadUsage(LanterlogError):
    """A command line that cannot be carried out as it is written."""


class BenchError(LanterlogError):
    """A measurement that did not come to its end."""


class RequestError(LanterlogError):
    """An HTTP request that is refused for its form: a code of `api.problems` and what else to tell."""

    def __init__(self, code: str, reason: str, **members: Any) -> None:
        super().__init__(reason)
        self.code = code
        self.members = members
