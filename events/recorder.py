"""The shell around the rules: read, fold, judge, add what is due, append; where rules and SQL meet.

Functions take a Connection and never commit. A refereed table refuses what `judge` objects to and the
service does the dealer's and the scorer's work; a recorded game stores facts as they are, adds nothing, and
answers with the violations as warnings. The row lock on the game's head puts everything in order.
"""

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID, uuid5

import msgspec
from sqlalchemy import Connection
from uuid_utils.compat import uuid7

from events import dispute_files, intake, parts, store
from events.codec import decode_log, encode
from events.common import GameOpened
from events.errors import (
    CommandReused,
    RefusedError,
    RulesetError,
    StaleVersion,
    UnknownGame,
)
from events.formats import Import
from events.game import Judgement, Violation
from events.games import game_named
from events.kept import Kept, Known
from events.trial import NO_TEXTS, Texts, Trial, what_is_due

_SHUFFLE: Final = random.SystemRandom().shuffle


class Log(msgspec.Struct, frozen=True):
    """One game as it was read: its head, its stored events and what they say."""

    head: store.Head
    stored: list[store.StoredEvent]
    events: list[Any]


class Recorded(msgspec.Struct, frozen=True):
    """What an append came to: the versions made, all events in them, and a recorded game's warnings.

    `recorded_at` is in microseconds since 1970 UTC, 0 for a dry run; `warnings` are (version, judgement). `before`
    is the game that this was judged in, None where a first answer is given again.
    """

    game_id: UUID
    first_version: int
    version: int
    head: bytes
    recorded_at: int
    events: tuple[Any, ...]
    warnings: tuple[tuple[int, Judgement], ...]
    repeated: bool
    before: Known | None = None

    def after(self, before: Known) -> Known:
        """Return the game that this was judged in with what came of it."""
        head = msgspec.structs.replace(
            before.head, version=self.version, head=self.head, changed_at=self.recorded_at
        )
        return before.with_more(head, self.events)


class ImportResult(msgspec.Struct, frozen=True):
    """What an import changed: the games that are new, those that were here, and the new events.

    `continued` are games that were here and have got more events.
    """

    imported: list[UUID]
    present: list[UUID]
    events: int
    continued: list[UUID] = []


def open_game(
    conn: Connection,
    opened: GameOpened[Any],
    *,
    game_id: UUID | None = None,
    recorded_by: UUID,
    names: Mapping[str, str] | None = None,
    visibility: str = "public",
    command_id: UUID | None = None,
) -> Recorded:
    """Open a game; at a refereed table the first deal is shuffled and dealt at once.

    Opening the same game again under the same id gives the first answer. Raises RulesetError for options
    that cannot be played, CommandReused for another game under that id.
    """
    game = game_named(opened.game)
    found = game.problems(opened)
    if found:
        raise RulesetError("; ".join(_problem_text(one) for one in found), found)
    game_id = game_id or uuid7()
    command_id = command_id or uuid5(game_id, "open")
    request = _digest([encode(opened), visibility.encode()])
    store.open_game(conn, game_id, opened.game, opened.mode, visibility)
    repeated = _answered_before(conn, game_id, command_id, request)
    if repeated is not None:
        return repeated
    store.ensure_people(conn, {UUID(seat): name for seat, name in (names or {}).items()})
    added = what_is_due(game, game.initial(opened), _SHUFFLE) if opened.mode == "refereed" else ()
    answer = store.append(
        conn, game_id, 0, command_id, request, recorded_by, list(map(encode, (opened, *added)))
    )
    return _recorded(game_id, answer, (opened, *added), ())


def record(
    conn: Connection,
    game_id: UUID,
    events: Sequence[Any],
    *,
    expected_version: int | None,
    command_id: UUID,
    recorded_by: UUID,
    texts: Texts = NO_TEXTS,
    dry_run: bool = False,
    kept: Kept | None = None,
) -> Recorded:
    """Append events to a game, all or none; `texts` gives a remark's (salt, text) by its index here.

    From *kept* comes what is known of the log already; once the caller has committed, it may be told of what is new.

    Raises RefusedError at a refereed table for an act that breaks a rule, and at any table for what is no
    fact about it; StaleVersion if the game has moved on from `expected_version` (None: wherever it is);
    CommandReused; UnknownGame, also for one without events. An act that falls and that its game keeps
    (`Game.refused`) is appended as refused: the error carries it in `recorded`, and the caller commits.
    """
    head = store.lock_head(conn, game_id)
    if not head.version:
        raise UnknownGame(game_id)
    request = _digest([*map(encode, events), repr(expected_version).encode()])
    repeated = _answered_before(conn, game_id, command_id, request)
    if repeated is not None:
        return _again(conn, repeated, head, events)
    if expected_version is not None and expected_version != head.version:
        raise StaleVersion(game_id, expected_version, head.version)
    known = (kept or Kept()).log(conn, head)
    table = Trial(head, known.events, _SHUFFLE, texts, known.state)
    try:
        table.take_all(events)
    except RefusedError as refusal:
        call = table.refused(refusal, events)
        if dry_run or call is None:
            raise
        answer = store.append(
            conn, game_id, head.version, command_id, request, recorded_by, [encode(call)]
        )
        refusal.recorded = _recorded(game_id, answer, (call,), ())
        raise
    if dry_run:
        first, last = head.version + 1, head.version + len(table.added)
        added, warnings = tuple(table.added), tuple(table.warnings)
        return Recorded(game_id, first, last, head.head, 0, added, warnings, False, known)
    answer = store.append(
        conn,
        game_id,
        head.version,
        command_id,
        request,
        recorded_by,
        list(map(encode, table.added)),
        [store.Text(at, salt, text) for at, (salt, text) in table.texts.items()],
    )
    return _recorded(game_id, answer, tuple(table.added), tuple(table.warnings), known)


