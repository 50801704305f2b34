"""The schemas of `/openapi.json`: msgspec's own, under names that a reader of the document can tell apart.

What msgspec cannot know is added: events, which are taken from raw bytes; answers of which every field is always
written; fields that are of one type in each game. Answers no request.
"""

import re
from typing import Any, Final

import msgspec

from api.client_types import LooTimeline, RummyTimeline
from api.described import TABLE
from api.disputes_wire import ScoresShown
from api.parameters import REF, Json, mended
from api.problems import CODES
from api.wire import EventLine
from events.cards import ALL_CARDS
from events.disputes import DisputeEvent
from events.games import GAMES
from projections.audit import Unfinished

OPENED: Final = [f"{name}.GameOpened" for name in GAMES]
EVENTS: Final = [f"{name}.Event" for name in GAMES]
DISPUTE_EVENT: Final = "dispute.Event"
_FAMILIES: Final = {
    "events.rummy500.": "rummy500.",
    "events.lanterloo.": "lanterloo.",
    "projections.rummy500_course.": "rummy500.",
    "projections.lanterloo_course.": "lanterloo.",
    "events.disputes.": "dispute.",
    "projections.timeline.": "timeline.",
}
_PREFIX: Final = REF.format(name="")
_EVENT_FIELDS: Final = ("event", "events", "acts", "due", "happened")
_PLACES: Final[dict[tuple[str, str], tuple[Any, ...]]] = {
    ("GameDetail", "scores"): (ScoresShown,),
    ("TimelineAnswer", "timeline"): (RummyTimeline, LooTimeline),
    ("AuditAnswer", "unfinished"): (Unfinished | None,),
}
"""Fields that the service writes from values of types which their struct does not name, one of them each time."""


class Schemas:
    """The structs of the document, each once."""

    def __init__(self) -> None:
        self._types = [
            *{one for item in TABLE.values() for one in item.answers.values() if one is not None},
            *{item.body for item in TABLE.values() if item.body is not None},
            *(GAMES[name].event_type for name in GAMES),
            *(EventLine, DisputeEvent),
            *(kind for kinds in _PLACES.values() for kind in kinds),
        ]
        found, components = msgspec.json.schema_components(self._types, ref_template=REF)
        self._names = _names(components)
        self._found = [
            (kind, self._renamed(mended(schema)))
            for kind, schema in zip(self._types, found, strict=True)
        ]
        self._components = {
            self._names[name]: self._renamed(mended(schema)) for name, schema in components.items()
        }

    def of(self, kind: Any) -> Json:
        """Return the schema of a type of the table."""
        return next(schema for one, schema in self._found if one is kind or one == kind)

    def components(self) -> Json:
        """Return every schema by name."""
        made: Json = {name: self._told(name, one) for name, one in self._components.items()}
        for name, title in zip(GAMES, EVENTS, strict=True):
            made[title] = {"title": title} | self.of(GAMES[name].event_type)
        made[DISPUTE_EVENT] = {"title": DISPUTE_EVENT} | self.of(DisputeEvent)
        made["Event"] = {"title": "Event", "anyOf": [ref(one) for one in EVENTS]}
        made["Card"] = {"title": "Card", "description": _CARD, "enum": sorted(ALL_CARDS)}
        made["StreamEnd"] = _STREAM_END
        made["Problem"] = problem_schema()
        return dict(sorted(made.items()))

    def _told(self, name: str, schema: Json) -> Json:
        """Say of a struct what its own schema does not."""
        properties: Json = schema.get("properties", {})
        schema["title"] = name
        if "t" in properties:  # of an event every field is written
            schema["required"] = list(properties)
        elif "additionalProperties" not in schema:
            _always_written(schema)
        for field in _EVENT_FIELDS:
            _mark_events(properties, field, DISPUTE_EVENT if name == "Line" else "Event")
        if name == "GameDetail":
            properties["opened"] = {"anyOf": [ref(one) for one in OPENED]}
        for (struct, field), kinds in _PLACES.items():
            if struct == name:
                found = [self.of(kind) for kind in kinds]
                properties[field] = found[0] if len(found) == 1 else {"anyOf": found}
        return schema

    def _renamed(self, schema: Any) -> Any:
        match schema:
            case {"enum": list(words)} if set(words) == set(ALL_CARDS):
                return ref("Card")
            case dict():
                return {key: self._renamed(value) for key, value in schema.items()}
            case list():
                return [self._renamed(one) for one in schema]
            case str() if schema.startswith(_PREFIX):
                return REF.format(name=self._names[schema.removeprefix(_PREFIX)])
        return schema


