"""A card that nobody may see is in no answer and in no log. Apart from the twins, whose two stores are asked alike."""

import random
import re
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from events.common import DealEnded
from tests.api.test_twins import KINDS
from tests.api.twin_asks import ADDRESSES, claim
from tests.api.twin_stores import NUMBERS, Pair, Person
from tests.api.twin_stores import pair as pair  # noqa: PLC0414 - a fixture
from tests.api.twin_words import Table
from tests.api.twins import cards_in
from tests.seeing import seen_by

pytestmark = [pytest.mark.store, pytest.mark.http]

CANARY = "QS"


@pytest.mark.parametrize("kind", ["rummy500", "loo5", "loo3"])
def test_a_card_that_nobody_has_seen_is_in_no_answer_and_no_log(
    pair: Pair, kind: str, capfd: pytest.CaptureFixture[str]
):
    """A queen of spades lies where the viewer cannot see her; nothing that he is answered, or that is logged, names her."""
    log = next(found for seed in count() for found in [with_canary(kind, seed)] if found)
    game_id = UUID(int=next(NUMBERS))
    here = pair.stores[0]
    here.keep(game_id, log)
    for viewer in ("public", 1):
        seen = seen_by(log[0].game, log, viewer)
        table = Table(str(game_id), viewer, seen, random.Random(3))
        who = Person(here, here.bearer(game_id, viewer), here.dispute(table, [], claim(table)))
        for endpoint, asks in ADDRESSES.items():
            for ask in asks(table):
                if CANARY not in f"{ask}" and endpoint not in ELSEWHERE:
                    assert not names_her(who.ask(ask).whole), (endpoint, ask)
                    assert not names_her(who.ask(ask).lines), (endpoint, ask)
        told = b"".join(who.follow(f"/v1/games/{game_id}/stream?viewer=all", len(log), {}))
        assert not names_her(told)
    captured = capfd.readouterr()
    assert not names_her((captured.out + captured.err).encode())


ELSEWHERE = {
    "viewer.lists.list_page",
    "viewer.lists.standings_page",
    "viewer.lists.findings_page",
    "games.list_games",
    "lists.list_findings",
    "lists.list_standings",
}
"""Lists also tell of the other games in the store."""


def names_her(body: bytes) -> bool:
    words = (
        rb"(?<![A-Za-z0-9])QS(?![A-Za-z0-9])",
        b"queen of spades",
        "スペードのQ".encode(),
        "Q♠".encode(),
        b'Q<span class="ink S">',
    )
    return any(re.search(word, body, re.IGNORECASE) for word in words)


def with_canary(kind: str, seed: int) -> list[Any] | None:
    """Return a game that is cut off in its first deal, with the queen where neither the public nor seat 1 sees her."""
    whole = KINDS[kind](seed)
    end = next(at for at, event in enumerate(whole) if isinstance(event, DealEnded))
    log = whole[: end * 2 // 3]
    seen = [cards_in(seen_by(log[0].game, log, viewer)) for viewer in ("public", 1)]
    return None if any(CANARY in one for one in seen) else log
