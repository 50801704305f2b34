"""Lists across games: filters, pages and sums are those of the logs, and no finding tells a hidden card."""

import random
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine

from api import catalogue
from api.asker import Asker
from api.lists_wire import DealsQuery, FindingsQuery, StandingsQuery
from api.paging import cursor, keys_of
from api.scopes import Scope
from api.tokens import Token
from api.wire import ListQuery
from events import recorder, store
from events.errors import RequestError
from events.formats import Import
from events.game import fold
from events.games import GAMES
from projections import catalogue as catalogue_model
from projections import findings as findings_model
from projections import standings as standings_model
from projections import tables as writing
from projections.audit import audit
from projections.model import Model, Sealed
from projections.schema import READING
from projections.sessions import connect
from projections.views import open_upto
from tests import simulate
from tests.api.apps import application
from tests.api.table import Client, Table, discard, draw
from tests.api.test_queries import counted
from tests.events.lanterloo import table as loo
from tests.postgres import Cluster, Database
from tests.projections import tables

pytestmark = [pytest.mark.store, pytest.mark.http]

MODELS: tuple[Model, ...] = (catalogue_model, standings_model, findings_model)
WHO = UUID(int=9)
PUBLIC, OWNER = Asker(), Asker(trusted=True, open_table=True)
Get = Callable[[str], Any]


def project(database: Database, engine: Engine) -> None:
    """Bring the read models up to date, as the worker does."""
    session = connect(database.worker_url, "a test")
    try:
        with engine.connect() as conn:
            found = [recorder.load(conn, head.game_id) for head in store.heads(conn)]
        heads = [
            Sealed(
                **{name: getattr(log.head, name) for name in log.head.__struct_fields__},
                first_at=log.stored[0].recorded_at,
            )
            for log in found
        ]
        for model in MODELS:
            rows = [
                model.rows(GAMES[head.game], head, log.events)
                for head, log in zip(heads, found, strict=True)
            ]
            ids = [head.game_id for head in heads]
            writing.replace(session, model, ids, [dict(one) for one in rows], READING)
    finally:
        session.close()


def with_breach(number: int = 0) -> list[Any]:
    """A recorded game in play in which seat 1 discards a card of another's hand."""
    start = tables.position(totals=(number, 0, 0))
    return tables.record(tables.draw(1, "7C"), tables.discard(1, "KD"), start=start)


def over(log: list[Any], winner: int = 0) -> list[Any]:
    return [
        *log,
        tables.ended("DISCARDED_OUT", winner),
        tables.scored((5, -5, 0), (5, -5, 0)),
        tables.won(winner),
    ]


@pytest.fixture(scope="module")
def logs() -> dict[UUID, list[Any]]:
    """Games of both kinds, some of them open, some with breaches, by id; the order of ids is that of making."""
    made: list[list[Any]] = [simulate.play(seed, 3, deals=2) for seed in range(4)]
    made += [loo.play(seed, 3, loo.ruleset("loo3"), deals=4) for seed in range(3)]
    made += [with_breach(), over(with_breach()), over(with_breach(), winner=2)]
    return {UUID(int=number): log for number, log in enumerate(made, 1)}


@pytest.fixture(scope="module")
def kept(cluster: Cluster, logs: dict[UUID, list[Any]]) -> Iterator[tuple[Engine, Client]]:
    """A store with these games, recorded by others, and its read models, which no test changes; the public."""
    with cluster.fresh() as database, application(database.config) as app:
        engine = app.extensions["lanterlog"].engine
        with engine.begin() as conn:
            for game_id, log in logs.items():
                opened = replace(log[0], mode="recorded")
                names = {opened.seats[0]: "Ann"}
                one = Import(game_id, [opened, *log[1:]], names, {}, 1)
                recorder.import_games(conn, [one], WHO)
        project(database, engine)
        yield engine, app.test_client()


@pytest.fixture
def archive(kept: tuple[Engine, Client]) -> Engine:
    return kept[0]


@pytest.fixture
def reader(kept: tuple[Engine, Client]) -> Client:
    return kept[1]


@pytest.fixture
def get(reader: Client) -> Get:
    def get(path: str) -> Any:
        answer = reader.get(f"/v1{path}")
        assert answer.status_code == 200, answer.text
        return answer.json

    return get


