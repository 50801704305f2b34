"""What the token of a seat may write down: no more than a game can hold, and nothing by which it finds out where a card lies.

In a recorded game an act is taken as it is, and a card moves from wherever the record last had it. So a player who wrote down a card
that he does not have would see whose hand shrinks. What is refused here, and why, depends only on what the
seat sees, and on whether anything is hidden from it at all (docs/decisions/0018-seats-at-recorded-tables.md).
"""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from api import access
from api.asker import Asker, not_allowed
from api.viewing import Eyes
from events import store
from events.common import Remarked
from events.game import effective
from events.kept import Kept
from projections.seen import SeenLog
from projections.views import view_of

MOST_EVENTS: Final = 10_000
"""Events of one game that are added with a seat's token, whatever follows from them among them."""
MOST_REMARKS: Final = 500
"""How many of them are remarks, which no rule of a game bounds."""


def check(
    conn: Connection,
    asker: Asker,
    game_id: UUID,
    events: Sequence[Any],
    command_id: UUID | None,
    expected: int | None,
    kept: Kept,
) -> None:
    """Raise RequestError for what a seat's token may not write down; the game stays locked till the block ends.

    Not for what is no new act after the newest version: a command carried out before gets its first answer,
    and whoever is late is told so.
    """
    seat = None if asker.token is None else asker.token.seat
    if seat is None:
        return
    head = store.lock_head(conn, game_id)
    if expected not in (None, head.version):
        return
    if command_id is not None and store.find_command(conn, game_id, command_id) is not None:
        return
    if can_be_too_much(head.version, events):
        check_amount(store.added_by(conn, game_id, asker.identity), events)
    if head.mode == "recorded":
        log = kept.log(conn, head)
        seen = access.seen(log, Eyes.of(head.game, log.events, None, seat))
        check_acts(seen, seat, events, log.events)


def can_be_too_much(version: int, events: Sequence[Any]) -> bool:
    """Tell whether a token could have added too much to a game at this version, so that it must be counted through."""
    after = version + len(events)
    return after > MOST_EVENTS or (
        after > MOST_REMARKS and any(isinstance(event, Remarked) for event in events)
    )


def check_amount(before: store.Added, events: Sequence[Any]) -> None:
    """Raise RequestError for more than a seat's token may add, whose bearer would make his game too long to be read."""
    remarks = sum(isinstance(event, Remarked) for event in events)
    for what, count, most in (
        ("remarks", before.remarks + remarks, MOST_REMARKS),
        ("events", before.events + len(events), MOST_EVENTS),
    ):
        if count > most and (remarks or what == "events"):
            raise not_allowed(
                f"{count} {what} by this token, expected at most {most} in a game: the table's recorder may write more"
            )


def check_acts(seen: SeenLog, seat: int, events: Sequence[Any], log: Sequence[Any]) -> None:
    """Raise RequestError for the first event that a seat may not write down after what it has seen of the whole log."""
    rules, view, state = seen.game, view_of(seen.game.name), seen.state
    is_all_seen = not hides_anything(seen, log)
    for index, event in enumerate(events):
        may = view.keeps_secret(state, event) and (
            is_all_seen or view.shows_what_lies_there(state, event)
        )
        if not may:
            tag = event.__struct_config__.tag
            raise not_allowed(
                f"event {index} ({tag}), expected cards that seat {seat} sees on record where it takes them, "
                "and ?? for what the others may not see: the table's recorder may write it",
                index=index,
            )
        state = rules.evolve(state, event)


def hides_anything(seen: SeenLog, log: Sequence[Any]) -> bool:
    """Tell whether anything of the deal is on record that the seat may not see.

    Told from what is `??` to it, not from the tables: these can come to the same, if a player discards what he drew.
    """
    begins = view_of(seen.game.name).begins_deal
    for version, event in reversed(effective(log)):
        if seen.shown[version - 1] != event:
            return True
        if type(event) in begins:
            return False
    return False
