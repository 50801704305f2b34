"""The recorder at a recorded table: facts as they are, with warnings; what is taken back, remarked and imported."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from events import recorder, store
from events.cards import UNKNOWN
from events.chain import text_hash
from events.codec import encode
from events.common import (
    Remarked,
    Retracted,
)
from events.errors import (
    RefusedError,
)
from events.formats import Import
from events.game import fold
from events.rummy500.events import (
    Discarded,
    PileTaken,
    StockDrawn,
)
from tests.events.recording import SALT, WHO, open_game, record, state_of, stored
from tests.simulate import RUMMY, play

pytestmark = pytest.mark.store

# A recorded game


def test_a_recorded_game_stores_facts_as_they_are_and_warns(engine: Engine) -> None:
    game = open_game(engine, mode="recorded")
    done = record(engine, game.game_id, Discarded(seat=1, card="7H"), StockDrawn(seat=2, card="8H"))
    assert [(version, found.code) for version, found in done.warnings] == [
        *((2, "NOT_PLAY_PHASE"), (2, "NOT_IN_HAND"), (3, "HAND_OVER"))
    ]
    assert stored(engine, game.game_id)[1:] == list(done.events)


def test_a_recorded_clean_game_has_no_warning(engine: Engine) -> None:
    log = play(2, 3, mode="recorded")
    game = open_game(engine, mode="recorded")
    done = record(engine, game.game_id, *log[1:])
    assert done.warnings == ()
    assert state_of(engine, game.game_id) == fold(RUMMY, log)


def test_a_recorded_game_goes_back(engine: Engine) -> None:
    log = play(2, 3, mode="recorded")
    game = open_game(engine, mode="recorded")
    record(engine, game.game_id, *log[1:20])
    record(engine, game.game_id, Retracted(back_to=10, reason="MISTAKE"), *log[10:20])
    assert state_of(engine, game.game_id) == fold(RUMMY, log[:20])


@pytest.mark.parametrize("back_to", [2, 5, 99], ids=["itself", "nothing after", "unknown"])
def test_there_must_be_something_to_go_back_from(engine: Engine, back_to: int) -> None:
    game = open_game(engine, mode="recorded")
    record(engine, game.game_id, *play(2, 3, mode="recorded")[1:5])
    at = 5 if back_to == 2 else back_to
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, Retracted(back_to=at, reason="MISTAKE"))
    assert caught.value.violations[0].code == "NOTHING_TO_RETRACT"


def test_what_was_retracted_is_not_gone_back_to(engine: Engine) -> None:
    game = open_game(engine, mode="recorded")
    record(engine, game.game_id, *play(2, 3, mode="recorded")[1:9])
    record(engine, game.game_id, Retracted(back_to=4, reason="MISTAKE"))
    with pytest.raises(RefusedError):
        record(engine, game.game_id, Retracted(back_to=6, reason="MISTAKE"))


# Remarks


def test_a_remarks_text_lies_beside_the_log(engine: Engine) -> None:
    game, words = open_game(engine), "Zoë says: “no”"
    remark = Remarked(seat=2, text=text_hash(SALT, words).hex())
    done = record(engine, game.game_id, remark, texts={0: (SALT, words)})
    with engine.connect() as conn:
        text = store.texts(conn, game.game_id)[done.version]
        bodies = b"".join(event.body for event in store.read(conn, game.game_id))
    assert (text.salt, text.text) == (SALT, words)
    assert words.encode() not in bodies


def test_of_several_events_the_text_belongs_to_its_remark(engine: Engine) -> None:
    game = open_game(engine)
    remark = Remarked(seat=None, text=text_hash(SALT, "well drawn").hex())
    act = StockDrawn(seat=1, card=UNKNOWN)
    record(engine, game.game_id, act, remark, texts={1: (SALT, "well drawn")})
    with engine.connect() as conn:
        assert list(store.texts(conn, game.game_id)) == [8]


def test_a_text_that_is_not_the_one_hashed_is_refused(engine: Engine) -> None:
    game = open_game(engine)
    remark = Remarked(seat=None, text=text_hash(SALT, "one").hex())
    for text in ((SALT, "two"), (bytes(16), "one")):
        with pytest.raises(RefusedError) as caught:
            record(engine, game.game_id, remark, texts={0: text})
        assert caught.value.violations[0].code == "TEXT_HASH_WRONG"


def test_only_a_remark_has_a_text(engine: Engine) -> None:
    game = open_game(engine)
    with pytest.raises(RefusedError) as caught:
        record(engine, game.game_id, StockDrawn(seat=1, card=UNKNOWN), texts={0: (SALT, "hello")})
    assert caught.value.violations[0].code == "TEXT_HASH_WRONG"


# Importing


def test_importing_again_changes_nothing_and_says_so(engine: Engine) -> None:
    games = [Import(uuid4(), list(play(seed, 3, mode="recorded")), {}, {}, 1) for seed in (1, 2)]
    with engine.begin() as conn:
        first = recorder.import_games(conn, games, WHO)
    with engine.begin() as conn:
        again = recorder.import_games(conn, games, WHO)
    ids = [one.game_id for one in games]
    assert (first.imported, first.present) == (ids, [])
    assert first.events == sum(len(one.events) for one in games)
    assert (again.imported, again.present, again.events) == ([], ids, 0)
    assert stored(engine, ids[1]) == games[1].events


def test_an_imported_game_is_stored_whole_with_names_and_remarks(engine: Engine) -> None:
    words = "refused by the program"
    remark = Remarked(seat=1, text=text_hash(SALT, words).hex())
    log = [*play(1, 2, mode="recorded"), remark]
    player = log[0].seats[0]  # type: ignore[union-attr]
    one = Import(uuid4(), log, {player: "Ann"}, {len(log): (SALT, words)}, 1)
    with engine.begin() as conn:
        recorder.import_games(conn, [one], WHO)
    with engine.connect() as conn:
        assert store.people(conn, [UUID(player)]) == {UUID(player): "Ann"}
        assert store.texts(conn, one.game_id)[len(log)].text == words
        assert [event.body for event in store.read(conn, one.game_id)] == list(map(encode, log))


def test_a_file_that_breaks_in_the_middle_stores_nothing(engine: Engine) -> None:
    def broken() -> Any:
        yield Import(uuid4(), list(play(1, 2, mode="recorded")), {}, {}, 1)
        raise RuntimeError("the reader stops here")

    with pytest.raises(RuntimeError), engine.begin() as conn:
        recorder.import_games(conn, broken(), WHO)
    with engine.connect() as conn:
        assert store.heads(conn, limit=5) == []


def test_a_version_is_loaded_up_to_it(engine: Engine) -> None:
    game = open_game(engine)
    with engine.connect() as conn:
        log = recorder.load(conn, game.game_id, upto=3)
    assert log.events == list(game.events[:3])
    assert log.head.version == 6


def test_a_pile_of_unknown_cards_is_taken_by_its_number(engine: Engine) -> None:
    """A client may leave public cards unnamed; the table knows them."""
    game = open_game(engine)
    upcard = state_of(engine, game.game_id).pile
    record(engine, game.game_id, PileTaken(seat=1, cards=(UNKNOWN,)))
    assert upcard[0] in state_of(engine, game.game_id).hands[1]
