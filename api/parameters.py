"""What every parameter of an address or a header means, in words, for `/openapi.json`.

By name; where a name means something else at one address, by that address's struct too. A test asks for each
parameter that there is. Answers no request.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from api import examples
from api.wire import NoQuery

Json = dict[str, Any]

REF: Final = "#/components/schemas/{name}"

PATH: Final[dict[str, Json]] = {
    "game_id": {
        "description": "A game's id, with hyphens, in letters of either case.",
        "schema": {"type": "string", "format": "uuid"},
    },
    "dispute_id": {
        "description": "A dispute's id, with hyphens, in letters of either case.",
        "schema": {"type": "string", "format": "uuid"},
    },
    "card": {
        "description": "Rank and suit, `7H`, `TD`; a prime for the copy from the second pack, `7H'`; jokers are "
        "`X1` to `X4`.",
        "schema": {"type": "string", "pattern": "^(?:[A2-9TJQK][SHDC]'?|X[1-4])$"},
    },
    "name": {
        "description": "A file of the page, as its pages name it.",
        "schema": {"type": "string", "pattern": r"^[a-z_]{1,40}\.(?:js|css|svg)$"},
    },
}
HEADERS: Final[dict[str, Json]] = {
    "Idempotency-Key": {
        "description": "A UUID, or other words, of the client's own for this command: sent again it stores nothing "
        "and gets the first answer. 1 to 200 visible ASCII characters without a comma; quotes around it are dropped.",
        "schema": {"type": "string", "pattern": "^[!#-+.-~-]{1,200}$"},
    },
    "Last-Event-ID": {
        "description": "The version of the last event that came; the stream goes on after it. Wins over `after`.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,10}$"},
    },
}
_VIEWER: Final = {"type": "string", "enum": ["public", "all", *map(str, range(8))]}
WORDS: Final[dict[str, str]] = {
    "act": "An act in table notation, to be judged.",
    "after": "Only events after this version; 0 is before the first.",
    "at": "The version to show; the newest by default.",
    "bias": "Of what size a bias has to be seen, in special cards a hand.",
    "by": "Of what the most comes first; `player` is by id.",
    "card": "A card to be found.",
    "check": "Only look at the file: nothing is stored.",
    "code": "Of this code, in capitals, such as `REVOKE`.",
    "cursor": "Where the page begins: `next` of the page before, unchanged. Good for the same list and order.",
    "deal": "The number of a deal, counted from 1.",
    "dealer": "Only deals that this player dealt, by id.",
    "dispute": "The dispute that the form is about, by id.",
    "do": "What the form is for.",
    "dry_run": "Only judge: nothing is stored, and no event is shown that came of it.",
    "edge": "Of what size an edge has to be seen: how much more often than half a position is ahead of a seat.",
    "embed": "`1`: without the frame of the page.",
    "findings": "Whether there are breaches that may be told.",
    "first": "The first version of the stretch.",
    "format": "What the stream is written in.",
    "free": "`1`: with nothing of what comes later.",
    "from": "The first version, included.",
    "game": "By the rules of this game.",
    "game_id": "About this game, by id.",
    "lang": "The language, in place of what `Accept-Language` asks for.",
    "last": "The last version of the stretch.",
    "limit": "The most of one page.",
    "lines": "`1`: with the lines of the list of moves.",
    "mode": "Refereed (judged while it is played) or recorded (written down).",
    "next": "An address of this service, its path first, to go on to.",
    "player": "Of this player, by id.",
    "players": "Up to eight ids with commas between them: games at which all of them sit.",
    "q": "How a player's name, or a game's id, begins.",
    "rule": "Of this rule, such as `R-6.7` or `L-8.1`.",
    "ruled": "`1`: scores as ruled, not as played.",
    "ruleset": "By a ruleset of this name.",
    "scores": "With the scores, as played and as ruled.",
    "search": "How a player's name, whatever the case, or the game's id begins (four digits of it at least).",
    "seat": "The seat, counted from 0 clockwise; that of the turn by default.",
    "severity": "Breaches, or what could not be checked.",
    "since": "Games that went on at this moment or later. RFC 3339 with an offset; a `+` is written `%2B`.",
    "standing": "Disputes that stand like that.",
    "status": "Still open, or ended (abandoned ones too).",
    "table": "Which table.",
    "tag": "Decisions under this word.",
    "to": "The last version, included; the newest by default.",
    "until": "Games that had begun before this moment. RFC 3339 with an offset; a `+` is written `%2B`.",
    "viewer": "Whose view: `public`, `all` or a seat counted from 0. It narrows what is open, and never widens it.",
    "words": "Words that all stand in the reasons of a decision, whatever their case.",
}
_ELSEWHERE: Final[dict[tuple[str, str], str]] = {
    ("ExportQuery", "game"): "Only this game, by id, or only games by these rules: `rummy500`, `lanterloo`.",
    ("ExportQuery", "since"): "After this position of the ledger: the `position` of the last trailer, or of the last "
    "whole part of a stream that was cut off.",
    ("ExportQuery", "until"): "Up to this position of the ledger, included; the newest by default.",
    ("ExportQuery", "table"): "Which table; with `format=csv` alone, where it is `events` by default.",
    ("ReportQuery", "ruleset"): "A preset to be put beside the game's own ruleset.",
    ("ReportPageQuery", "ruleset"): "A preset to be put beside the game's own ruleset.",
    ("ChancesPageQuery", "since"): "Games that went on on this day or later, `2026-01-31`.",
    ("ChancesPageQuery", "until"): "Games that had begun before this day, `2026-01-31`.",
    ("LegalQuery", "limit"): "The most acts that are listed; `more` says whether there are others.",
    **{
        (kind, "seat"): "Whose view: a seat counted from 1; 0 shows all hands."
        for kind in ("ReplayQuery", "StepsQuery", "ReportPageQuery")
    },
}  # fmt: skip


def of_path(names: list[str]) -> Iterator[Json]:
    """Return the parameters that are parts of an address."""
    for name in names:
        yield {"name": name, "in": "path", "required": True} | PATH[name] | examples.parameter(name)


def of_query(kind: type[Any]) -> Iterator[Json]:
    """Return the parameters that a struct reads from an address."""
    if kind is NoQuery:
        return
    (_,), components = msgspec.json.schema_components([kind], ref_template=REF)
    schema = mended(components[kind.__name__])
    for name, one in schema["properties"].items():
        yield {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": _ELSEWHERE.get((kind.__name__, name)) or WORDS[name],
            "schema": _VIEWER if name == "viewer" else _without_null(one),
        }


def of_headers(names: tuple[str, ...]) -> Iterator[Json]:
    """Return the parameters that are headers."""
    for name in names:
        yield {"name": name, "in": "header", "required": False} | HEADERS[name]


def _without_null(schema: Json) -> Json:
    """Return the schema of a parameter, which is there or not, but never null."""
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(kinds) > 1 and all("enum" in one for one in kinds):
        words = [word for one in kinds for word in one["enum"]]
        kinds, schema = [], {"enum": words, "default": schema.get("default")}
    found = kinds[0] if len(kinds) == 1 else schema | ({"anyOf": kinds} if kinds else {})
    if "enum" in found:
        found = {"type": "string"} | found | {"enum": [x for x in found["enum"] if x is not None]}
    return {key: value for key, value in found.items() if key != "default" or value is not None}


def mended(schema: Any) -> Any:
    r"""Return msgspec's schema with patterns as every language reads them (`\Z` is Python's)."""
    match schema:
        case dict():
            return {
                key: value.replace(r"\Z", "$") if key == "pattern" else mended(value)
                for key, value in schema.items()
            }
        case list():
            return [mended(one) for one in schema]
    return schema
