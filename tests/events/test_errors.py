"""Reasons: what other libraries say, in the way in which our own errors speak."""

import pytest

from events.errors import as_reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Object missing required field `t`", "object missing required field `t`"),
        ("JSON is malformed: invalid character", "JSON is malformed: invalid character"),
        ("NaN is no JSON number", "NaN is no JSON number"),
        ("key 'a' stands twice", "key 'a' stands twice"),
        ("", ""),
        ("X" * 400, "X" * 300),
    ],
)
def test_a_sentence_begins_small_and_a_name_stays_as_it_is(text: str, reason: str) -> None:
    assert as_reason(ValueError(text)) == reason
