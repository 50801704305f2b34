"""One game of our own NDJSON, or a part of one, while it is read: each event as the recorder would take it.

Refuses what no table takes, though its chain may hold; the chain itself is ndjson_walk.py's affair.
"""

from typing import Any, Final

from events import disputes
from events.codec import decode, decode_opening
from events.common import GameOpened, Remarked, Retracted
from events.disputing import Dispute, begin, evolve, impossible
from events.errors import DisputeError, FormatError, LanterlogError
from events.formats import LONGEST_NAME, Import
from events.formats.ndjson_lines import EventLine, GameLine, PartLine, microseconds_of
from events.formats.ndjson_walk import Walk
from events.games import game_named
from events.records import Head, StoredEvent

OFF_THE_TABLE: Final = "the event names a seat that is not at this table"


class Reading:
    """One game, or a part of one, while it is read."""

    def __init__(self, line: GameLine | PartLine, number: int) -> None:
        self.line = line
        self.number = number
        self.table: Any = None
        self.dispute: Dispute | None = None
        self.events: list[Any] = []
        self.stored: list[StoredEvent] = []
        self.remarks: dict[int, tuple[bytes, str]] = {}

    def take(self, line: EventLine, walk: Walk) -> None:
        """Add the event of the line that the walk has just come to."""
        event = self._decoded(line, walk.number)
        self._check_fact(event, walk.number)
        self.events.append(event)
        self.stored.append(
            StoredEvent(
                game_id=self.line.game_id,
                version=line.version,
                recorded_at=walk.recorded_at,
                recorded_by=line.recorded_by,
                salt=bytes.fromhex(line.salt),
                hash=bytes.fromhex(line.hash),
                body=bytes(line.body),
            )
        )
        if line.remark is not None:
            self.remarks[line.version] = (bytes.fromhex(line.remark.salt), line.remark.text)

    def _check_fact(self, event: Any, number: int) -> None:
        """Refuse what the recorder takes at no table, so that it stands in no log of ours."""
        if self.line.kind == disputes.NAME:
            self._check_dispute(event, number)
        if self.line.kind != "game":
            return
        rules, before = game_named(self.line.game), self.line.after + len(self.events)
        if not before:
            self.table = rules.initial(event)
        elif isinstance(event, GameOpened):
            raise FormatError(number, "the game is opened again")
        elif isinstance(event, Retracted) and self.line.mode == "refereed":
            raise FormatError(number, "a retraction at a refereed table")
        elif isinstance(event, Remarked) and (event.about or 0) > before:
            raise FormatError(number, "a remark about a version that comes later")
        elif self.table is not None and rules.is_off_the_table(self.table, event):
            # Of a part that goes on, only the store knows the table.
            raise FormatError(number, OFF_THE_TABLE)

    def _check_dispute(self, event: Any, number: int) -> None:
        """Refuse what can stand in no dispute; of a part that goes on, only the store knows what came before."""
        if self.line.after:
            return
        found = impossible(self.dispute, event)
        if found:
            raise FormatError(number, str(DisputeError(found)))
        self.dispute = begin(event) if self.dispute is None else evolve(self.dispute, event)

    def whole(self) -> Import:
        """Return the game with all its events."""
        line = self.line
        if any(len(name) > LONGEST_NAME for name in line.people.values()):
            raise FormatError(self.number, f"a name of more than {LONGEST_NAME} characters")
        created_at = microseconds_of(line.created_at) or 0
        head = Head(
            game_id=line.game_id,
            kind=line.kind,
            game=line.game,
            mode=line.mode,
            visibility=line.visibility,
            version=line.last,
            head=bytes.fromhex(line.head),
            created_at=created_at,
            changed_at=self.stored[-1].recorded_at if self.stored else created_at,
        )
        return Import(
            game_id=line.game_id,
            events=self.events,
            names=dict(line.people),
            remarks=self.remarks,
            line=self.number,
            head=head,
            stored=self.stored,
            after=line.after if isinstance(line, PartLine) else None,
            previous=bytes.fromhex(line.previous),
        )

    def _decoded(self, line: EventLine, number: int) -> Any:
        """Return a line's event; a first one must open the game that the game's first line names."""
        game, body = self.line, bytes(line.body)
        try:
            if line.version > 1 or game.kind != "game":
                return decode(game.game, body)
            opened = decode_opening(body)
        except LanterlogError as error:
            raise FormatError(number, str(error)) from error
        if (opened.game, opened.mode) != (game.game, game.mode):
            wanted = f"expected {game.game} and {game.mode} as in the game's first line"
            raise FormatError(number, f"opened as {opened.game} and {opened.mode}, {wanted}")
        return opened