def walked(get: Get, path: str, rows: str, limit: int = 2) -> list[Any]:
    """Return the rows of all pages."""
    found: list[Any] = []
    sign = "&" if "?" in path else "?"
    page = get(f"{path}{sign}limit={limit}")
    while True:
        assert len(page[rows]) <= limit
        found += page[rows]
        if page["next"] is None:
            return found
        assert len(page[rows]) == limit
        page = get(f"{path}{sign}limit={limit}&cursor={page['next']}")


def ids(get: Get, filters: str = "") -> list[UUID]:
    return [UUID(game["game_id"]) for game in walked(get, f"/games?{filters}", "games")]


def breaches(log: list[Any], *, open_only: bool = True) -> int:
    upto = open_upto(log[0].game, log) if open_only else len(log)
    return sum(one.version <= upto for one in audit(GAMES[log[0].game], log).findings)


# Games


def test_games_are_found_by_what_they_are(get: Get, logs: dict[UUID, list[Any]]):
    def those(is_wanted: Callable[[list[Any]], bool]) -> list[UUID]:
        return [game_id for game_id, log in logs.items() if is_wanted(log)]

    assert ids(get) == list(logs)
    assert ids(get, "ruleset=custom") == those(lambda log: log[0].ruleset.preset == "custom")
    third = str(UUID(int=3))
    assert ids(get, f"player={third}") == those(lambda log: third in log[0].seats)
    assert ids(get, f"player={uuid4()}") == []
    assert ids(get, "findings=true") == those(lambda log: breaches(log) > 0) != []
    assert ids(get, "findings=false") == those(lambda log: breaches(log) == 0) != []
    assert ids(get, "findings=false&game=lanterloo&ruleset=custom") == those(
        lambda log: log[0].game == "lanterloo" and breaches(log) == 0
    )
    assert ids(get, "since=2020-01-01T00:00:00Z&until=2999-01-01T00:00:00Z") == list(logs)
    assert ids(get, "since=2999-01-01T00:00:00Z") == ids(get, "until=2020-01-01T00:00:00Z") == []


def test_games_are_found_by_how_a_name_or_an_id_begins(get: Get, logs: dict[UUID, list[Any]]):
    everything = get("/games?limit=100")["games"]
    name = next(one["name"] for game in everything for one in game["players"] if one["name"])
    expected = [
        game["game_id"]
        for game in everything
        if any((one["name"] or "").lower().startswith(name[:3].lower()) for one in game["players"])
    ]
    assert [str(one) for one in ids(get, f"search={name[:3]}")] == expected
    assert [str(one) for one in ids(get, f"search={name[:3].upper()}")] == expected
    one = everything[0]["game_id"]
    assert one in [str(found) for found in ids(get, f"search={one[:13]}")]
    assert [str(found) for found in ids(get, f"search={one}")] == [one]
    for text in ("nobody-is-called-so", "%25", "_", "zz"):
        assert ids(get, f"search={text}") == []


@pytest.mark.parametrize("query", ["since=2020-01-01T00:00:00", "since=yesterday", "player=Ann"])
def test_a_filter_out_of_shape_is_refused(reader: Client, query: str):
    answer = reader.get(f"/v1/games?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_query")


def test_the_catalogue_tells_scores_winner_and_findings(
    archive: Engine, logs: dict[UUID, list[Any]]
):
    with archive.connect() as conn:
        first = catalogue.games(conn, ListQuery(limit=100), PUBLIC)
        every = catalogue.games(conn, ListQuery(limit=100), OWNER)
        some = catalogue.games(conn, ListQuery(limit=3, status="ended"), PUBLIC)
        rest = catalogue.games(conn, ListQuery(limit=100, status="ended", cursor=some.next), PUBLIC)
        gone = catalogue.games(conn, ListQuery(status="open", game="lanterloo"), PUBLIC)
    assert [row.game_id for row in first.rows] == list(logs)
    for row, owned in zip(first.rows, every.rows, strict=True):
        log = logs[row.game_id]
        state = fold(GAMES[row.game], log)
        assert row.scores == list(getattr(state, "totals", None) or state.balances)
        assert row.winner == state.winner
        assert row.findings == breaches(log)
        assert owned.findings == breaches(log, open_only=False)
        assert row.players == [UUID(seat) for seat in log[0].seats]
        assert row.version == len(log)
    assert any(
        row.findings != owned.findings for row, owned in zip(first.rows, every.rows, strict=True)
    )
    ended = [row.game_id for row in first.rows if row.status == "ended"]
    assert [row.game_id for row in (*some.rows, *rest.rows)] == ended
    assert len(some.rows) == 3
    assert all((row.game, row.status) == ("lanterloo", "open") for row in gone.rows)


