"""The client's part that writes: games opened, acts recorded, files taken in. Each counts once, however often it is sent."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

import msgspec

from api.client_asking import JSON, Asking, switch
from api.client_errors import decoded
from api.wire import (
    ImportAnswer,
    OpenGame,
    Person,
    RecordAnswer,
    RecordEvents,
    Remark,
    RulesetChoice,
    Viewer,
    Visibility,
)
from events.codec import encode
from events.common import Event
from events.games import DEFAULT

Mode = Literal["refereed", "recorded"]
Act = Event | Mapping[str, Any]
"""An event of `events`, or what its JSON says."""


class Recording(Asking):
    """Opening, recording, taking in."""

    def open_game(
        self,
        seats: Sequence[str | Person],
        *,
        game: str = DEFAULT,
        ruleset: str | RulesetChoice = "seed",
        mode: Mode = "refereed",
        first_dealer: int | None = 0,
        visibility: Visibility = "public",
        source: str | None = None,
        game_id: UUID | None = None,
        command_id: UUID | None = None,
        viewer: Viewer | None = None,
    ) -> RecordAnswer:
        """Open a game; the same command id, or game id, gives the same game. Raises BadOptions, OtherGame."""
        asked = OpenGame(
            seats=list(seats),
            game=game,
            ruleset=ruleset,
            mode=mode,
            first_dealer=first_dealer,
            visibility=visibility,
            source=source,
            game_id=game_id,
        )
        return self._command("/v1/games", asked, RecordAnswer, command_id, {"viewer": viewer})

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
        query = {"viewer": viewer, "dry_run": switch(dry_run or None)}
        path = f"/v1/games/{game_id}/events"
        return self._command(path, asked, RecordAnswer, command_id, query)

    def call(self, game_id: UUID, act: Act, *, viewer: Viewer | None = None) -> RecordAnswer:
        """Call "Rummy!": calls race, so they come without a version. Raises Refused, with what was recorded."""
        return self.record(game_id, (act,), None, viewer=viewer)

    def import_file(self, data: bytes, *, check: bool = False) -> ImportAnswer:
        """Take in a file of any known format, whole or not at all; with *check* nothing is stored.

        Sent again after its answer was lost, the games that it brought are told as `present`. Raises BadFile,
        OtherHead.
        """
        raw = self._wire.ask(
            "POST",
            "/v1/import",
            query={"check": switch(check or None)},
            body=data,
            headers={"Content-Type": "application/octet-stream", "Accept": JSON},
        )
        return decoded(raw, ImportAnswer)


def _body(act: Act) -> bytes:
    return encode(act) if isinstance(act, Event) else msgspec.json.encode(act)
