"""The store in daily use: open, append, read, list, stream."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import store
from events.chain import NIL_HEAD


def test_an_opened_game_is_empty(engine: Engine) -> None:
    game_id = uuid4()
    with engine.begin() as conn:
        assert store.open_game(conn, game_id, "rummy500", "refereed")
        head = store.head(conn, game_id)
    assert (head.version, head.head, head.game, head.mode) == (0, NIL_HEAD, "rummy500", "refereed")
