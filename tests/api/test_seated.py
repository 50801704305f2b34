"""A seat's token at a recorded table: what it may write down never tells it where a card lies that it may not see."""

import random
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from api import seated
from api.asker import is_act
from api.viewing import Eyes
from events.cards import ALL_CARDS, FIRST_PACK
from events.errors import RequestError
from events.game import fold
from events.games import GAMES
from events.lanterloo.events import Bid, Exchanged
from events.rummy500.events import StockDrawn
from projections.viewer import Viewer
from tests.api import passes
from tests.api.messy import written_down, wrong_acts
from tests.api.passes import Bearer
from tests.api.table import FACTS, Client, Table, discard, draw
from tests.api.test_twins import KINDS
from tests.api.twin_words import SEATS
from tests.api.twins import twin_of
from tests.postgres import Database
from tests.profiles import examples
from tests.seeing import seen_by

pytestmark = [pytest.mark.store, pytest.mark.http]


def tries(game: str, log: list[Any], seat: int, rng: random.Random) -> list[Any]:
    """Acts of a seat: some that may be possible, and any others, so that one will name another's card."""
    rules, seen = GAMES[game], seen_by(game, log, seat)
    acts = [*wrong_acts(game, log, rng, 30), *wrong_acts(game, seen, rng, 10)]
    for act in rules.thinkable(fold(rules, seen), seat):
        acts.append(act)
        if len(acts) > 60:
            break
    return [replace(act, seat=seat) for act in acts if is_act(rules, act)]


def outcome(log: list[Any], seat: int, act: Any) -> list[Any]:
    """All that a seat learns from trying an act: whether it is taken, what is said of it, what the table looks like."""
    game = log[0].game
    try:
        seen = Eyes.of(game, log, None, seat).log(log)
        seated.check_acts(seen, seat, [act], log)
    except RequestError as error:
        return [error.code, str(error)]
    rules, after = GAMES[game], [*log, act]
    # What he draws he is to see, and it is not the same of twins.
    asked: Viewer | None = "public" if isinstance(act, StockDrawn | Exchanged | Bid) else None
    eyes = Eyes.of(game, after, asked, seat)
    found = rules.judge(fold(rules, log), act)
    told = list(eyes.warnings(lambda: eyes.log(after), [act], len(after), {len(after): found}))
    return [told, eyes.events(after), eyes.log(after).view()]


def table_of(log: list[Any], seat: int) -> bytes:
    """What a seat sees of a table before it does anything."""
    return msgspec.json.encode(Eyes.of(log[0].game, log, None, seat).log(log).view())


@pytest.mark.parametrize("kind", KINDS)
@examples(12, shrink=False)
@given(seed=st.integers(0, 10**9))
def test_whatever_a_seat_writes_down_it_learns_the_same_of_twins(kind: str, seed: int):
    rng = random.Random(seed)
    log = written_down(KINDS[kind](rng.randrange(1000)), rng)
    seat = rng.randrange(SEATS)
    game = log[0].game
    twin = twin_of(game, log, seat, rng)
    assert table_of(log, seat) == table_of(twin, seat)
    for act in tries(game, log, seat, rng):
        mine, others = outcome(log, seat, act), outcome(twin, seat, act)
        assert msgspec.json.encode(mine) == msgspec.json.encode(others), act


class Seated:
    """A recorded game of two, as its scribe wrote it down, and a player in seat 0."""

    def __init__(self, client: Client, database: Database, facts: list[dict[str, Any]]) -> None:
        self.scribe = Table.opened(
            Bearer(client, passes.made(database, "games:write")), mode="recorded"
        )
        assert self.scribe.record(*facts).status_code == 201
        token = passes.made(database, "games:read", "games:write", game=self.scribe.game_id, seat=0)
        self.player = Table(Bearer(client, token), self.scribe.game_id, self.scribe.version)


def dealt(first: list[str], second: list[str], deck: str = "??") -> list[dict[str, Any]]:
    """A deal of which the record knows these cards; seat 0 is to draw."""
    shuffled, _, _, upcard = FACTS
    rows = [[*cards, *["??"] * (13 - len(cards))] for cards in (first, second)]
    hands = [{"t": "dealt", "v": 1, "seat": seat, "cards": rows[seat]} for seat in (0, 1)]
    return [{**shuffled, "dealer": 1, "deck": [deck] * 54}, *hands, upcard]


@pytest.mark.parametrize("query", ["", "?dry_run=1", "?viewer=all"])
def test_a_card_that_he_does_not_have_is_refused_alike_wherever_it_lies(
    client: Client, database: Database, query: str
):
    game = Seated(client, database, dealt(["KH"], ["KS", "QS"]))
    answers = [game.player.record(discard(0, card), query=query) for card in ("KS", "9C")]
    for answer in answers:
        assert (answer.status_code, answer.json["code"]) == (403, "not_allowed")
    one, other = (a.text.replace(a.headers["X-Request-Id"], "") for a in answers)
    assert one == other
    assert game.player.get("/state").json["version"] == game.scribe.version


