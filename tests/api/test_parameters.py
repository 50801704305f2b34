"""Who gets a parameter of an address wrong is told which there are, or which words it takes."""

from typing import Any

import msgspec
import pytest
from flask import Flask

from api import parsing
from api.described import TABLE
from events.errors import RequestError
from tests.api.test_twins import words_of

QUERIES = {
    str(one.query.__name__): one.query for one in TABLE.values() if getattr(one, "query", None)
}
WORDS = [
    (name, field.encode_name)
    for name, kind in QUERIES.items()
    for field in msgspec.structs.fields(kind)
    if words_of(field.type)
]


def told(kind: Any, **asked: str) -> str:
    with (
        Flask("asked").test_request_context("/", query_string=asked),
        pytest.raises(RequestError) as said,
    ):
        parsing.query(kind)
    assert said.value.code == "bad_query"
    return str(said.value)


@pytest.mark.parametrize("name", QUERIES)
def test_one_that_is_not_there_is_answered_by_those_that_are(name: str):
    kind = QUERIES[name]
    said = told(kind, colour="red")
    assert "no parameter 'colour', expected" in said
    for field in msgspec.structs.fields(kind):
        assert field.encode_name in said


@pytest.mark.parametrize(("name", "parameter"), WORDS)
def test_a_word_that_it_does_not_take_is_answered_by_those_that_it_does(name: str, parameter: str):
    kind = QUERIES[name]
    field = next(one for one in msgspec.structs.fields(kind) if one.encode_name == parameter)
    said = told(kind, **{parameter: "lost"})
    assert f"parameter {parameter} is 'lost', expected one of" in said
    for word in words_of(field.type):
        assert word in said


def test_there_are_some():
    assert len(WORDS) > 5
