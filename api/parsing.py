"""Reading requests: strict JSON, strict parameters, accepted types, the command id.

Everything that a client can get wrong about the form of a request is refused here, as RequestError
with a code of `api.problems`. Nothing here reads the database.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID, uuid5

import msgspec
from flask import request
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from api.wire import Viewer
from events.codec import canonical, decode
from events.errors import CodecError, RequestError, as_reason
from projections.explain import LANGUAGES, Language

T = TypeVar("T")
Q = TypeVar("Q", bound=msgspec.Struct)
F = TypeVar("F", bound=Callable[..., Any])

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
PLAIN: Final = "text/plain"
HTML: Final = "text/html"

_KEY: Final = re.compile(r"[!-+.-~-]{1,200}")
_WHOLE: Final = re.compile(r"-?[0-9]+")
_UTF8: Final = frozenset({"utf-8", "utf8", "us-ascii"})
_CHARSET: Final = re.compile(r""";\s*charset\s*=\s*"?utf-?8"?""", re.IGNORECASE)
# Under which a client's own words become command ids.
_KEYS: Final = UUID("6c616e74-6572-4c6f-876b-657973000001")


def body(kind: type[T], *, optional: bool = False) -> T:
    """Return the request's JSON body; an empty one means `{}` where it is optional.

    Refused: another content type, bad UTF-8, doubled keys, unknown fields, NaN, deep nesting.
    """
    if not optional or request.content_length:
        _check_type()  # first: who waits to be told to send it should not send it in vain
    raw = request.get_data(cache=False)
    if request.content_length is None:
        request.stream.read(1)  # a body without a length is cut at the limit: one byte more raises
    if optional and not raw:
        return msgspec.json.decode(b"{}", type=kind)
    _check_type()
    _refuse_loose_json(raw)
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise RequestError("bad_body", as_reason(error)) from error
    except msgspec.DecodeError as error:
        raise RequestError("bad_json", as_reason(error)) from error


def _check_type() -> None:
    check_coding()
    if request.mimetype != JSON:
        raise RequestError(
            "wrong_media_type", f"body of type {request.mimetype or 'none'!r}, expected {JSON}"
        )


def check_coding() -> None:
    """Refuse a body that is compressed: what it comes to is not known before it is too much.

    And one that says it is written in other letters than UTF-8: it would be read as what it is not.
    """
    coding = request.headers.get("Content-Encoding", "identity")
    if coding.lower() != "identity":
        raise RequestError("wrong_media_type", f"body in coding {coding[:40]!r}, expected it plain")
    charset = request.mimetype_params.get("charset", "utf-8")
    if charset.lower() not in _UTF8:
        raise RequestError("wrong_media_type", f"body in charset {charset[:40]!r}, expected UTF-8")


def query(kind: type[Q]) -> Q:
    """Return the address's parameters; unknown and doubled ones are refused, and such with a NUL."""
    doubled = [name for name, values in request.args.lists() if len(values) > 1]
    if doubled:
        raise RequestError("bad_query", f"parameter {doubled[0][:40]!r} is given twice")
    for name, value in request.args.items():
        if "\0" in value:  # PostgreSQL's text cannot hold it, nor does anything that we keep
            raise RequestError("bad_query", f"parameter {name[:40]!r} holds a NUL, expected none")
    try:
        found = msgspec.convert(request.args.to_dict(), kind, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError("bad_query", _expected(kind) or as_reason(error)) from error
    for field in msgspec.structs.fields(kind):
        if field.encode_name in request.args:
            _check_text(
                field.encode_name, request.args[field.encode_name], getattr(found, field.name)
            )
    return found


def _expected(kind: type[msgspec.Struct]) -> str | None:
    """Return what is wrong with a parameter that is not there, or that takes a few words, with those that it takes."""
    known = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for name, text in request.args.items():
        if name not in known:
            there = f"one of {', '.join(known)}" if known else "none"
            return f"no parameter {name[:40]!r}, expected {there}"
        words = _words(known[name])
        if words and text not in words:
            return f"parameter {name} is {text[:40]!r}, expected one of {', '.join(words)}"
    return None


def _words(kind: object) -> tuple[str, ...]:
    """Return the words that a parameter takes, none if it takes others as well."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    named = [one for one in kinds if one not in (NoneType, msgspec.UnsetType)]
    if any(get_origin(one) is not Literal for one in named):
        return ()
    return tuple(str(word) for one in named for word in get_args(one))


def _check_text(name: str, text: str, value: object) -> None:
    """Refuse a parameter's text that msgspec takes for a value which a JSON body could not give like that."""
    if value is None:
        raise RequestError("bad_query", f"parameter {name} is null")
    if type(value) is int and not _WHOLE.fullmatch(text):  # 3.0, 1e2
        raise RequestError("bad_query", f"parameter {name} is {text[:20]!r}, expected whole digits")
    if isinstance(value, datetime) and ":" not in text:  # would be seconds since 1970
        reason = f"parameter {name} is a number, expected a time as of RFC 3339"
        raise RequestError("bad_query", reason)


def viewer(text: str | None) -> Viewer | None:
    """Return the viewer that a parameter names: public, all or a seat."""
    match text:
        case None:
            return None
        case "public" | "all":
            return text
        case "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7":
            return int(text)
    raise RequestError("bad_query", f"viewer {text[:20]!r}, expected public, all or a seat, 0 to 7")


def events(game: str, raw: Sequence[msgspec.Raw]) -> list[Any]:
    """Return the events of a request, each from its own bytes.

    Order of keys and spaces are the client's own affair; every field must be there, none may be unknown.
    What is stored is the canonical text of today's shape, whatever came in; an older one is lifted to it.
    """
    found = []
    for index, one in enumerate(raw):
        try:
            found.append(_event(game, bytes(one)))
        except CodecError as error:
            raise RequestError("bad_event", f"event {index}: {error}", index=index) from error
    return found


def _event(game: str, raw: bytes) -> Any:
    written = canonical(game, raw)
    if json.loads(raw) != json.loads(written):
        raise CodecError(f"fields are missing or out of shape, expected e.g. {written.decode()}")
    return decode(game, written)


def command_id(owner: UUID) -> UUID | None:
    """Return the command id that the header Idempotency-Key stands for, None without one.

    The same key of two owners (a token's id, nil for nobody) stands for two commands: nobody gets an answer
    that was another's. Of nobody's keys a UUID is taken as it is; any other text is a command of its own.
    """
    given = request.headers.get("Idempotency-Key")
    if given is None:
        return None
    key = given.strip().strip('"')
    if not _KEY.fullmatch(key):
        reason = (
            f"Idempotency-Key {given[:60]!r}, expected 1 to 200 visible ASCII characters, no comma"
        )
        raise RequestError("bad_idempotency_key", reason)
    try:
        plain = UUID(key)
    except ValueError:
        plain = uuid5(_KEYS, key)
    return uuid5(owner, str(plain)) if owner.int else plain


def language() -> Language:
    """Return the language of sentences that the reader likes best, English if none of ours."""
    best = request.accept_languages.best_match(LANGUAGES, "en")
    return "ja" if best == "ja" else "en"


def produces(*types: str) -> Callable[[F], F]:
    """Say which types a view can answer with, for `accepted` and the check before every request."""

    def note(view: F) -> F:
        view.produces = types  # type: ignore[attr-defined]
        return view

    return note


def accepted(types: Sequence[str]) -> str:
    """Return the one of these types that the client likes best."""
    if not request.headers.get("Accept", "").strip():
        return types[0]
    # All that is written here is UTF-8: who asks for that by name asks for nothing else.
    wanted = _CHARSET.sub("", request.headers["Accept"])
    best = parse_accept_header(wanted, MIMEAccept).best_match(types)
    if best is None:
        raise RequestError("not_acceptable", f"there is {' or '.join(types)} at this address")
    return best


def _refuse_loose_json(raw: bytes) -> None:
    """Refuse what a JSON reader may take in more than one way."""
    try:
        json.loads(raw.decode(), object_pairs_hook=_refuse_doubled, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise RequestError("bad_json", f"body that is not UTF-8: {error.reason}") from error
    except RecursionError:
        raise RequestError("bad_json", "body nested too deep") from None
    except (json.JSONDecodeError, _Loose) as error:
        raise RequestError("bad_json", as_reason(error)) from error
    except ValueError as error:
        raise RequestError("bad_json", "a number of thousands of digits") from error


class _Loose(ValueError):
    """What one reader of JSON may take otherwise than another."""


def _refuse_doubled(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Loose(f"key {twice[:40]!r} stands twice in one object")
    return found


def _refuse_constant(word: str) -> float:
    raise _Loose(f"the word {word} where JSON has a number")
