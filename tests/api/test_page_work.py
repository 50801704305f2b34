"""The work that a game's pages take grows with the game, not with its square: counted in calls, not in seconds."""

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any
from uuid import UUID

import pytest

from api.files import Filed
from api.viewer import standalone
from api.viewer.show import Show
from api.viewer.texts import TEXTS
from api.viewing import Eyes
from events.common import Remarked, Retracted
from events.records import Head
from tests.projections.tables import discard, record, take

FEW, FACTOR = 100, 4
GAME = record()


def remarks(count: int) -> list[Any]:
    return [Remarked(seat=1, text="0" * 64, about=2)] * count


def breaches(count: int) -> list[Any]:
    """A card that goes to and fro against the rules; the table stays as large as it is."""
    return [take(1, "JD"), discard(1, "JD")] * (count // 2)


def second_thoughts(count: int) -> list[Any]:
    pairs = (
        (discard(0, "KS"), Retracted(back_to=len(GAME), reason="MISTAKE")) for _ in range(count)
    )
    return [event for pair in pairs for event in pair][:count]


KINDS: dict[str, Callable[[int], list[Any]]] = {
    "remarks": remarks,
    "breaches": breaches,
    "second thoughts": second_thoughts,
}


def filed(more: list[Any]) -> Filed:
    log = [*GAME, *more]
    words = {v: (bytes(16), "w" * 40) for v, e in enumerate(log, 1) if isinstance(e, Remarked)}
    head = Head(UUID(int=5), "game", "rummy500", "recorded", "public", len(log), bytes(32), 0, 0)
    return Filed(head, [], log, {}, words)


def calls(work: Callable[[], object]) -> int:
    """How many functions, of any kind, are called."""
    found: Counter[str] = Counter()

    def count(_: FrameType, event: str, __: Any) -> None:
        found[event] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found["call"] + found["c_call"]


def whole_file(game: Filed) -> object:
    return standalone.write_page(game, eyes(game), "en")


def last_stretch(game: Filed) -> object:
    """What the page asks for of a long game: some lines and tables, and what stands beside them."""
    show = Show(game, eyes(game), TEXTS["en"])
    last = show.last
    lines = [show.line(version) for version in range(last - 20, last + 1)]
    return lines, list(show.moments(last - 20, last)), show.ticks(), show.jumps(), show.noted()


def eyes(game: Filed) -> Eyes:
    return Eyes.of("rummy500", game.events, None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", [whole_file, last_stretch])
def test_a_game_that_is_longer_takes_so_much_more_work_and_not_its_square(
    work: Callable[[Filed], object], kind: str
):
    few, many = (filed(KINDS[kind](count)) for count in (FEW, FACTOR * FEW))
    work(few)  # so that nothing is made for the first time
    took, takes = (calls(partial(work, one)) for one in (few, many))
    assert takes < took * FACTOR * 1.2, (took, takes)
