"""The client's part that reads one game: its events, the table at any version, what could be done, what was wrong."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import UUID

import msgspec

from api.client_answers import Answer
from api.client_asking import ONCE, Asking, switch
from api.client_errors import BadAnswer
from api.client_types import GameShown, TimelineShown, timeline_of
from api.engines import WhichEngine
from api.lists_wire import DealLine, DealPage
from api.wire import AskAudit, AuditAnswer, EventLine, EventPage, RulesetChoice, StateAnswer, Viewer
from api.wire_legal import LegalAnswer
from api.wire_moments import CardAnswer, FrameLine, FramesAnswer
from api.wire_reports import ReportAnswer
from events.codec import decode_stored

_LONGEST_PAGE = 1000


class Reading(Asking):
    """One game."""

    def game(self, game_id: UUID, *, scores: bool = False) -> GameShown:
        """Return one game, with the event that opened it and, if wanted, its scores as played and as ruled."""
        return self._get(f"/v1/games/{game_id}", GameShown, {"scores": switch(scores or None)})

    def events(
        self, game_id: UUID, *, after: int = 0, limit: int = 200, viewer: Viewer | None = None
    ) -> EventPage:
        """Return a page of the events after a version, at most 1000."""
        query = {"after": after, "limit": limit, "viewer": viewer}
        return self._get(f"/v1/games/{game_id}/events", EventPage, query)

    def all_events(
        self, game_id: UUID, *, after: int = 0, viewer: Viewer | None = None
    ) -> Iterator[EventLine]:
        """Yield all events after a version, asking for a page when it is needed."""
        following: int | None = after
        while following is not None:
            page = self.events(game_id, after=following, limit=_LONGEST_PAGE, viewer=viewer)
            for line in page.events:
                if line.version != after + 1:
                    raise BadAnswer(f"version {line.version}, expected {after + 1}")
                yield line
                after = line.version
            if page.next_after is not None and (page.next_after != after or not page.events):
                raise BadAnswer(f"a page that goes on after {page.next_after}, expected {after}")
            following = page.next_after

    def stream(
        self, game_id: UUID, *, after: int = 0, viewer: Viewer | None = None, silence: float
    ) -> Answer:
        """Return the stream of the events after a version as it comes, for a feed; `follow` is for everybody else.

        Tried once. *silence* is how many seconds it may say nothing.
        """
        headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
        if after:
            headers["Last-Event-ID"] = str(after)
        path = f"/v1/games/{game_id}/stream"
        query = {"after": after, "viewer": viewer}
        return self._wire.open(path, query=query, headers=headers, retries=ONCE, silence=silence)

    def state(
        self, game_id: UUID, *, at: int | None = None, viewer: Viewer | None = None
    ) -> StateAnswer:
        """Return the table at a version, the last by default."""
        return self._get(f"/v1/games/{game_id}/state", StateAnswer, {"at": at, "viewer": viewer})

    def frames(
        self,
        game_id: UUID,
        first: int = 1,
        last: int | None = None,
        *,
        viewer: Viewer | None = None,
    ) -> FramesAnswer:
        """Return what each version from *first* to *last* changed, at most 200; `next` begins the next piece."""
        query = {"from": first, "to": last, "viewer": viewer}
        return self._get(f"/v1/games/{game_id}/frames", FramesAnswer, query)

    def all_frames(
        self,
        game_id: UUID,
        first: int = 1,
        last: int | None = None,
        *,
        viewer: Viewer | None = None,
    ) -> Iterator[FrameLine]:
        """Yield what each version changed, asking for a piece when it is needed."""
        following: int | None = first
        while following is not None:
            piece = self.frames(game_id, following, last, viewer=viewer)
            yield from piece.frames
            if piece.next is not None and (piece.next <= following or not piece.frames):
                raise BadAnswer(
                    f"a piece that goes on at {piece.next}, expected one after {following}"
                )
            following = piece.next

    def card(self, game_id: UUID, card: str, *, viewer: Viewer | None = None) -> CardAnswer:
        """Return where a card was, from which version to which."""
        path = f"/v1/games/{game_id}/cards/{quote(card, safe='')}"
        return self._get(path, CardAnswer, {"viewer": viewer})

    def timeline(self, game_id: UUID, *, viewer: Viewer | None = None) -> TimelineShown:
        """Return the course of the game: deals, turns or tricks, scores, findings, with their versions."""
        return timeline_of(self._raw(f"/v1/games/{game_id}/timeline", {"viewer": viewer}))

    def legal(
        self,
        game_id: UUID,
        *,
        seat: int | None = None,
        at: int | None = None,
        limit: int = 200,
        viewer: Viewer | None = None,
    ) -> LegalAnswer:
        """Return what a seat, that of the turn by default, could do, and what speaks against the rest."""
        query = {"seat": seat, "at": at, "limit": limit, "viewer": viewer}
        return self._get(f"/v1/games/{game_id}/legal", LegalAnswer, query)

    def deals(self, game_id: UUID) -> Iterator[DealLine]:
        """Yield the deals of a game as the catalogue knows them, with scores as ruled and as played."""
        path = f"/v1/games/{game_id}/deals"
        return self._pages(path, DealPage, {}, lambda page: (page.deals, page.next))

    def audit(
        self,
        game_id: UUID,
        *,
        deal: int | None = None,
        ruleset: str | RulesetChoice | None = None,
        beside: str | RulesetChoice | None = None,
        engine: WhichEngine = "newest",
        calls: bool = False,
        viewer: Viewer | None = None,
    ) -> AuditAnswer:
        """Return what breaks the rules, by the game's own ruleset or another, and by a second one *beside* it."""
        asked = AskAudit(
            deal=deal, ruleset=ruleset, beside=beside, engine=engine, calls=calls, viewer=viewer
        )
        return self._post(f"/v1/games/{game_id}/audits", asked, AuditAnswer)

    def report(
        self,
        game_id: UUID,
        *,
        deal: int | None = None,
        first: int | None = None,
        last: int | None = None,
        ruleset: str | None = None,
        viewer: Viewer | None = None,
    ) -> ReportAnswer:
        """Return what an arbiter needs to rule: each breach with the table, what was known and could be done."""
        query = {"deal": deal, "from": first, "to": last, "ruleset": ruleset, "viewer": viewer}
        return self._get(f"/v1/games/{game_id}/report", ReportAnswer, query)


def event_of(game: str, raw: msgspec.Raw) -> Any:
    """Return an answer's event as a struct of that game, an old shape as its newest one; raise CodecError."""
    return decode_stored(game, bytes(raw))
