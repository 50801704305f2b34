"""What a reader of the page may do in the disputes of a game, and for whom he may speak.

The page offers that and nothing else; whether an act may really be done is decided when it comes (`api.disputes`).
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from flask import g

from api import auth, dockets
from api.asker import Asker, verdict
from api.files import Filed
from api.scopes import Need
from api.viewer.asking import Do
from events.disputes import (
    AppealDecided,
    Appealed,
    DisputeEvent,
    DisputeWithdrawn,
    EvidenceLinked,
    PrecedentTagged,
    Ruled,
    StatementAdded,
    ToVersion,
)
from events.disputing import Actor, Dispute, Table, refused
from events.docket import NO_TEXT

Why = Literal["sign_in", "other_token"]
WRITING: Final = Need("games:write", "write")


class Rights(msgspec.Struct, frozen=True):
    """Who the reader is in disputes about a game; without an actor he may only read, and *why* says what he lacks."""

    table: Table
    actor: Actor | None
    why: Why | None = None

    @property
    def speakers(self) -> list[int | None]:
        """The seats for which he may speak, and None if he may speak as the arbiter."""
        if self.actor is None:
            return []
        arbiter: list[int | None] = [None] if self.actor.is_arbiter else []
        return arbiter + [
            seat for seat, player in enumerate(self.table.seats) if self.actor.speaks_for(player)
        ]

    def by_dispute(self, known: Iterable[tuple[Filed, Dispute]]) -> dict[str, list[Do]]:
        """Return what he may do in each dispute as it stands, by its id."""
        return {str(filed.head.game_id): self.acts(dispute) for filed, dispute in known}

    def acts(self, dispute: Dispute) -> list[Do]:
        """Return what he may do in a dispute as it stands."""
        found: list[Do] = []
        for do, event in self._tried(dispute):
            if do not in found and self.actor is not None:
                found += [] if refused(dispute, event, self.table, self.actor) else [do]
        return found

    def _tried(self, dispute: Dispute) -> Iterator[tuple[Do, DisputeEvent]]:
        """Yield acts with nothing in them, for every player whose words they could be: only who and when count."""
        players = [None if seat is None else self.table.seats[seat] for seat in self.speakers]
        for by in players:
            yield "say", StatementAdded(by=by, text=NO_TEXT)
            yield "link", EvidenceLinked(by=by, evidence=ToVersion(1), text=None)
            yield "appeal", Appealed(by=by, text=NO_TEXT)
        yield "withdraw", DisputeWithdrawn(by=dispute.opened.by, text=None)
        decided: dict[str, Any] = {"by": None, "facts": (), "rules": (), "adjustments": ()}
        decided |= {"decision": "rejected", "text": NO_TEXT}
        yield "rule", Ruled(**decided)
        yield "decide", AppealDecided(outcome="changed", **decided)
        yield "tag", PrecedentTagged(tags=("a",))


def rights_in(game_id: UUID, table: Table) -> Rights:
    """Return what whoever sent the running request may do in the disputes of a game that he sees."""
    token = g.token
    match verdict(WRITING, token, game_id, auth.has_tokens):
        case "yes":
            asker = Asker(scope="games:write", token=token, trusted=token is None)
            return Rights(table, dockets.actor_of(asker, table, game_id))
        case _:
            return Rights(table, None, "sign_in" if token is None else "other_token")
