"""Texts of answers that have a shape, for the document alone: nothing is checked by them when an answer is written.

What a field can be is told to whoever reads `/openapi.json`; what is read from requests has types that check.
"""

from typing import Annotated, Any, get_args

from msgspec import Meta

from events.common import Mode as PlayMode
from events.disputes import Decision as Decided
from events.disputes import Remedy as Wanted
from events.disputing import Standing as Stands
from events.games import GAMES


def _said(schema: dict[str, Any]) -> Meta:
    return Meta(extra_json_schema=schema)


def _one_of(*words: str) -> Meta:
    return _said({"enum": list(words)})


Time = Annotated[str, _said({"format": "date-time"})]
"""RFC 3339 in UTC, microseconds."""
Sha256 = Annotated[str, _said({"pattern": "^[0-9a-f]{64}$"})]
Salt = Annotated[str, _said({"pattern": "^[0-9a-f]{32}$"})]
Id = Annotated[str, _said({"format": "uuid"})]

GameKind = Annotated[str, _one_of(*GAMES)]
Mode = Annotated[str, _one_of(*get_args(PlayMode))]
Visibility = Annotated[str, _one_of("public", "unlisted", "private")]
Status = Annotated[str, _one_of("open", "ended")]
Severity = Annotated[str, _one_of("breach", "unchecked")]
Standing = Annotated[str, _one_of(*get_args(Stands))]
Decision = Annotated[str, _one_of(*get_args(Decided))]
Remedy = Annotated[str, _one_of(*get_args(Wanted))]