def ref(name: str) -> Json:
    """Return the reference to a schema."""
    return {"$ref": REF.format(name=name)}


def _names(components: Json) -> dict[str, str]:
    """Return the document's names of msgspec's: without modules, but with the game where both games have one."""
    return {name: _name(name, schema) for name, schema in components.items()}


def _name(name: str, schema: Json) -> str:
    if "GameOpened" in name:
        rules = schema["properties"]["ruleset"]["$ref"]
        return next(opened for opened, game in zip(OPENED, GAMES, strict=True) if game in rules)
    for module, family in _FAMILIES.items():
        if name.startswith(module):
            return family + name.rpartition(".")[2]
    return re.sub(r"_$", "", name.rpartition(".")[2])


def _always_written(schema: Json) -> None:
    """Require of an answer what is written even where it is the default; what may be left out has none."""
    properties: Json = schema.get("properties", {})
    for one in properties.values():
        one["always"] = "default" in one
    required = set(schema.get("required", ()))
    schema["required"] = [
        name for name, one in properties.items() if one.pop("always") or name in required
    ]
    for one in properties.values():
        one.pop("default", None)


def _mark_events(properties: Json, field: str, name: str) -> None:
    """Say where events stand: they are taken from the raw bytes, so the struct does not."""
    if properties.get(field) == {}:
        properties[field] = ref(name)
    elif properties.get(field, {}).get("items") == {}:
        properties[field]["items"] = ref(name)


_CARD: Final = (
    "Rank and suit, `7H`, `TD`; with a prime from the second pack; `X1` to `X4` are jokers; `??` is a card that is "
    "hidden, or that nobody wrote down."
)
_STREAM_END: Final[Json] = {
    "title": "StreamEnd",
    "description": "The data of a stream's last message, of type `end`: why it ends, such as `bad_token` or "
    "`unknown_game`. Nobody may follow there any more.",
    "type": "object",
    "properties": {"code": {"type": "string"}},
    "required": ["code"],
}


def problem_schema() -> Json:
    """Return the schema of an error."""
    text = {"type": "string"}
    return {
        "title": "Problem",
        "description": "An error (RFC 9457); `code` never changes its meaning. Some codes have more members.",
        "type": "object",
        "properties": {
            "type": text | {"description": "`/v1/problems#` and the family of the code"},
            "title": text | {"description": "What the code means; the same each time"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "code": text
            | {
                "pattern": f"^(?:{'|'.join(CODES)})(?:/[A-Z0-9_]+)?$",
                "description": "What programs go by. Of `rule/...`, `ruleset/...` and `dispute/...` what follows "
                "the slash says which rule",
            },
            "detail": text | {"description": "What was wrong this time, for people: value and expectation"},
            "request_id": {"type": ["string", "null"], "description": "As in `X-Request-Id` and the log"},
            "rule": text | {"description": "Of 422 `rule/...` and `dispute/...`: the first rule broken"},
            "version": {"type": "integer", "description": "The version that the game has now"},
            "index": {"type": "integer", "description": "Of `bad_event` and `rule/...`: which event, from 0"},
            "line": {"type": "integer", "description": "Of `bad_file` and `altered_log`: which line, from 1"},
            "reason": text | {"description": "Of `bad_file` and `altered_log`: what is wrong with that line"},
            "game_id": text | {"format": "uuid", "description": "The game that it is about"},
        },
        "required": ["type", "title", "status", "code", "detail", "request_id"],
    }  # fmt: skip
