"""`lanterlog simulate`: games by bots, in a file that a seed makes again and in the store."""

import json
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api.cli import main
from api.client import Client, event_of
from api.client_errors import BadSettings
from api.simulation import Order, Table, record_game
from api.simulation_remote import play_there
from events.common import GameEnded
from events.formats.detect import read_file
from events.games import game_named
from events.rummy500.ruleset import SEED, Ruleset
from projections.audit import audit
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.postgres import Database
from tests.simulate import RUMMY


def simulate(path: Path, *words: str) -> bytes:
    assert main(["simulate", "--seats", "3", "-o", str(path), *words]) == 0
    return path.read_bytes()


@pytest.mark.parametrize("ending", ["ndjson", "txt"])
def test_a_seed_makes_the_same_file_byte_by_byte(tmp_path: Path, ending: str) -> None:
    words = ("--games", "2", "--deals", "1", "--bot", "random")
    first, again, other = (
        simulate(tmp_path / f"{index}.{ending}", *words, "--seed", seed)
        for index, seed in enumerate(("5", "5", "6"))
    )
    assert first == again
    assert first != other


def test_a_simulated_file_verifies_and_its_games_audit_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.ndjson"
    simulate(path, "--games", "2", "--seed", "1", "--ruleset", "seed go_out=floating target=200")
    assert "2 games" in capsys.readouterr().out
    assert main(["verify", str(path)]) == 0
    with path.open("rb") as file:
        games = list(read_file(file))
    assert len({game.game_id for game in games}) == 2
    for game in games:
        opened = game.events[0]
        assert (opened.source, opened.mode) == ("simulated", "refereed")
        assert opened.ruleset.go_out == "floating"
        assert sorted(game.names.values()) == ["greedy 1", "greedy 2", "greedy 3"]
        assert audit(RUMMY, game.events).is_clean