# Deals


def test_deals_are_those_of_the_log(get: Get, logs: dict[UUID, list[Any]]):
    for game_id, log in logs.items():
        found = walked(get, f"/games/{game_id}/deals", "deals", limit=1)
        head = Sealed(game_id, "game", log[0].game, "recorded", "public", len(log), b"", 1, 1, 1)
        rows = catalogue_model.rows(GAMES[log[0].game], head, log)["catalogue_deals"]
        told = [(d["from_version"], d["to_version"], d["deal"], d["scores"]) for d in found]
        assert told == [(row[1], row[2], row[3], row[7]) for row in rows]
        assert sum(d["findings"] for d in found) == len(
            [
                one
                for one in audit(GAMES[log[0].game], log).findings
                if one.version <= min(open_upto(log[0].game, log), rows[-1][2])
            ]
        )
        page = get(f"/games/{game_id}/deals")
        assert (page["version"], page["as_of"]) == (len(log), len(log))


def test_a_game_that_no_list_knows_yet_has_no_deals_yet(client: Client, table: Table):
    page = client.get(table.path("/deals")).json
    assert (page["version"], page["as_of"], page["deals"]) == (table.version, 0, [])


def test_a_game_that_is_not_there_has_no_deals(reader: Client):
    answer = reader.get(f"/v1/games/{uuid4()}/deals")
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_game")


# Standings


def test_standings_are_sums_of_the_replays(get: Get, logs: dict[UUID, list[Any]]):
    found = walked(get, "/standings", "standings")
    assert len({(row["player"], row["game"]) for row in found}) == len(found)
    for row in found:
        mine = [
            (log[0].seats.index(row["player"]), fold(GAMES[row["game"]], log))
            for log in logs.values()
            if log[0].game == row["game"] and row["player"] in log[0].seats
        ]
        assert row["games"] == len(mine)
        assert row["wins"] == sum(state.winner == seat for seat, state in mine)
        if row["game"] == "rummy500":
            assert row["points"] == sum(state.totals[seat] for seat, state in mine)
            assert row["chips"] is row["loos"] is None
            assert row["calls_made"] == row["calls_won"] + row["calls_lost"]
        else:
            assert row["chips"] == sum(state.balances[seat] for seat, state in mine)
            assert row["points"] is row["calls_made"] is None
    assert {row["name"] for row in found if row["player"] == str(UUID(int=1))} == {"Ann"}


@pytest.mark.parametrize(
    "by", ["player", "games", "deals", "wins", "points", "calls_won", "loos", "chips"]
)
def test_standings_come_in_order_and_pages_pass_over_nobody(get: Get, by: str):
    found = walked(get, f"/standings?by={by}", "standings", limit=1)
    assert found == get(f"/standings?by={by}&limit=100")["standings"]
    if by == "player":
        assert [row["player"] for row in found] == sorted(row["player"] for row in found)
    else:
        values = [row[by] for row in found]
        known = [value for value in values if value is not None]
        assert values == sorted(known, reverse=True) + [None] * (len(values) - len(known))


def test_standings_of_one_player_and_one_game(get: Get):
    player = str(UUID(int=2))
    (row,) = get(f"/standings?player={player}&game=lanterloo")["standings"]
    assert (row["player"], row["game"]) == (player, "lanterloo")


# Findings


def test_findings_are_those_of_the_audits(get: Get, logs: dict[UUID, list[Any]]):
    found = walked(get, "/findings", "findings", limit=1)
    wanted = []
    for game_id, log in logs.items():
        report = audit(GAMES[log[0].game], log)
        upto = open_upto(log[0].game, log)
        both = sorted((*report.findings, *report.unchecked), key=lambda one: one.version)
        wanted += [(str(game_id), o.version, o.code, o.params) for o in both if o.version <= upto]
    assert [(f["game_id"], f["version"], f["code"], f["params"]) for f in found] == wanted != []
    assert all(one["text"].endswith(".") for one in found)


