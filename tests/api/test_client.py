"""The Python client through the real application, with answers and requests lost on the way."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from api.client import Client, event_of
from api.client_errors import (
    BadFile,
    BadOptions,
    BadRequest,
    CommandReused,
    NotAllowed,
    NotThere,
    Problem,
    Refused,
    StaleVersion,
)
from api.client_feed import Halt, Polling
from api.wire import EventLine, RulesetChoice
from events.chain import text_hash
from events.common import GameEnded, Remarked
from events.rummy500.events import Discarded, RummyCalled, StockDrawn
from tests.api.conftest import MakeApp
from tests.api.table import DATA
from tests.api.wired import BASE, QUICK

ABANDONED = GameEnded(winner=None, abandoned=True)


class Losing(httpx.BaseTransport):
    """Carries a request to the application and loses some answers on the way back, or requests on the way there."""

    def __init__(self, app: Any, *, requests: int = 0, answers: int = 0) -> None:
        self._through = httpx.WSGITransport(app=app)
        self.requests, self.answers = requests, answers
        self.arrived = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.requests:
            self.requests -= 1
            raise httpx.ConnectError("refused")
        answer = self._through.handle_request(request)
        self.arrived += 1
        if self.answers:
            self.answers -= 1
            answer.close()
            raise httpx.ReadError("connection reset")
        return answer


@pytest.fixture
def connected(make_app: MakeApp) -> Iterator[Callable[..., Client]]:
    """Makes clients of applications over the test's database."""
    made = []

    def connect(*, open_table: bool = True, **lost: int) -> Client:
        transport = Losing(make_app(open_table=open_table), **lost)
        made.append(Client(BASE, transport=transport, retries=QUICK, feed=Polling(every=0)))
        return made[-1]

    yield connect
    for client in made:
        client.__exit__(None, None, None)