def test_other_options_make_another_game_of_the_same_seed(tmp_path: Path) -> None:
    words = ("--seed", "1", "--deals", "1")
    files = [
        simulate(tmp_path / "a.ndjson", *words),
        simulate(tmp_path / "b.ndjson", *words, "--ruleset", "seed target=501"),
    ]
    ids = set()
    for name in ("a.ndjson", "b.ndjson"):
        with (tmp_path / name).open("rb") as file:
            ids |= {game.game_id for game in read_file(file)}
    assert len(ids) == len(files), "both can be imported into one store"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["-o", "games.csv"], "expected a name that ends with .ndjson or .txt"),
        (["--ruleset", "nobody"], "no such ruleset: 'nobody'"),
        (["--ruleset", "seed target=high"], "Expected `int`"),
        (["--ruleset", "seed deal_size=20", "-o", "x.txt"], "PACK_TOO_SMALL"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_line(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", *words]) == 2
    assert text in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def endless(seed: int) -> Order:
    """A table at which everybody ends with a pair that goes with nothing, and the pile is shuffled for ever."""
    ruleset = Ruleset(
        preset="custom", deal_size=(13,) * 7, min_naturals=0, runs="around_corner",
        pile_rule="always_meld", stock_out="reshuffle_all_turn_one", go_out="floating",
        floater_calls=False,
    )  # fmt: skip
    return Order("rummy500", 7, seed, "greedy", ruleset, 12)


def test_a_game_with_a_deal_that_never_ends_is_abandoned() -> None:
    table = Table(endless(13), 1)
    events = table.play()
    assert table.is_endless
    assert events[-1] == GameEnded(winner=None, abandoned=True)
    assert table.state.deal < 12
    assert audit(RUMMY, events).is_clean


@pytest.mark.store
def test_so_it_is_in_the_store(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.simulation.LONGEST_DEAL", 30)
    with engine.begin() as conn:
        log = record_game(conn, endless(13), 1)
    assert log.events[-1] == GameEnded(winner=None, abandoned=True)
    assert len(log.events) < 60


@pytest.mark.store
@pytest.mark.parametrize(("bot", "deals"), [("greedy", 30), ("random", 1)])
def test_a_game_is_played_through_the_referee_of_the_store(
    engine: Engine, bot: str, deals: int
) -> None:
    ruleset = Ruleset(preset="custom", target=150, stock_out="reshuffle_all_but_top")
    order = Order("rummy500", 4, 3, bot, ruleset if bot == "greedy" else SEED, deals)
    with engine.begin() as conn:
        log = record_game(conn, order, 1)
    assert (log.head.mode, log.head.version) == ("refereed", len(log.events))
    assert log.events[0].source == "simulated"
    ended = log.events[-1]
    assert isinstance(ended, GameEnded)
    assert ended.abandoned == (bot == "random")
    assert audit(RUMMY, log.events).is_clean


@pytest.mark.store
def test_the_command_plays_into_the_store(
    database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", database.superuser_url)
    words = ["--games", "2", "--seats", "2", "--deals", "1", "--bot", "random", "--json"]
    assert main(["simulate", *words]) == 0
    said = capsys.readouterr()
    ids = [json.loads(line)["game_id"] for line in said.out.splitlines()]
    assert "2 games" in said.err
    assert main(["games"]) == 0
    listed = capsys.readouterr().out
    assert len(ids) == 2
    assert all(game_id in listed for game_id in ids)
    assert main(["audit", "--all"]) == 0


@pytest.mark.store
@pytest.mark.http
class TestAtTheTablesOfAService:
    @pytest.mark.parametrize(
        "order",
        [
            Order("rummy500", 3, 3, "greedy", Ruleset(target=150), 30),
            Order("rummy500", 2, 4, "random", Ruleset(preset="custom", low_ace="fifteen"), 1),
            Order("lanterloo", 4, 5, "greedy", game_named("lanterloo").presets["seed-loo3"], 2),
        ],
        ids=["rummy", "custom", "loo"],
    )
    def test_a_game_is_played_there(self, make_app: MakeApp, order: Order) -> None:
        transport = httpx.WSGITransport(app=make_app(open_table=True))
        with Client("http://127.0.0.1", transport=transport) as client:
            game_id, events = play_there(client, order, 1)
            lines = [event_of(order.game, one.event) for one in client.all_events(game_id)]
            game = client.game(game_id)
            assert client.audit(game_id).findings == []
        assert lines == events
        assert (game.status, game.mode) == ("ended", "refereed")
        wanted = replace(order.ruleset, preset=events[0].ruleset.preset)
        assert (events[0].source, events[0].ruleset) == ("simulated", wanted)
        assert [one.name for one in game.players][:2] == [f"{order.bot} 1", f"{order.bot} 2"]

    def test_whoever_does_not_see_all_cards_cannot_play(
        self, make_app: MakeApp, database: Database
    ) -> None:
        order = Order("rummy500", 3, 3, "greedy", SEED, 1)
        transport = httpx.WSGITransport(app=make_app())
        with (
            Client("http://127.0.0.1", transport=transport) as client,
            pytest.raises(BadSettings, match="--open-table, or an admin's token"),
        ):
            play_there(client, order, 1)
        with Client("http://127.0.0.1", transport=transport) as client:
            assert {one.status for one in client.games()} <= {"ended"}, "no table is left behind"
        writer = passes.made(database, "games:read", "games:write")
        admin = passes.made(database, "admin")
        with (
            Client("http://127.0.0.1", writer.secret, transport=transport) as client,
            pytest.raises(BadSettings),
        ):
            play_there(client, order, 1)
        with Client("http://127.0.0.1", admin.secret, transport=transport) as client:
            assert play_there(client, order, 1)[1][-1].abandoned

    def test_a_file_and_a_service_are_not_meant_together(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit):
            main(["simulate", "-o", "x.txt", "--to", "http://127.0.0.1:1"])
        assert "not allowed with" in capsys.readouterr().err
        assert main(["simulate", "--to", "ftp://127.0.0.1"]) == 2
        assert "expected http:// or https://" in capsys.readouterr().err