def test_findings_are_found_by_code_rule_game_and_severity(get: Get):
    every = get("/findings?limit=100")["findings"]
    one = every[0]
    for name in ("code", "rule", "game", "game_id", "severity"):
        some = walked(get, f"/findings?{name}={one[name]}", "findings")
        assert some == [other for other in every if other[name] == one[name]]
    assert get("/findings?code=NO_SUCH_CODE")["findings"] == []


def test_findings_are_told_in_the_readers_language(reader: Client):
    answer = reader.get("/v1/findings?limit=1", headers={"Accept-Language": "ja"})
    assert answer.headers["Content-Language"] == "ja"
    assert not answer.json["findings"][0]["text"].isascii()


# Who sees what


def token(*scopes: Scope, game_id: UUID | None = None, seat: int | None = None) -> Token:
    held: frozenset[Scope] = frozenset(scopes or ("games:read",))
    return Token(token_id=uuid4(), name="a test", scopes=held, game_id=game_id, seat=seat)


@pytest.mark.parametrize("visibility", ["unlisted", "private"])
def test_lists_show_only_public_games(
    engine: Engine, database: Database, client: Client, open_client: Client, visibility: str
):
    hidden, shown = uuid4(), uuid4()
    log = over(with_breach())
    with engine.begin() as conn:
        for game_id, kind in ((hidden, visibility), (shown, "public")):
            recorder.open_game(conn, log[0], game_id=game_id, recorded_by=WHO, visibility=kind)
            recorder.record(
                conn, game_id, log[1:], expected_version=1, command_id=uuid4(), recorded_by=WHO
            )
    project(database, engine)

    def told(get: Client, path: str, rows: str) -> set[str]:
        return {row["game_id"] for row in get.get(f"/v1{path}").json[rows]}

    assert told(client, "/findings", "findings") == {str(shown)}
    assert told(client, "/games?findings=true", "games") == {str(shown)}
    assert client.get("/v1/standings").json["standings"][0]["games"] == 1
    assert told(open_client, "/findings", "findings") == {str(shown), str(hidden)}
    assert open_client.get("/v1/standings").json["standings"][0]["games"] == 2
    code = client.get(f"/v1/games/{hidden}/deals").status_code
    assert code == (404 if visibility == "private" else 200)
    own = Asker(token=token(game_id=hidden, seat=0))
    with engine.connect() as conn:
        page = catalogue.findings_of(conn, FindingsQuery(), own)
        assert {row.game_id for row in page.rows} == {shown, hidden}
        assert catalogue.standings(conn, StandingsQuery(), own).rows[0].games == 2
        assert len(catalogue.games(conn, ListQuery(), own).rows) == 2


@pytest.mark.parametrize(
    ("asker", "sees"),
    [
        (PUBLIC, False),
        (Asker(trusted=True), False),
        (OWNER, True),
        (Asker(token=token()), False),
        (Asker(token=token("admin", "games:read")), True),
        (Asker(token=token("admin", game_id=UUID(int=8))), True),
        (Asker(token=token("admin", game_id=UUID(int=9))), False),
        (Asker(token=token(game_id=UUID(int=8), seat=0)), False),
    ],
    ids=["public", "trusted", "owner", "reader", "admin", "admin here", "admin there", "seat"],
)
def test_a_finding_of_a_deal_in_play_is_for_who_sees_all(archive: Engine, asker: Asker, sees: bool):
    game_id = UUID(int=8)
    with archive.connect() as conn:
        found = catalogue.findings_of(conn, FindingsQuery(game_id=game_id), asker).rows
        _, page = catalogue.deals(conn, game_id, DealsQuery(), asker)
        (deal,) = page.rows
        ids = [row.game_id for row in catalogue.games(conn, ListQuery(findings=True), asker).rows]
    assert bool(found) == bool(deal.findings) == (game_id in ids) == sees


def test_no_finding_of_a_deal_in_play_is_told(client: Client, engine: Engine, database: Database):
    table = Table.recorded(client)
    assert table.record(draw(1), discard(1, "KH")).status_code == 201  # a card of the other hand
    project(database, engine)
    for path in ("/findings", f"/findings?game_id={table.game_id}", "/games?findings=true"):
        assert "KH" not in client.get(f"/v1{path}").text
    assert client.get("/v1/findings").json["findings"] == []
    assert client.get("/v1/games?findings=true").json["games"] == []
    (deal,) = client.get(table.path("/deals")).json["deals"]
    assert (deal["findings"], deal["unchecked"], deal["scores"]) == (0, 0, None)


