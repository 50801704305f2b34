"""A page of a list is read from as many blocks of the database in a large archive as in a small one, whatever is asked for.

Every parameter of every list is asked for, alone and in pairs, by who sees all games and by who sees few of them. That
the number of statements stays the same is for `test_queries`.
"""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, Final, get_args
from urllib.parse import urlencode
from uuid import UUID

import msgspec
import pytest

from api.described import TABLE
from api.lists_wire import By
from tests.api.conftest import MakeApp
from tests.api.growing import Archive, blocks_counted
from tests.api.passes import Bearer, made
from tests.api.table import Client, Table, post
from tests.postgres import Database
from tests.projections.store import keep

pytestmark = [pytest.mark.store, pytest.mark.http]

PATHS: Final = {
    "games.list_games": "/v1/games",
    "lists.list_deals": "/v1/games/{common}/deals",
    "lists.list_standings": "/v1/standings",
    "lists.list_findings": "/v1/findings",
    "disputes.list_disputes": "/v1/disputes",
    "viewer.lists.list_page": "/",
    "viewer.lists.standings_page": "/standings",
    "viewer.lists.findings_page": "/findings",
}
"""Every address that gives a list in pages."""
SHAPE: Final = {"limit", "cursor", "lang"}
"""What asks for no other rows, only for fewer of them or other words."""
THROUGH: Final = {"findings"}
"""What goes through the breaches that are known, or the games that have none (docs/decisions/0023-kinds.md)."""
SUMS: Final = {"lists.list_standings", "viewer.lists.standings_page"}
"""What adds up all games by design, but for one player alone (docs/http.md)."""
FEW, MANY = 5_000, 25_000
MORE: Final = 30
"""Blocks by which an answer may grow all the same: an index has one more level, a plan is another."""

Query = tuple[tuple[str, str], ...]


def values(archive: Archive) -> dict[str, list[str]]:
    """Return what is asked for by each parameter: what nearly all games have, what hardly one has, what none has."""
    common, rare = archive.players(archive.common), archive.players(archive.rare)
    code, rule = archive.finding()
    names = ["Una", "Rae", "nobody is called so", archive.rare[:13]]
    return {
        "game": ["rummy500", "lanterloo"],
        "status": ["ended", "open"],
        "mode": ["recorded", "refereed"],
        "ruleset": ["seed", "seed-loo3", "none-is-called-so"],
        "player": [str(common[0]), str(rare[0]), str(UUID(int=77))],
        "search": names,
        "q": names,
        "since": ["2000-01-01T00:00:00Z", "2090-01-01T00:00:00Z", "2099-01-01T00:00:00Z"],
        "until": ["2099-01-01T00:00:00Z", "2002-01-01T00:00:00Z", "2000-01-01T00:00:00Z"],
        "by": list(get_args(By)),
        "severity": ["breach", "unchecked"],
        "code": [code, "RARE_CODE", "NO_SUCH_CODE"],
        "rule": [rule, "L-4.8", "R-99.9"],
        "game_id": [archive.common, archive.rare],
        "words": ["whoever"],
        "tag": ["precedent"],
        "standing": ["open", "final"],
    }


def parameters(endpoint: str) -> list[str]:
    fields = msgspec.structs.fields(TABLE[endpoint].query)
    return [field.encode_name for field in fields if field.encode_name not in SHAPE | THROUGH]


def queries(endpoint: str, known: dict[str, list[str]]) -> Iterator[Query]:
    """Yield nothing asked for, each parameter alone, and each two of those that tell a kind from another."""
    names = parameters(endpoint)
    yield ()
    for name in names:
        assert name in known, (
            f"{endpoint} takes {name}: say what to ask for, and see that an index serves it"
        )
        yield from (((name, value),) for value in known[name])
    kinds = [
        name
        for name in names
        if name in ("game", "status", "mode", "ruleset", "code", "rule", "severity")
    ]
    for one, other in combinations(kinds, 2):
        yield from (((one, a), (other, b)) for a, b in product(known[one][:2], known[other][:2]))


def paths(archive: Archive) -> Iterator[str]:
    known = values(archive)
    for endpoint, path in PATHS.items():
        for query in queries(endpoint, known):
            if endpoint in SUMS and dict(query).get("player") in (None, known["player"][0]):
                continue
            limit = (("limit", "5"),) if path.startswith("/v1") else ()
            yield f"{path.format(common=archive.common)}?{urlencode(query + limit)}"


def costs(client: Any, archive: Archive, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return how many blocks each answer is read from, with the page after it where there is one."""
    found = dict[str, int]()
    for path in paths(archive):
        with blocks_counted(monkeypatch) as read:
            answer = client.get(path)
            assert answer.status_code == 200, (path, answer.text)
            following = answer.json["next"] if answer.is_json else None
            if following is not None:
                assert client.get(f"{path}&cursor={following}").status_code == 200
        found[path] = sum(count for count, _ in read)
    return found


def test_every_list_is_asked():
    pages = {name for name, one in TABLE.items() if "cursor" in one.query.__struct_fields__}
    assert set(PATHS) == pages


@pytest.mark.parametrize(
    ("visibility", "who"),
    [("public", ["reader"]), ("unlisted", ["public", "player"])],
    ids=["who sees all", "who sees few"],
)
def test_a_page_costs_the_same_in_any_archive(
    make_app: MakeApp,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    visibility: str,
    who: list[str],
):
    client = make_app().test_client()
    archive = Archive(database, client, visibility)
    archive.grow(FEW)
    passes = {
        "public": None,
        "reader": made(database, "games:read"),
        "player": made(database, "games:read", game=archive.common, seat=0),
    }
    askers = {name: Bearer(client, passes[name]) for name in who}
    before = {name: costs(one, archive, monkeypatch) for name, one in askers.items()}
    archive.grow(MANY - FEW)
    after = {name: costs(one, archive, monkeypatch) for name, one in askers.items()}
    grown = [
        f"{path} by {name}: {count} blocks among {FEW} games, {after[name][path]} among {MANY}"
        for name, found in before.items()
        for path, count in found.items()
        if after[name][path] > 1.5 * count + MORE
    ]
    assert not grown, "\n".join(grown)


def remark(seat: int) -> dict[str, Any]:
    return {"t": "remarked", "v": 2, "seat": seat, "text": "0" * 64, "about": None}


def test_an_act_of_a_seat_and_a_game_shown_cost_the_same_however_long_the_game_is(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch
):
    table = Table.recorded(client)
    seat = made(database, "games:read", "games:write", game=table.game_id, seat=1)
    table.client = Bearer(client, made(database, "games:write", game=table.game_id))

    def cost() -> tuple[int, int]:
        body = {"events": [remark(1)], "expected_version": table.version}
        with blocks_counted(monkeypatch) as recording:
            answer = post(client, table.path("/events"), body, seat.header)
        assert answer.status_code == 201, answer.text
        table.version += 1
        keep(database)
        with blocks_counted(monkeypatch) as showing:
            assert client.get(table.path()).status_code == 200
        return sum(count for count, _ in recording), sum(count for count, _ in showing)

    cost()  # reads the log
    recording, showing = cost()
    assert table.record(*[remark(0)] * 450).status_code == 201
    cost()
    after = cost()
    assert after[0] <= recording + 6
    assert after[1] <= showing + 6
