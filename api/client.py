"""A client of the HTTP interface: record, follow, replay, audit, export and import, in structs of `api.wire`.

    with Client("http://127.0.0.1:8500") as client:
        game = client.open_game(["Ann", "Bob"])

Knows no rules and keeps no game. Every command goes out with an id of its own, so one whose answer was lost is
sent again and counts once. Raises what `api.client_errors` draws.
"""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from types import TracebackType
from typing import Any, Final, Literal, TypeVar
from uuid import UUID, uuid4

import httpx
import msgspec

from api.client_errors import ClientError
from api.client_feed import Feed, Polling
from api.client_wire import PATIENT, Retries, Wire
from api.wire import (
    AskAudit,
    AuditAnswer,
    EventLine,
    EventPage,
    GameDetail,
    GamePage,
    GameSummary,
    ImportAnswer,
    OpenGame,
    Person,
    RecordAnswer,
    RecordEvents,
    Remark,
    RulesetChoice,
    StateAnswer,
    Status,
    TimelineAnswer,
    Viewer,
    Visibility,
)
from api.wire_legal import LegalAnswer
from events.codec import decode_stored, encode
from events.common import Event
from events.formats import ndjson
from events.games import DEFAULT

T = TypeVar("T")

_JSON: Final = "application/json"
_NDJSON: Final = "application/x-ndjson"
_FILES: Final = {"ndjson": _NDJSON, "txt": "text/plain", "csv": "text/csv", "html": "text/html"}
_LAST: Final = "game_ended"

Mode = Literal["refereed", "recorded"]
Act = Event | Mapping[str, Any]
"""An event of `events`, or what its JSON says."""