@pytest.mark.store
@pytest.mark.http
class TestThroughTheApplication:
    def test_a_game_is_opened_recorded_and_read_back(self, connected: Callable[..., Client]):
        client = connected()
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        drawn = client.record(
            opened.game_id, [StockDrawn(seat=1, card="??")], opened.version, viewer=1
        )
        card = event_of("rummy500", drawn.events[0].event)
        assert isinstance(card, StockDrawn)
        assert (card.seat, card.card == "??", drawn.version) == (1, False, opened.version + 1)
        done = client.record(
            opened.game_id, [{"t": "discarded", "v": 1, "seat": 1, "card": card.card}, ABANDONED],
            drawn.version,
        )  # fmt: skip
        game = client.game(opened.game_id)
        assert (game.version, game.status) == (done.version, "ended")
        assert [player.name for player in game.players] == ["Ann", "Bob"]
        assert client.state(opened.game_id).state["phase"] == "ended"
        assert client.state(opened.game_id, at=2, viewer="public").at == 2
        assert client.timeline(opened.game_id).timeline.deals
        report = client.audit(opened.game_id, calls=True)
        assert (report.findings, report.events) == ([], done.version)
        assert client.audit(opened.game_id, ruleset=RulesetChoice(preset="seed")).findings == []

    def test_pages_follow_one_another_without_gap(self, connected: Callable[..., Client]):
        client = connected()
        client.import_file((DATA / "rummy500-engine-b.ndjson").read_bytes())
        games = list(client.games(status="ended"))
        assert len({game.game_id for game in games}) == len(games) > 2
        longest = max(games, key=lambda game: game.version)
        first = client.events(longest.game_id, limit=7)
        assert [line.version for line in first.events] == [*range(1, 8)]
        assert first.next_after == 7
        versions = [line.version for line in client.all_events(longest.game_id, after=3)]
        assert versions == [*range(4, longest.version + 1)]

    def test_an_export_is_taken_in_elsewhere_unchanged(self, connected: Callable[..., Client]):
        client = connected()
        opened = client.open_game(["Ann", "Bob"])
        client.record(opened.game_id, [ABANDONED], opened.version)
        raw = client.export(opened.game_id)
        done = client.import_file(raw, check=True)
        assert (done.present, done.imported, done.stored) == ([opened.game_id], [], False)
        assert client.export(opened.game_id, "txt").startswith(b"lanterlog table notation")
        assert client.export(opened.game_id, "csv").startswith(b"game_id,game,version")
        assert client.export(opened.game_id, "html").lstrip().startswith(b"<!doctype html>")
        assert client.export_all(since=3)[1] >= 3

    def test_a_remark_goes_with_its_text(self, connected: Callable[..., Client]):
        client, salt = connected(), bytes(range(16))
        opened = client.open_game(["Ann", "Bob"])
        remark = Remarked(seat=0, text=text_hash(salt, "a fine hand").hex())
        client.record(opened.game_id, [remark], opened.version, texts={0: (salt, "a fine hand")})
        assert [*client.all_events(opened.game_id)][-1].remark == "a fine hand"

    def test_what_a_seat_may_do_comes_as_events(self, connected: Callable[..., Client]):
        client = connected()
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        found = client.legal(opened.game_id, viewer=1)
        acts = [event_of("rummy500", raw) for raw in found.acts]
        assert StockDrawn(seat=1, card="??") in acts
        done = client.record(opened.game_id, acts[:1], opened.version, dry_run=True)
        assert (done.dry_run, done.version) == (True, opened.version + 1)

    def test_a_follower_sees_each_event_once_and_stops_at_the_end(
        self, connected: Callable[..., Client]
    ):
        client, seen = connected(), []
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        for line in client.follow(opened.game_id, after=2, viewer=1):
            seen.append(line.version)
            if line.version == opened.version:
                act = StockDrawn(seat=1, card="??")
                version = client.record(opened.game_id, [act], opened.version).version
                client.record(opened.game_id, [ABANDONED], version)
        assert seen == [*range(3, opened.version + 3)]

    def test_a_follower_who_comes_late_does_not_wait_for_more(
        self, connected: Callable[..., Client]
    ):
        client = connected()
        opened = client.open_game(["Ann", "Bob"])
        end = client.record(opened.game_id, [ABANDONED], opened.version).version
        for after, versions in ((0, [*range(1, end + 1)]), (end - 1, [end]), (end, [])):
            assert [one.version for one in client.follow(opened.game_id, after=after)] == versions

    def test_a_follower_takes_another_feed(self, make_app: MakeApp):
        asked = []

        def feed(
            source: Any, game_id: UUID, after: int, viewer: Any, halt: Halt
        ) -> Iterator[EventLine]:
            asked.append((game_id, after, viewer))
            yield from source.events(game_id, after=after, viewer=viewer).events

        transport = httpx.WSGITransport(app=make_app())
        with Client(BASE, transport=transport, feed=feed) as client:
            opened = client.open_game(["Ann", "Bob"])
            lines = list(islice(client.follow(opened.game_id, after=1, viewer="public"), 2))
        assert asked == [(opened.game_id, 1, "public")]
        assert [line.version for line in lines] == [2, 3]

    @pytest.mark.parametrize("lost", [{"answers": 1}, {"answers": 3}, {"requests": 3}], ids=str)
    def test_a_command_whose_answer_was_lost_counts_once(
        self, connected: Callable[..., Client], lost: dict[str, int]
    ):
        client = connected()
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        shaky = connected(**lost)
        act = StockDrawn(seat=1, card="??")
        done = shaky.record(opened.game_id, [act], opened.version)
        assert (done.version, done.repeated) == (opened.version + 1, "answers" in lost)
        assert client.game(opened.game_id).version == opened.version + 1

    def test_a_game_whose_opening_was_not_answered_is_there_once(
        self, connected: Callable[..., Client]
    ):
        opened = connected(answers=2).open_game(["Ann", "Bob"])
        assert [game.game_id for game in connected().games()] == [opened.game_id]

    def test_a_call_that_fell_is_put_on_record_once(self, connected: Callable[..., Client]):
        client = connected(answers=0)
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        shaky = connected(answers=1)
        call = RummyCalled(seat=0, card="AS", accepted=True, code=None, cards=("AS",), lay=None)
        with pytest.raises(Refused) as caught:
            shaky.call(opened.game_id, call)
        error = caught.value
        assert error.code.startswith("rule/")
        assert error.violations[0].text
        assert error.recorded is not None
        assert error.recorded.version == opened.version + 1 == error.version
        assert client.game(opened.game_id).version == opened.version + 1

    def test_errors_are_what_they_mean(self, connected: Callable[..., Client]):
        client = connected(open_table=False)
        opened = client.open_game(["Ann", "Bob"], first_dealer=0)
        act, key = StockDrawn(seat=1, card="??"), uuid4()
        client.record(opened.game_id, [act], opened.version, command_id=key)
        with pytest.raises(StaleVersion) as stale:
            client.record(opened.game_id, [act], opened.version)
        assert stale.value.current == opened.version + 1
        with pytest.raises(CommandReused):
            client.record(opened.game_id, [act], opened.version + 1, command_id=key)
        with pytest.raises(Refused) as refused:
            client.record(opened.game_id, [Discarded(seat=0, card="AS")], opened.version + 1)
        assert refused.value.violations[0].code == "NOT_YOUR_TURN"
        assert refused.value.recorded is None
        with pytest.raises(NotThere):
            client.game(uuid4())
        with pytest.raises(NotThere) as version:
            client.state(opened.game_id, at=99)
        assert version.value.version == opened.version + 1
        with pytest.raises(NotAllowed):
            client.open_game(["Ann", "Bob"], visibility="private")
        with pytest.raises(BadOptions) as options:
            client.open_game(
                ["Ann", "Bob"], ruleset=RulesetChoice(options={"floater_calls": False})
            )
        assert options.value.violations[0].code == "OPTIONS_CONTRADICT"
        with pytest.raises(BadFile) as file:
            client.import_file(b"no log at all")
        assert file.value.line == 1
        with pytest.raises(Problem) as bad:
            client.events(opened.game_id, limit=0)
        assert (bad.value.code, type(bad.value)) == ("bad_query", BadRequest)