def load(conn: Connection, game_id: UUID, upto: int | None = None) -> Log:
    """Read a game, or its events up to a version; raises UnknownGame. Two queries.

    What is appended between the two is left out, so that a whole log ends where its head says.
    """
    return log_of(conn, store.head(conn, game_id), upto)


def log_of(conn: Connection, head: store.Head, upto: int | None = None) -> Log:
    """Read the log of a game as far as its head says, or up to a version. One query."""
    stored = store.read(conn, head.game_id, upto=head.version if upto is None else upto)
    return Log(head, stored, decode_log(head.game, [event.body for event in stored]))


def load_more(conn: Connection, log: Log) -> Log:
    """Read what has come to a game since it was read; anew, if it does not go on from there. Two queries."""
    head, last = store.head(conn, log.head.game_id), log.stored[-1]
    stored = store.read(conn, head.game_id, last.version - 1, upto=head.version)
    if not stored or stored[0].hash != last.hash:
        return load(conn, head.game_id)
    new = stored[1:]
    events = decode_log(head.game, [event.body for event in new])
    return Log(head, [*log.stored, *new], [*log.events, *events])


def events_of(conn: Connection, head: store.Head, upto: int | None = None) -> list[Any]:
    """Read what a game says, or said at a version, without times, salts and hashes. One query."""
    return decode_log(head.game, store.read_bodies(conn, head.game_id, upto))


def import_games(conn: Connection, imports: Iterable[Import], recorded_by: UUID) -> ImportResult:
    """Store games that were read from a file; one that is here with the same head is passed over.

    A part of a game goes on from what is here. Raises what the reader raises (FormatError with the line),
    AlteredLog, OtherHead, NotContinued; the caller stores nothing of a file by rolling back.
    """
    found: dict[UUID, str] = {}
    count = 0
    for one in dispute_files.in_order(conn, imports):
        outcome, new = _import_one(conn, one, recorded_by)
        if found.get(one.game_id, "present") == "present":
            found[one.game_id] = outcome
        count += new
    by = {what: [one for one, was in found.items() if was == what] for what in set(found.values())}
    return ImportResult(
        by.get("imported", []), by.get("present", []), count, by.get("continued", [])
    )


def _answered_before(
    conn: Connection, game_id: UUID, command_id: UUID, request: bytes
) -> Recorded | None:
    """Return the first answer to a command that was carried out before; raise CommandReused."""
    command = store.find_command(conn, game_id, command_id)
    if command is None:
        return None
    if command.request_hash != request:
        raise CommandReused(game_id, command_id)
    log = load(conn, game_id, upto=command.last_version)
    first = command.first_version - 1
    events, last = tuple(log.events[first:]), log.stored[-1]
    answer = store.Appended(first + 1, command.last_version, last.hash, last.recorded_at, True)
    return _recorded(game_id, answer, events, _warnings_again(log, first))


def _warnings_again(log: Log, before: int) -> tuple[tuple[int, Judgement], ...]:
    """Return the warnings that the events after version *before* were answered with."""
    if log.head.mode != "recorded" or before == 0:
        return ()
    earlier = msgspec.structs.replace(log.head, version=before)
    table = Trial(earlier, log.events[:before], _SHUFFLE)
    table.take_all(log.events[before:])
    return tuple(table.warnings)


def _again(
    conn: Connection, repeated: Recorded, head: store.Head, events: Sequence[Any]
) -> Recorded:
    """Return a first answer again, or raise again the refusal that it was."""
    fallen, before = game_named(head.game).fallen(repeated.events[0]), repeated.first_version - 1
    if head.mode != "refereed" or fallen is None:
        return repeated
    earlier = events_of(conn, head, before)
    table = Trial(msgspec.structs.replace(head, version=before), earlier, _SHUFFLE)
    try:
        table.take_all(events)
    except RefusedError as refusal:
        refusal.recorded = repeated
        raise
    # The rules have changed since: what is on record is what was answered.
    raise RefusedError(0, before, [fallen], repeated)


def _recorded(
    game_id: UUID,
    answer: store.Appended,
    events: tuple[Any, ...],
    warnings: tuple[tuple[int, Judgement], ...],
    before: Known | None = None,
) -> Recorded:
    return Recorded(
        game_id,
        answer.first_version,
        answer.version,
        answer.head,
        answer.recorded_at,
        events,
        warnings,
        answer.repeated,
        before,
    )


def _import_one(conn: Connection, one: Import, recorded_by: UUID) -> tuple[str, int]:
    """Store one game and return what became of it, and how many events are new."""
    store.ensure_people(conn, {UUID(player): name for player, name in one.names.items()})
    texts = [store.Text(version - 1, salt, text) for version, (salt, text) in one.remarks.items()]
    if one.after is not None:
        done = parts.take_in(conn, one, texts, recorded_by)
    elif one.stored is not None and one.head is not None:
        is_new = intake.import_game(conn, one.head, one.stored, texts, recorded_by) == "imported"
        done = ("imported", len(one.events)) if is_new else ("present", 0)
    elif store.open_game(conn, one.game_id, one.events[0].game, one.events[0].mode):
        bodies = list(map(encode, one.events))
        command = uuid5(one.game_id, "import")
        store.append(conn, one.game_id, 0, command, _digest(bodies), recorded_by, bodies, texts)
        done = ("imported", len(one.events))
    else:
        done = ("present", 0)
    return done


def _digest(parts: Iterable[bytes]) -> bytes:
    """Return a hash that tells one request from another; parts cannot run into each other."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _problem_text(found: Violation) -> str:
    params = found.params
    return f"{found.code}: {params['option']}={params['actual']}, expected {params['expected']}"
