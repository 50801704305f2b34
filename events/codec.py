"""Events to canonical text and back, strict both ways.

Canonical text is what `encode` writes: `t`, `v`, then every field in the order of its struct, no spaces.
A body is accepted only if encoding what it decodes to gives the same bytes again, which shuts out unknown
and doubled keys, missing fields, other key orders, `-0`, escapes and every other second way to write it.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from events.common import Event, GameOpened
from events.errors import CodecError, NotALogError
from events.games import GAMES
from events.streams import UNIONS
from events.upcasters import upcast

MAX_BODY: Final = 64 * 1024
MAX_DEPTH: Final = 16

_ENCODER: Final = msgspec.json.Encoder()
_DECODERS: Final = {name: msgspec.json.Decoder(union) for name, union in UNIONS.items()}


class _Opening(msgspec.Struct, frozen=True):
    """The two fields of a first event that say which game's rules read the rest."""

    t: str
    game: str = ""


_OPENING: Final = msgspec.json.Decoder(_Opening)


def encode(event: Event) -> bytes:
    """Return the canonical text of an event; raise CodecError for what cannot be written at all.

    Values are not checked against their shapes: that is done where they come in, by `decode`.
    """
    try:
        return _ENCODER.encode(event)
    except (msgspec.EncodeError, UnicodeEncodeError, TypeError) as error:
        raise CodecError(f"not an event that can be written: {error}") from error


def decode(game: str, body: bytes) -> Any:
    """Return the event that *body* is the canonical text of; raise CodecError with the reason if none.

    A body in a shape that has been replaced is held to the canonical text of its own shape.
    """
    _check_size(body)
    event, as_written = _read(game, body)
    written = _ENCODER.encode(as_written)
    if written != body:
        raise CodecError(f"not canonical: {_show(body)}, expected {_show(written)}")
    return event


def decode_stored(game: str, body: bytes) -> Any:
    """Return the event of a body that the codec has written before, brought to its current shape.

    For bodies read from the store, where they were checked when they came in.
    """
    return _read(game, body)[0]


def canonical(game: str, body: bytes) -> bytes:
    """Return the canonical text, in the shape that it has, of a body that may be spelled in another way.

    What a body leaves out or has too much is not told: compare the two.
    """
    _check_size(body)
    return _ENCODER.encode(_read(game, body)[1])


def _read(game: str, body: bytes) -> tuple[Any, Any]:
    """Return the event of a body, and the same in the shape that the body has."""
    try:
        event = _DECODERS[game].decode(body)
    except KeyError:
        raise CodecError(f"no such game: {game!r}, expected one of {', '.join(GAMES)}") from None
    except RecursionError:
        raise CodecError(f"nested deeper than {MAX_DEPTH} levels") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        older = _read_older(game, body)
        if older is None:
            raise CodecError(f"not an event of {game}: {_reason(error)}") from error
        return older
    return event, event


def _read_older(game: str, body: bytes) -> tuple[Any, Any] | None:
    """Return the event of a body in a shape that has been replaced, None if it is in none."""
    try:
        lifted = upcast(game, body)
        if lifted is None:
            return None
        return msgspec.convert(lifted.values, UNIONS[game]), lifted.written
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CodecError(f"not an event of {game} as it once was: {_reason(error)}") from error


def decode_log(game: str, bodies: Sequence[bytes]) -> list[Any]:
    """Return the events of many stored bodies, as `decode_stored` does one by one."""
    decoder = _DECODERS.get(game)
    if decoder is not None:
        decode = decoder.decode
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return [decode(body) for body in bodies]
    return [decode_stored(game, body) for body in bodies]


def decode_opening(body: bytes) -> GameOpened[Any]:
    """Return the first event of a log, whatever its game."""
    _check_size(body)
    try:
        opening = _OPENING.decode(body)
    except RecursionError:
        raise CodecError(f"nested deeper than {MAX_DEPTH} levels") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotALogError(f"not an event: {_reason(error)}") from error
    if opening.t != "game_opened":
        raise NotALogError(f"a game's log begins with game_opened, not {opening.t[:40]!r}")
    opened: GameOpened[Any] = decode(opening.game, body)
    return opened


def _check_size(body: bytes) -> None:
    if len(body) > MAX_BODY:
        raise CodecError(f"body of {len(body)} bytes, expected <= {MAX_BODY}")
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _depth(body) > MAX_DEPTH:
        raise CodecError(f"nested deeper than {MAX_DEPTH} levels")


def _depth(body: bytes) -> int:
    deepest = depth = 0
    for byte in body:
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _show(body: bytes) -> str:
    text = body.decode("utf-8", "replace")
    return text if len(text) <= 160 else text[:157] + "..."


def _reason(error: Exception) -> str:
    return str(error)[:300]