# Cursors


@pytest.mark.parametrize("name", ["games", "deals", "standings wins", "findings"])
def test_a_cursor_is_read_as_it_was_written(name: str):
    keys = [-7, str(UUID(int=3)), "rummy500"]
    assert keys_of(name, cursor(name, keys), tuple[int, UUID, str]) == (-7, UUID(int=3), "rummy500")


@pytest.mark.parametrize("path", ["/standings", "/findings", f"/games/{UUID(int=1)}/deals"])
def test_a_cursor_that_was_not_given_out_is_refused(reader: Client, path: str):
    ours = cursor("findings", [str(UUID(int=1)), 1])
    others = [
        cursor("games", [1]),
        cursor("deals", ["x"]),
        ours[:-2],
        ours + "A",
        "",
        "é",
        "A" * 999,
    ]
    for text in [*others, *([ours] if "findings" not in path else [])]:
        answer = reader.get(f"/v1{path}", query_string={"cursor": text})
        assert (answer.status_code, answer.json["code"]) == (400, "bad_cursor"), text


@pytest.mark.parametrize("number", [-1, 2**31, 2**63, 10**30, 1.0, True, None, "1"])
def test_no_number_in_a_cursor_is_too_large_for_the_database(reader: Client, number: Any):
    """Whoever makes one up is refused as for any other text: that would be a failure of the service."""
    first = str(UUID(int=1))
    for path, text in (
        (f"/v1/games/{first}/deals", cursor("deals", [number])),
        ("/v1/findings", cursor("findings", [first, number])),
        ("/findings", cursor("findings", [first, number])),
    ):
        answer = reader.get(path, query_string={"cursor": text})
        assert answer.status_code == 400, (path, answer.text)
    most = cursor("standings wins", ["9" * 41, first, "rummy500"])
    assert reader.get(f"/v1/standings?cursor={most}").json["standings"] == []
    beyond = cursor("standings wins", ["9" * 42, first, "rummy500"])
    assert reader.get(f"/v1/standings?cursor={beyond}").status_code == 400


def test_a_cursor_of_another_order_is_refused(get: Get, reader: Client):
    following = get("/standings?by=wins&limit=1")["next"]
    answer = reader.get(f"/v1/standings?by=games&cursor={following}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_cursor")


def test_no_random_text_is_a_cursor():
    rng = random.Random(1)
    for _ in range(300):
        text = "".join(rng.choices("ABCDEFabcdef0123456789-_=", k=rng.randrange(40)))
        with pytest.raises(RequestError):
            keys_of("findings", text, tuple[UUID, int])


# What it costs


@pytest.mark.parametrize(
    ("path", "queries", "of_nothing"),
    [
        (f"/games?player={UUID(int=1)}&findings=false&limit=100", 3, 2),
        (f"/games/{UUID(int=1)}/deals?limit=100", 2, 2),
        ("/standings?limit=100", 2, 2),
        ("/findings?limit=100", 1, 1),
    ],
    ids=["games", "deals", "standings", "findings"],
)
@pytest.mark.parametrize("games", [0, 10])
def test_a_list_costs_the_same_for_any_archive(
    engine: Engine,
    database: Database,
    client: Client,
    logs: dict[UUID, list[Any]],
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    queries: int,
    of_nothing: int,
    games: int,
):
    with engine.begin() as conn:
        for game_id, log in list(logs.items())[:games]:
            recorder.import_games(conn, [Import(game_id, log, {}, {}, 1)], WHO)
        recorder.open_game(conn, logs[UUID(int=8)][0], game_id=UUID(int=99), recorded_by=WHO)
    if games:
        project(database, engine)
    path = path if games else path.replace(f"/games/{UUID(int=1)}", f"/games/{UUID(int=99)}")
    client.get(f"/v1{path}")  # the first one connects
    with counted(monkeypatch) as sent:
        assert client.get(f"/v1{path}").status_code == 200
    assert len(sent) == (queries if games else of_nothing)
