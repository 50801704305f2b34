"""The client and everything that there is of a game: its course, its cards, its report, the disputes about it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from itertools import islice
from uuid import UUID, uuid4

import httpx
import pytest

from api.client import Client, event_of
from api.client_errors import NotNow, StaleVersion
from api.disputes_wire import Found, Link, Points
from events.common import GameOpened
from events.disputes import DisputeOpened
from projections.lanterloo_course import LooDeal
from projections.rummy500_course import RummyDeal
from tests.api.conftest import MakeApp
from tests.api.disputing import GAME, SAMPLE
from tests.postgres import Database
from tests.projections.store import keep

pytestmark = [pytest.mark.store, pytest.mark.http]

EVENING = files("events.samples").joinpath("evening-of-loo.txt").read_bytes()
ID = UUID(GAME)
POINTS = Points(deal=3, seat=1, points=-60)


@pytest.fixture
def client(make_app: MakeApp, database: Database) -> Iterator[Client]:
    """A client of whoever is at this machine; three games, one of them with breaches, are in the lists."""
    transport = httpx.WSGITransport(app=make_app())
    with Client("http://127.0.0.1", transport=transport) as made:
        made.import_file(SAMPLE)
        keep(database)
        yield made


def test_a_dispute_is_argued_ruled_appealed_and_found_again(client: Client):
    opened = client.disputes.open(
        ID, [105, 107], "P2 took TD and never melded it.", rules=["R-6.7"], seat=0,
        demanded=[Points(deal=3, seat=1, points=-85)],
    )  # fmt: skip
    case = opened.dispute.dispute_id
    at = client.disputes.say(case, opened.version, "Nobody objected.", seat=1).version
    at = client.disputes.link(case, at, Link(version=107, seat=0)).version
    fact = Found(version=105, code="DEEP_CARD_UNMELDABLE")
    ruled = client.disputes.rule(
        case, at, "partly", "Sixty points came of it.", facts=[fact], rules=["R-6.7"], adjustments=[POINTS]
    )  # fmt: skip
    assert ruled.dispute.decision is not None
    assert ruled.dispute.decision.facts == [fact]
    with pytest.raises(StaleVersion) as stale:
        client.disputes.rule(case, at, "rejected", "No.")
    assert stale.value.current == ruled.version
    at = client.disputes.appeal(case, ruled.version, "It was more.", seat=0).version
    with pytest.raises(NotNow) as not_now:
        client.disputes.withdraw(case, at, seat=0)
    assert not_now.value.violations[0].rule.startswith("P-")
    decided = client.disputes.decide(case, at, "upheld", "It was not.")
    assert decided.dispute.standing == "final"
    tagged = client.disputes.tag(case, decided.version, ["deep-card"])
    shown = client.disputes.show(case)
    assert shown.version == tagged.version == 7
    assert isinstance(event_of("dispute", (shown.events or [])[0].event), DisputeOpened)
    assert [one.dispute_id for one in client.disputes.of_game(ID)] == [case]
    for found in (
        client.disputes.search(rule="R-6.7"),
        client.disputes.search(code="DEEP_CARD_UNMELDABLE"),
        client.disputes.search(words="sixty"),
        client.disputes.search(tag="deep-card", standing="final"),
        client.disputes.search(game_id=ID),
    ):
        assert [one.dispute_id for one in found] == [case]
    assert list(client.disputes.search(words="seventy")) == []
    scores = client.game(ID, scores=True).scores
    assert scores
    assert (scores.played, scores.ruled) == ([173, 561], [173, 501])


def test_an_act_in_a_dispute_that_is_sent_again_counts_once(client: Client):
    key = uuid4()
    opened = client.disputes.open(ID, [105], "So.", seat=0, command_id=key)
    again = client.disputes.open(ID, [105], "So.", seat=0, command_id=key)
    assert (again.repeated, again.dispute.dispute_id) == (True, opened.dispute.dispute_id)
    case, key = opened.dispute.dispute_id, uuid4()
    said = client.disputes.say(case, 1, "So.", seat=1, command_id=key)
    again = client.disputes.say(case, 1, "So.", seat=1, command_id=key)
    assert (again.version, again.repeated, said.repeated) == (2, True, False)


def test_a_dispute_is_withdrawn(client: Client):
    opened = client.disputes.open(ID, [105], "So.", seat=0)
    done = client.disputes.withdraw(opened.dispute.dispute_id, 1, "Never mind.", seat=0)
    assert done.dispute.standing == "withdrawn"


def test_the_lists_have_what_the_filters_say(client: Client):
    games = list(client.games(findings=True, ruleset="delboycodes"))
    assert ID in [one.game_id for one in games]
    assert list(client.games(findings=False)) == []
    player = UUID(games[0].players[0].id)
    assert games[0] in list(client.games(player=player, game="rummy500", mode="recorded"))
    assert list(client.games(since=datetime(2200, 1, 1, tzinfo=UTC))) == []
    assert list(client.games(search="nobody at all")) == []
    standings = list(client.standings(game="rummy500", by="points"))
    assert [one.points for one in standings] == sorted((one.points or 0 for one in standings), reverse=True)  # fmt: skip
    assert all(one.wins_played is not None for one in standings)
    found = list(client.findings(game_id=ID, severity="breach"))
    assert 105 in [one.version for one in found]
    assert next(client.findings(game_id=ID, code=found[0].code)).code == found[0].code
    deals = list(client.deals(ID))
    assert [one.deal for one in deals] == [1, 2, 3, 4]
    assert deals[2].scores == [67, 85]


def test_lists_are_read_to_their_end(client: Client):
    names = ["Ann", "Bob"]
    for _ in range(103):
        client.open_game(names, mode="recorded")
    assert len({one.game_id for one in client.games(status="open")}) == 103
    assert len(list(islice(client.games(), 50))) == 50


def test_the_course_of_either_game_is_typed(client: Client):
    rummy = client.timeline(ID).timeline
    assert [type(deal) for deal in rummy.deals] == [RummyDeal] * 4
    deal = rummy.deals[0]
    assert isinstance(deal, RummyDeal)
    assert deal.turns[0].first > deal.first
    assert rummy.findings
    client.import_file(EVENING)
    game = next(client.games(game="lanterloo"))
    loo = client.timeline(game.game_id).timeline
    assert {type(deal) for deal in loo.deals} == {LooDeal}
    assert loo.versions == game.version


def test_steps_and_cards_are_those_of_the_page(client: Client):
    game = client.game(ID)
    frames = list(client.all_frames(ID))
    assert [frame.version for frame in frames] == [*range(1, game.version + 1)]
    assert len(client.frames(ID, 5, 7).frames) == 3
    assert [one.version for one in client.all_frames(ID, 100, 103)] == [100, 101, 102, 103]
    stays = client.card(ID, "TD").stays
    assert {stay.deal for stay in stays} <= {1, 2, 3, 4}
    opened = event_of(game.game, game.opened)
    assert isinstance(opened, GameOpened)
    assert len(opened.seats) == len(game.players)


def test_a_report_says_what_was_known_and_could_be_done(client: Client):
    report = client.report(ID, deal=3, ruleset="seed")
    breach = next(one for one in report.breaches if one.version == 105)
    assert breach.knowledge is not None
    assert breach.knowledge.seat == breach.seat == 1
    assert breach.acts
    assert report.beside is not None
    assert report.record.chain_holds
    assert client.report(ID, first=100, last=110).scope.first == 100
    beside = client.audit(ID, beside="seed", engine="recorded").beside
    assert beside is not None
    assert beside.ruleset.startswith("seed")


def test_chances_are_reckoned_over_all_deals(client: Client):
    found = client.chances(game="rummy500", players=[], bias=0.5)
    assert found.games >= 3
    assert (len(found.numbers), found.bias) == (found.tests, 0.5)
    assert client.chances(game_id=ID).games == 1


def test_sentences_come_in_the_clients_language(make_app: MakeApp, client: Client):
    transport = httpx.WSGITransport(app=make_app())
    with Client("http://127.0.0.1", language="ja", transport=transport) as reader:
        japanese = reader.audit(ID).findings[0].text
    assert japanese != client.audit(ID).findings[0].text
    assert not japanese.isascii()


def test_the_service_tells_of_itself(client: Client):
    assert client.health().status == "ok"
    assert set(client.readiness().checks) == {"database", "migrations", "triggers", "grants"}
    assert "lanterlog_http_requests" in client.metrics()
    assert {one.code for one in client.problems()} >= {"stale_version", "too_many_streams"}
    assert client.openapi()["openapi"] == "3.1.0"
    assert (client.whoami().token_id, client.whoami().write) == (None, True)
