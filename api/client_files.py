"""The client's part that takes files out: one game in any format, and the archive, whole or what is new of it.

As bytes, as pieces that come, or into a file that is there only when it is whole.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal
from uuid import UUID, uuid4

from api.client_answers import Answer
from api.client_archive import Archive, Part, ndjson_lines, parts, table_lines
from api.client_asking import ONCE, Asking
from api.client_errors import CutOff
from api.client_wire import Query
from api.wire import Viewer
from api.wire_exports import GameTable, Language

Form = Literal["ndjson", "txt", "csv", "html"]
ArchiveForm = Form

_TYPES: Final = {
    "ndjson": "application/x-ndjson",
    "txt": "text/plain",
    "csv": "text/csv",
    "html": "text/html",
}


class Files(Asking):
    """Exports."""

    def export(
        self,
        game_id: UUID,
        form: Form = "ndjson",
        *,
        table: GameTable | None = None,
        lang: Language | None = None,
        viewer: Viewer | None = None,
    ) -> bytes:
        """Return a game as a file: the log with its hashes, the table notation, a table as CSV, or a replay.

        *table* is for CSV, *lang* for HTML.
        """
        query = {"viewer": viewer, "table": table, "lang": lang}
        return self._raw(_address(game_id, form), query, accept=_TYPES[form])

    def export_pieces(
        self,
        game_id: UUID,
        form: Form = "ndjson",
        *,
        table: GameTable | None = None,
        lang: Language | None = None,
        viewer: Viewer | None = None,
    ) -> Iterator[bytes]:
        """Yield the same piece by piece; raise Unreachable if it is cut off, which only its end can tell."""
        query = {"viewer": viewer, "table": table, "lang": lang}
        headers = {"Accept": _TYPES[form]}
        with self._wire.open(_address(game_id, form), query=query, headers=headers) as answer:
            yield from answer.chunks()

    def export_to(
        self,
        path: Path | str,
        game_id: UUID,
        form: Form = "ndjson",
        *,
        table: GameTable | None = None,
        lang: Language | None = None,
        viewer: Viewer | None = None,
    ) -> int:
        """Write the same into a file, in the place of one that is there, once it is whole; return its bytes."""
        pieces = self.export_pieces(game_id, form, table=table, lang=lang, viewer=viewer)
        return _write(Path(path), pieces)

    def archive(
        self,
        since: int = 0,
        until: int | None = None,
        *,
        form: ArchiveForm = "ndjson",
        table: GameTable | None = None,
        lang: Language | None = None,
        game: str | UUID | None = None,
        viewer: Viewer | None = None,
    ) -> Archive:
        """Return what came into the archive after a position, as lines that are checked while they come.

        *game* is one game's id, or the name of its rules; *table* is for CSV, *lang* for HTML, of which one file
        holds so many games: go on from its position until that is the one before.
        """
        query = _asked(until, form, game, viewer) | {"table": table, "lang": lang}
        if form == "ndjson":
            retries, sleep = self._wire.retries, self._wire.sleep
            return Archive(
                ndjson_lines(lambda at: self._stretch(at, form, query), since, retries, sleep)
            )
        return Archive(table_lines(self._stretch(since, form, query)))

    def archive_to(
        self,
        path: Path | str,
        since: int = 0,
        until: int | None = None,
        *,
        form: ArchiveForm = "ndjson",
        table: GameTable | None = None,
        lang: Language | None = None,
        game: str | UUID | None = None,
        viewer: Viewer | None = None,
    ) -> int:
        """Write the same into a file, in the place of one that is there, once it is whole and holds.

        Returns the position that the next file goes on from.
        """
        lines = self.archive(
            since, until, form=form, table=table, lang=lang, game=game, viewer=viewer
        )
        _write(Path(path), lines)
        return _position(lines)

    def parts(
        self,
        since: int = 0,
        until: int | None = None,
        *,
        game: str | UUID | None = None,
        viewer: Viewer | None = None,
    ) -> Iterator[Part]:
        """Yield what came into the archive after a position, row by row of its ledger; each says its own position."""
        query = _asked(until, "ndjson", game, viewer)
        return parts(
            lambda at: self._stretch(at, "ndjson", query),
            since,
            self._wire.retries,
            self._wire.sleep,
        )

    def export_all(self, since: int = 0, *, viewer: Viewer | None = None) -> tuple[bytes, int]:
        """Return what came into the archive after a position, held in memory, and the position to go on from."""
        lines = self.archive(since, viewer=viewer)
        return b"".join(lines), _position(lines)

    def _stretch(self, since: int, form: ArchiveForm, query: Query) -> Answer:
        # Of what can be gone on with, whoever goes on with it counts the attempts.
        return self._wire.open(
            "/v1/export",
            query={**query, "since": since},
            headers={"Accept": _TYPES[form]},
            retries=ONCE if form == "ndjson" else None,
        )


def _address(game_id: UUID, form: Form) -> str:
    return f"/v1/games/{game_id}/export.{form}"


def _asked(
    until: int | None,
    form: ArchiveForm,
    game: str | UUID | None,
    viewer: Viewer | None,
) -> dict[str, str | float | None]:
    return {
        "until": until,
        "format": form,
        "game": None if game is None else str(game),
        "viewer": viewer,
    }


def _position(lines: Archive) -> int:
    if lines.position is None:
        raise CutOff("an export that has not come to its end")
    return lines.position


def _write(path: Path, pieces: Iterable[bytes]) -> int:
    """Write beside the file that is meant, and put it in its place once it is whole; leave nothing else."""
    beside = path.with_name(f".{uuid4().hex}.part")
    try:
        with beside.open("xb") as file:
            size = sum(map(file.write, pieces))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return size
