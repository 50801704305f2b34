"""Events about the store itself: written in one way for ever, known to no game, taken over from no other store."""

from io import BytesIO
from uuid import UUID

import pytest

from events.administration import NAME, PersonErased
from events.chain import NIL_HEAD, event_hash, inner_hash
from events.codec import decode, decode_log, encode
from events.errors import CodecError, FormatError
from events.formats import ndjson
from events.games import GAMES
from events.records import Head, StoredEvent

PLAYER = "0197c3a2-5d1e-7f00-8a44-3f1d2c9b7e10"
BODY = b'{"t":"person_erased","v":1,"player":"%s","texts":3}' % PLAYER.encode()


def test_an_erasure_is_written_in_one_way() -> None:
    event = PersonErased(player=PLAYER, texts=3)
    assert encode(event) == BODY
    assert decode(NAME, BODY) == event
    assert decode_log(NAME, [BODY, BODY]) == [event, event]


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace(b"3}", b"-1}"),
        BODY.replace(b"3}", b'3,"name":"Ann"}'),
        BODY.replace(PLAYER.encode(), b"Ann Lee"),
        BODY.replace(b'"v":1', b'"v":2'),
        BODY.replace(b",", b", ", 1),
        BODY.replace(b"person_erased", b"game_ended"),
    ],
)
def test_nothing_else_is_read_as_one(body: bytes) -> None:
    with pytest.raises(CodecError):
        decode(NAME, body)


@pytest.mark.parametrize("game", GAMES)
def test_no_game_knows_it(game: str) -> None:
    assert NAME not in GAMES
    with pytest.raises(CodecError):
        decode(game, BODY)


def test_another_stores_administration_is_verified_and_not_imported() -> None:
    stream, salt = UUID(int=5), bytes(16)
    hash_ = event_hash(stream, 1, NIL_HEAD, 0, UUID(int=7), inner_hash(salt, BODY))
    head = Head(stream, "admin", NAME, "recorded", "private", 1, hash_, 0, 0)
    file = BytesIO()
    ndjson.write_game(file, head, [StoredEvent(stream, 1, 0, UUID(int=7), salt, hash_, BODY)], {})
    file.seek(0)
    assert ndjson.verify(file).ok
    file.seek(0)
    with pytest.raises(FormatError, match="line 1: another store's administration"):
        list(ndjson.read(file))