def test_he_writes_down_the_cards_that_he_sees_and_the_scribe_writes_any(
    client: Client, database: Database
):
    game = Seated(client, database, dealt(["KH"], ["KS"]))
    assert game.player.record(draw(0)).status_code == 201
    assert game.player.record(discard(0, "KH")).status_code == 201
    game.scribe.version = game.player.version
    assert game.scribe.record(discard(0, "9C")).status_code == 201


def test_where_nothing_is_hidden_from_him_he_may_show_a_card_that_the_record_does_not_know(
    client: Client, database: Database
):
    game = Seated(client, database, dealt([], []))
    assert game.player.record(draw(0)).status_code == 201
    assert game.player.record(discard(0, "9C")).status_code == 201


@pytest.mark.parametrize("drawn", ["9D", "7S"])
def test_he_is_not_told_whether_a_player_discarded_what_he_drew(
    client: Client, database: Database, drawn: str
):
    """The scribe saw the draw; if it is the card that was discarded, nothing that was hidden is left at the table."""
    game = Seated(client, database, [*dealt([], []), draw(0), discard(0, "2C")])
    assert game.scribe.record({**draw(1), "card": drawn}, discard(1, "9D")).status_code == 201
    game.player.version = game.scribe.version
    assert game.player.record(draw(0)).status_code == 201
    assert game.player.record(discard(0, "9C")).status_code == 403


def test_what_he_draws_he_leaves_to_the_record(client: Client, database: Database):
    """Else the next player would have to be refused for what is hidden from him."""
    game = Seated(client, database, dealt([], []))
    named = game.player.record({**draw(0), "card": "9C"})
    assert (named.status_code, named.json["code"], named.json["index"]) == (403, "not_allowed", 0)


def test_he_does_not_look_through_a_stock_that_is_on_record(client: Client, database: Database):
    deck = [card for card in ALL_CARDS if card in FIRST_PACK]
    facts = dealt(deck[:13], deck[13:26])
    facts[0]["deck"] = [*deck, "??", "??"]
    facts[3] = facts[3] | {"card": deck[26]}
    game = Seated(client, database, facts)
    first = game.player.record(draw(0))
    assert first.status_code == 201
    assert len(game.player.get("/state").json["state"]["hands"][0]) == 14
    again = game.player.record(draw(0))
    assert (again.status_code, again.json["code"]) == (403, "not_allowed")


@pytest.mark.parametrize("mode", ["refereed", "recorded"])
def test_a_player_does_not_make_his_game_too_long_to_be_read(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch, mode: str
):
    monkeypatch.setattr(seated, "MOST_REMARKS", 3)
    monkeypatch.setattr(seated, "MOST_EVENTS", 4)
    scribe = Table.opened(Bearer(client, passes.made(database, "games:write")), mode=mode)
    if mode == "recorded":
        assert scribe.record(*FACTS).status_code == 201
    first, second = (
        passes.made(database, "games:write", game=scribe.game_id, seat=1) for _ in range(2)
    )
    player = Table(Bearer(client, first), scribe.game_id, scribe.version)
    said = {"t": "remarked", "v": 2, "seat": 1, "about": None, "text": "0" * 64}
    refused = player.record(*[said] * 4)
    assert (refused.status_code, refused.json["code"]) == (403, "not_allowed")
    assert player.record(said, said, key="mine").status_code == 201
    assert player.record(said, said).status_code == 403
    assert player.record(said, query="?dry_run=1").status_code == 200
    assert player.record(said).status_code == 201
    assert player.record(draw(1)).status_code == 201  # what is over is remarks
    assert player.record(said).status_code == 403
    assert player.record(draw(1)).status_code == 403
    late = Table(player.client, scribe.game_id, scribe.version)
    assert late.record(said, said, key="mine").json["repeated"]
    scribe.version = player.version
    assert scribe.record(*[said | {"seat": 0}] * 4).status_code == 201
    other = Table(Bearer(client, second), scribe.game_id, scribe.version)
    assert other.record(said).status_code == 201


def test_asked_again_it_gives_the_first_answer_again(client: Client, database: Database):
    game = Seated(client, database, dealt(["KH"], ["KS"]))
    assert game.player.record(draw(0)).status_code == 201
    seen, key = game.player.version, str(uuid4())
    first = game.player.record(discard(0, "KH"), key=key)
    assert first.status_code == 201
    game.player.version = seen
    again = game.player.record(discard(0, "KH"), key=key)
    assert (again.status_code, again.json["repeated"]) == (201, True)
    game.player.version = seen
    late = game.player.record(discard(0, "9C"))
    assert (late.status_code, late.json["code"]) == (409, "stale_version")
