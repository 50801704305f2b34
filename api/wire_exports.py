"""What exports can be asked, as structs. Nothing here reads a request or a table."""

from typing import Annotated, Literal

from msgspec import Meta

from api.wire import ViewQuery

Position = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""A place in the ledger; 0 is before the first."""
Language = Literal["en", "ja"]
GameTable = Literal["events", "scores", "deals", "disputes", "rulings"]


class TableQuery(ViewQuery, frozen=True, kw_only=True):
    """Which table `GET /v1/games/{id}/export.csv` is to be."""

    table: GameTable = "events"


class FileQuery(ViewQuery, frozen=True, kw_only=True):
    """In which language `GET /v1/games/{id}/export.html` is to be, else what `Accept-Language` says."""

    lang: Language | None = None


class ExportQuery(ViewQuery, frozen=True, kw_only=True):
    """`GET /v1/export`: what came into the ledger after position `since` and up to `until`.

    `game` is the id of one game, or the name of the rules; `table` is for CSV alone, `lang` for HTML.
    """

    format: Literal["ndjson", "csv", "txt", "html"] = "ndjson"
    table: GameTable | None = None
    lang: Language | None = None
    since: Position = 0
    until: Position | None = None
    game: Annotated[str, Meta(max_length=60)] | None = None
