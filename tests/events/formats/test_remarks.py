"""Remarks in table notation: what is written is read again, in both games."""

from typing import Any

import pytest

from events.chain import text_hash
from events.common import Remarked
from events.errors import ActError, FormatError
from events.formats.notation import read
from events.formats.notation_writer import write_event, write_game
from events.formats.remarks import read_remark, write_remark
from tests.events.formats.test_loo_notation import EVENING
from tests.events.formats.test_notation import SHORT


def remark(seat: int | None = None, about: int | None = None) -> Remarked:
    return Remarked(seat=seat, text="0" * 64, about=about)


@pytest.mark.parametrize("about", [None, 1, 42])
def test_a_remark_is_written_and_read(about: int | None) -> None:
    words = write_remark(remark(about=about), "not  the\n seven")
    assert read_remark(words, 42) == (about, "not the seven")


@pytest.mark.parametrize(
    "words",
    ["remark about: x", "remark about 0: x", "remark about -1: x", "remark 3: x", "a remark: x"],
)
def test_what_is_no_remark_is_not_read_as_one(words: str) -> None:
    assert read_remark(words, 42) is None


def test_a_remark_cannot_be_about_what_comes_later() -> None:
    with pytest.raises(ActError, match="version 43, expected 1 to 42"):
        read_remark("remark about 43: x", 42)


@pytest.mark.parametrize("game", [SHORT, EVENING], ids=["rummy", "loo"])
def test_a_record_keeps_what_its_remarks_are_about(game: str) -> None:
    lines = [*game.strip().splitlines(), "A remark about 3: that hand", "remark about 4: and that"]
    first = one(lines)
    assert [(event.seat, event.about) for event in first.events[-2:]] == [(0, 3), (None, 4)]
    version = len(first.events)
    salt, text = first.remarks[version]
    assert (text, text_hash(salt, text).hex()) == ("and that", first.events[-1].text)
    texts = {version: text for version, (_, text) in first.remarks.items()}
    again = one(list(write_game(first.events, {}, texts)))
    assert [event.about for event in again.events[-2:]] == [3, 4]
    assert [text for _, text in again.remarks.values()] == list(texts.values())


@pytest.mark.parametrize("game", [SHORT, EVENING], ids=["rummy", "loo"])
def test_a_line_about_what_comes_later_is_bad(game: str) -> None:
    lines = [*game.strip().splitlines(), "remark about 999: that hand"]
    with pytest.raises(FormatError, match="about version 999") as caught:
        one(lines)
    assert caught.value.line == len(lines)


def test_a_single_remark_says_what_it_is_about() -> None:
    assert write_event("rummy500", remark(1, 7), 3, "hm") == "B remark about 7: hm"
    assert write_event("lanterloo", remark(None), 3) == "remark: (erased)"


def one(lines: list[str]) -> Any:
    (game,) = read("\n".join(lines).encode())
    return game
