"""The hash of an event, which is stored for ever: pinned values and what they depend on."""

import struct
from hashlib import sha256
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.chain import MAX_VERSION, NIL_HEAD, event_hash, inner_hash, ledger_hash, text_hash

GAME = UUID("0190a5b0-0000-7000-8000-000000000001")
PERSON = UUID("0190a5b0-0000-7000-8000-000000000002")
SALT = bytes(range(16))

int64 = st.integers(-(2**63), 2**63 - 1)
hashes = st.binary(min_size=32, max_size=32)
salts = st.binary(min_size=16, max_size=16)


def test_an_inner_hash_is_pinned() -> None:
    assert inner_hash(SALT, '{"t":"ä"}'.encode()).hex() == (
        "b5c7ec831d3d41c74ded2a608a755856f3375a14c7ed27acf117b779ea9df72d"
    )


def test_an_event_hash_is_pinned() -> None:
    inner = inner_hash(SALT, '{"t":"ä"}'.encode())
    assert event_hash(GAME, 1, NIL_HEAD, 1_700_000_000_123_456, PERSON, inner).hex() == (
        "60109ebf23ea5474a3131efb8615dbb21127332d01ded5d852b0f59489ff3062"
    )


def test_a_text_hash_is_pinned() -> None:
    assert text_hash(SALT, "well played, Zoë").hex() == (
        "ebd4b0b56c806e0b36a6a71ee763c63c4a29b4434e6a67a6087880e976bc108a"
    )


@given(st.integers(1, MAX_VERSION), hashes, int64, hashes)
def test_an_event_hash_covers_its_fields_big_endian_after_a_prefix(
    version: int, previous: bytes, at: int, inner: bytes
) -> None:
    preimage = b"\0" + GAME.bytes + version.to_bytes(4, "big") + previous
    preimage += at.to_bytes(8, "big", signed=True) + PERSON.bytes + inner
    assert len(preimage) == 1 + 16 + 4 + 32 + 8 + 16 + 32
    assert event_hash(GAME, version, previous, at, PERSON, inner) == sha256(preimage).digest()


def test_a_hash_of_a_ledger_row_covers_its_fields_big_endian_after_a_prefix() -> None:
    head, at = bytes(range(32)), 1_700_000_000_123_456
    preimage = b"\3" + (2**33).to_bytes(8, "big") + NIL_HEAD + GAME.bytes
    preimage += (7).to_bytes(4, "big") + (9).to_bytes(4, "big") + head + at.to_bytes(8, "big")
    assert len(preimage) == 1 + 8 + 32 + 16 + 4 + 4 + 32 + 8
    assert ledger_hash(2**33, NIL_HEAD, GAME, 7, 9, head, at) == sha256(preimage).digest()
    assert (
        sha256(preimage).hexdigest()
        == "7db2ca71f584751f37117ada5dcb0ee88a02da1c5402d00be95a5ab812eeadd8"
    )


@given(salts, st.text())
def test_a_body_and_a_text_of_the_same_bytes_never_share_a_hash(salt: bytes, text: str) -> None:
    assert inner_hash(salt, text.encode()) != text_hash(salt, text)


@pytest.mark.parametrize("version", [2**31, -(2**31) - 1])
def test_a_version_beyond_four_bytes_has_no_hash(version: int) -> None:
    with pytest.raises(struct.error):
        event_hash(GAME, version, NIL_HEAD, 0, PERSON, NIL_HEAD)
