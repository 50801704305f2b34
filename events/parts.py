"""Takes in parts of games: each goes on from what is here, and the first is the game if it is not here.

Only a game that came by an import and that nobody has recorded in since can go on so, which the database
sees to. Never commits.
"""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from msgspec.structs import replace
from sqlalchemy import Connection

from events import intake, store
from events.codec import decode_opening
from events.errors import FormatError, NotContinued, UnknownGame
from events.formats import Import
from events.formats.ndjson_game import OFF_THE_TABLE
from events.games import game_named
from events.records import Head

Outcome = Literal["imported", "present", "continued"]


def take_in(
    conn: Connection, part: Import, texts: Sequence[store.Text], recorded_by: UUID
) -> tuple[Outcome, int]:
    """Store a part, and return what became of its game and how many events are new.

    A text's `version_offset` counts from version 1. Raises FormatError, AlteredLog, OtherHead, NotContinued.
    """
    head, stored, after = part.head, part.stored, part.after
    assert head is not None
    assert stored is not None
    assert after is not None
    here = _here(conn, part)
    if here is None:
        intake.import_game(conn, head, stored, texts, recorded_by)
        return "imported", len(stored)
    if here.version and here.kind == "game":
        _check_seats(conn, part)
    moved = [replace(text, version_offset=text.version_offset - after) for text in texts]
    new = intake.continue_game(conn, head, (after, part.previous), stored, moved)
    return ("continued" if new else "present"), new


def _here(conn: Connection, part: Import) -> Head | None:
    """Return the game as it is here, None if the part is its first and it is not."""
    assert part.head is not None
    try:
        here = store.head(conn, part.game_id)
    except UnknownGame:
        if not part.after:
            return None
        reason = f"the game is not here, expected its versions up to {part.after}"
        raise NotContinued(part.game_id, 0, reason) from None
    if _told(here) != _told(part.head):
        raise NotContinued(part.game_id, here.version, "the game that is here is another one")
    return here


def _told(head: Head) -> tuple[str, str, str, int]:
    return head.kind, head.game, head.mode, head.created_at


def _check_seats(conn: Connection, part: Import) -> None:
    """Refuse a part that names a seat that is not at the table that is here."""
    opened = decode_opening(store.read_bodies(conn, part.game_id, 1)[0])
    game = game_named(opened.game)
    table = game.initial(opened)
    if any(game.is_off_the_table(table, event) for event in part.events):
        raise FormatError(part.line, OFF_THE_TABLE)