class Client:
    """One service and who asks it; a context manager, and safe to use from several threads.

    *token* is sent as a bearer token and shown nowhere. *transport* is for tests.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        retries: Retries = PATIENT,
        timeout: float = 30.0,
        feed: Feed | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._wire = Wire(base_url, token, retries=retries, timeout=timeout, transport=transport)
        self._feed: Feed = feed or Polling()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._wire.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        return f"Client({self._wire!r})"

    # Recording

    def open_game(
        self,
        seats: Sequence[str | Person],
        *,
        game: str = DEFAULT,
        ruleset: str | RulesetChoice = "seed",
        mode: Mode = "refereed",
        first_dealer: int | None = 0,
        visibility: Visibility = "public",
        game_id: UUID | None = None,
        command_id: UUID | None = None,
    ) -> RecordAnswer:
        """Open a game; the same command id gives the same game. Raises BadOptions."""
        asked = OpenGame(
            seats=list(seats),
            game=game,
            ruleset=ruleset,
            mode=mode,
            first_dealer=first_dealer,
            visibility=visibility,
            game_id=game_id,
        )
        return self._command("/v1/games", asked, command_id, {})

    def record(
        self,
        game_id: UUID,
        acts: Sequence[Act],
        expected_version: int | None,
        *,
        texts: Mapping[int, tuple[bytes, str]] | None = None,
        command_id: UUID | None = None,
        viewer: Viewer | None = None,
        dry_run: bool = False,
    ) -> RecordAnswer:
        """Append acts, all or none, to the version that the caller saw.

        *texts* gives the (salt, text) of a remark by its index. Raises StaleVersion, Refused, NotThere.
        """
        asked = RecordEvents(
            events=[msgspec.Raw(_body(act)) for act in acts],
            expected_version=expected_version,
            texts={
                str(index): Remark(salt=salt.hex(), text=text)
                for index, (salt, text) in (texts or {}).items()
            },
        )
        query = {"viewer": viewer, "dry_run": "true" if dry_run else None}
        return self._command(f"/v1/games/{game_id}/events", asked, command_id, query)

    def call(self, game_id: UUID, act: Act, *, viewer: Viewer | None = None) -> RecordAnswer:
        """Call "Rummy!": calls race, so they come without a version. Raises Refused, with what was recorded."""
        return self.record(game_id, (act,), None, viewer=viewer)

    def import_file(self, data: bytes, *, check: bool = False) -> ImportAnswer:
        """Take in a file of any known format, whole or not at all; with *check* nothing is stored."""
        raw = self._wire.ask(
            "POST",
            "/v1/import",
            query={"check": "true" if check else None},
            body=data,
            headers={"Content-Type": "application/octet-stream"},
        )
        return _read(raw, ImportAnswer)

    # Following

    def follow(
        self, game_id: UUID, *, after: int = 0, viewer: Viewer | None = None
    ) -> Iterator[EventLine]:
        """Yield the events after a version, later ones as they come, up to the one that ends the game.

        What a line hides stays hidden in it; read the game again when the deal has ended.
        """
        if self.game(game_id).status == "ended":
            yield from self.all_events(game_id, after=after, viewer=viewer)
            return
        for line in self._feed(self, game_id, after, viewer):
            yield line
            if msgspec.json.decode(line.event)["t"] == _LAST:
                return

    # Reading

    def games(
        self,
        *,
        game: str | None = None,
        status: Status | None = None,
        mode: Mode | None = None,
    ) -> Iterator[GameSummary]:
        """Yield the games there are, by id, asking for a page when it is needed."""
        query = {"game": game, "status": status, "mode": mode, "limit": 100}
        page = self._get("/v1/games", GamePage, query)
        yield from page.games
        while page.next is not None:
            page = self._get("/v1/games", GamePage, query | {"cursor": page.next})
            yield from page.games

    def game(self, game_id: UUID) -> GameDetail:
        """Return one game, with the event that opened it."""
        return self._get(f"/v1/games/{game_id}", GameDetail)

    def events(
        self, game_id: UUID, *, after: int = 0, limit: int = 200, viewer: Viewer | None = None
    ) -> EventPage:
        """Return a page of the events after a version."""
        query = {"after": after, "limit": limit, "viewer": viewer}
        return self._get(f"/v1/games/{game_id}/events", EventPage, query)

    def all_events(
        self, game_id: UUID, *, after: int = 0, viewer: Viewer | None = None
    ) -> Iterator[EventLine]:
        """Yield all events after a version, asking for a page when it is needed."""
        following: int | None = after
        while following is not None:
            page = self.events(game_id, after=following, limit=1000, viewer=viewer)
            yield from page.events
            following = page.next_after

    def state(
        self, game_id: UUID, *, at: int | None = None, viewer: Viewer | None = None
    ) -> StateAnswer:
        """Return the table at a version, the last by default."""
        return self._get(f"/v1/games/{game_id}/state", StateAnswer, {"at": at, "viewer": viewer})

    def timeline(self, game_id: UUID, *, viewer: Viewer | None = None) -> TimelineAnswer:
        """Return the course of the game: deals, turns, scores with their versions."""
        return self._get(f"/v1/games/{game_id}/timeline", TimelineAnswer, {"viewer": viewer})

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

    def audit(
        self,
        game_id: UUID,
        *,
        deal: int | None = None,
        ruleset: str | RulesetChoice | None = None,
        calls: bool = False,
        viewer: Viewer | None = None,
    ) -> AuditAnswer:
        """Return what breaks the rules, by the game's own ruleset or another."""
        asked = AskAudit(deal=deal, ruleset=ruleset, calls=calls, viewer=viewer)
        raw = self._wire.ask(
            "POST",
            f"/v1/games/{game_id}/audits",
            body=msgspec.json.encode(asked),
            headers={"Content-Type": _JSON},
        )
        return _read(raw, AuditAnswer)

    def export(
        self,
        game_id: UUID,
        form: Literal["ndjson", "txt", "csv", "html"] = "ndjson",
        *,
        viewer: Viewer | None = None,
    ) -> bytes:
        """Return a game as a file: the log with its hashes, the table notation, its events as CSV, or a replay."""
        path = f"/v1/games/{game_id}/export.{form}"
        accept = {"Accept": _FILES[form]}
        return self._wire.ask("GET", path, query={"viewer": viewer}, headers=accept)

    def export_all(self, since: int = 0, *, viewer: Viewer | None = None) -> tuple[bytes, int]:
        """Return what came into the archive after a position, as parts of games, and the position to go on from.

        Held in memory. Raises ClientError if it was cut off or altered on the way.
        """
        query = {"since": since, "viewer": viewer}
        raw = self._wire.ask("GET", "/v1/export", query=query, headers={"Accept": _NDJSON})
        found = ndjson.verify(BytesIO(raw))
        if found.position is None:
            raise ClientError(f"an export that does not hold: {found.first_bad}")
        return raw, found.position

    def _get(
        self, path: str, kind: type[T], query: Mapping[str, str | int | None] | None = None
    ) -> T:
        raw = self._wire.ask("GET", path, query=query, headers={"Accept": _JSON})
        return _read(raw, kind)

    def _command(
        self,
        path: str,
        asked: msgspec.Struct,
        command_id: UUID | None,
        query: Mapping[str, str | int | None],
    ) -> RecordAnswer:
        headers = {"Content-Type": _JSON, "Idempotency-Key": str(command_id or uuid4())}
        body = msgspec.json.encode(asked)
        raw = self._wire.ask("POST", path, query=query, body=body, headers=headers)
        return _read(raw, RecordAnswer)


def event_of(game: str, raw: msgspec.Raw) -> Any:
    """Return an answer's event as a struct of that game, an old shape as its newest one; raise CodecError."""
    return decode_stored(game, bytes(raw))


def _body(act: Act) -> bytes:
    return encode(act) if isinstance(act, Event) else msgspec.json.encode(act)


def _read(raw: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.MsgspecError as error:
        raise ClientError(f"an answer that is no {kind.__name__}: {error}") from error
