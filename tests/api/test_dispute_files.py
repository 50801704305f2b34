"""Disputes go out with their game and come in with it; what cannot be is refused, and texts can be erased."""

from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from pyarrow import parquet

from api import db, files, issuing
from api.cli import main
from events import docket, erasure, store
from events.formats import ndjson
from events.records import Head, StoredEvent
from projections.sealer import Sealer
from tests.api import passes
from tests.api.apps import application
from tests.api.conftest import MakeApp
from tests.api.disputing import CLAIM, GAME, RULING, Case, imported, scores
from tests.api.passes import Bearer
from tests.api.table import Client, send_file
from tests.postgres import Cluster, Database
from tests.projections.store import session

pytestmark = [pytest.mark.store, pytest.mark.http]

PATH = f"/v1/games/{GAME}/export.ndjson"


@pytest.fixture
def case(client: Client) -> Case:
    """The shipped game, disputed and ruled on."""
    found = Case.opened(imported(client))
    assert found.act({"do": "say", "seat": 1, "text": "Nobody objected."}).status_code == 201
    assert found.act(RULING).status_code == 201
    return found


def seal(database: Database) -> int:
    """Take all that was appended into the ledger, and return its last position."""
    with session(database) as own:
        done = Sealer(own).round()
    assert done is not None
    return done.position


def elsewhere(cluster: Cluster, make: Any) -> Any:
    """What *make* returns for a client of another store."""
    with cluster.fresh() as database, application(database.config) as app:
        return make(app.test_client(), database)


def test_a_game_goes_out_with_its_disputes_and_comes_in_with_them(case: Case, cluster: Cluster):
    exported = case.client.get(PATH).data
    assert ndjson.verify(BytesIO(exported)) == ndjson.VerifyResult(True, 2, 239, None)
    shown = case.shown()

    def there(client: Client, _database: Database) -> tuple[Any, Any, bytes]:
        answer = send_file(client, exported)
        assert answer.json["imported"] == [GAME, case.dispute_id], answer.text
        assert send_file(client, exported).json["present"] == [GAME, case.dispute_id]
        other = Case(client, case.dispute_id, 3)
        return other.shown(), scores(client), client.get(PATH).data

    assert elsewhere(cluster, there) == (shown, scores(case.client), exported)


def test_the_command_line_does_the_same(
    case: Case, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    for words in ((GAME,), ("--all",)):
        file = tmp_path / f"{words[0]}.ndjson"
        assert main(["export", *words, "-o", str(file)]) == 0
        assert main(["verify", str(file)]) == 0
        assert file.read_bytes().count(b'"t":"dispute_opened"') == 1
        assert main(["import", str(file)]) == 0
    assert main(["export", GAME, "--format", "txt", "-o", str(tmp_path / "x.txt")]) == 0
    assert main(["verify", "--store", "--jobs", "1"]) == 0
    assert case.shown()["version"] == 3


def test_tables_pages_and_what_is_new_have_the_disputes(
    case: Case, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    seal(database)
    for number, words in enumerate((("--all",), ("--since", "0"))):
        folder = tmp_path / str(number)
        assert main(["export", *words, "--format", "parquet", "-o", str(folder)]) == 0
        [dispute] = parquet.read_table(folder / "disputes.parquet").to_pylist()
        [ruling] = parquet.read_table(folder / "rulings.parquet").to_pylist()
        assert (dispute["dispute_id"], dispute["versions"]) == (case.dispute_id, [105, 107])
        assert (ruling["reasons"], ruling["in_force"]) == (RULING["text"], True)
        pages = tmp_path / f"pages{number}"
        assert main(["export", *words, "--format", "html", "-o", str(pages)]) == 0
        assert RULING["text"] in (pages / f"{GAME}.html").read_text()
        file = tmp_path / f"{number}.txt"
        assert main(["export", *words, "--format", "txt", "-o", str(file)]) == 0
        assert file.read_text().count(f"# dispute {case.dispute_id} about game {GAME}") == 1
        file = tmp_path / f"{number}.csv"
        table = ["--format", "csv", "--table", "rulings"]
        assert main(["export", *words, *table, "-o", str(file)]) == 0
        assert file.read_text().count(case.dispute_id) == 1


@pytest.mark.parametrize(("lang", "words"), [("en", "As ruled: P1"), ("ja", "裁定どおり: P1")])
def test_a_page_in_a_file_says_what_was_ruled(case: Case, lang: str, words: str):
    page = case.client.get(f"/v1/games/{GAME}/export.html?lang={lang}").text
    assert CLAIM["claim"] in page
    assert RULING["text"] in page
    assert words in page
    assert "501" in page


def test_a_dispute_that_grew_since_its_page_was_made_makes_it_anew(
    case: Case, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    last = seal(database)
    assert case.act({"do": "tag", "tags": ["deep-card"]}).status_code == 201
    seal(database)
    folder = tmp_path / "new"
    words = ["export", "--since", str(last), "--format", "html", "-o", str(folder)]
    assert main(words) == 0
    assert [path.stem for path in folder.iterdir()] == [GAME]


def test_an_altered_text_is_found(case: Case):
    exported = case.client.get(PATH).data
    altered = exported.replace(b"Nobody objected.", b"Everybody agreed")
    found = ndjson.verify(BytesIO(altered)).first_bad
    assert found is not None
    assert (str(found.game_id), found.version) == (case.dispute_id, 2)


def pieces(case: Case) -> list[files.Filed]:
    """The game and its dispute, as a file has them."""
    app: Any = case.client.application
    with app.extensions["lanterlog"].engine.connect() as conn:
        game = store.head(conn, UUID(GAME)), store.read(conn, UUID(GAME))
        return list(files.gather(conn, files.with_disputes(conn, [game])))


def refusal(cluster: Cluster, games: list[files.Filed]) -> str:
    data = b"".join(files.write_ndjson(games))

    def reason(client: Client, _database: Database) -> str:
        return str(send_file(client, data).json["reason"])

    return str(elsewhere(cluster, reason))


def rechained(filed: files.Filed, bodies: list[bytes]) -> files.Filed:
    """The same stream with other events, its chain worked out anew."""
    from events.chain import NIL_HEAD, event_hash, inner_hash

    previous, stored = NIL_HEAD, list[StoredEvent]()
    for version, body in enumerate(bodies, 1):
        old = filed.stored[min(version, len(filed.stored)) - 1]
        inner = inner_hash(old.salt, body)
        previous = event_hash(
            old.game_id, version, previous, old.recorded_at, old.recorded_by, inner
        )
        stored.append(msgspec.structs.replace(old, version=version, body=body, hash=previous))
    head: Head = msgspec.structs.replace(filed.head, version=len(bodies), head=previous)
    return msgspec.structs.replace(filed, head=head, stored=stored, remarks={})


def test_a_dispute_comes_with_its_game(case: Case, cluster: Cluster):
    game, dispute = pieces(case)
    assert "which is not here" in refusal(cluster, [dispute])
    bodies = [event.body for event in dispute.stored]
    other = bodies[0].replace(game.head.head.hex().encode(), b"0" * 64)
    assert "went on otherwise" in refusal(cluster, [game, rechained(dispute, [other])])


def test_a_file_of_what_no_dispute_can_be_is_refused(case: Case, cluster: Cluster):
    game, dispute = pieces(case)
    opened, said, ruled = (event.body for event in dispute.stored)
    for bodies in ([opened, ruled, ruled], [opened, opened], [opened, ruled, said]):
        assert "WRONG_STANDING" in refusal(cluster, [game, rechained(dispute, bodies)])
    assert "WRONG_STANDING" in refusal(cluster, [game, rechained(dispute, [said])])


def test_rulings_are_brought_in_by_arbiters(case: Case, cluster: Cluster):
    exported = case.client.get(PATH).data

    def answers(client: Client, database: Database) -> list[int]:
        scribe = Bearer(client, passes.made(database, "games:write"))
        arbiter = Bearer(client, passes.made(database, "admin"))
        return [send_file(who, exported).status_code for who in (scribe, arbiter)]

    assert elsewhere(cluster, answers) == [403, 201]


@pytest.mark.parametrize(("reach", "left"), [("own", [None, 1, 1]), ("games", [None, 1, None])])
def test_a_persons_texts_go_and_stay_away(
    case: Case, database: Database, make_app: MakeApp, reach: Any, left: list[int | None]
):
    exported = case.client.get(PATH).data
    person = UUID(case.shown()["by"])
    name = case.client.get(f"/v1/games/{GAME}").json["players"][0]["name"]
    assert case.act({"do": "appeal", "seat": 1, "text": f"{name} is wrong."}).status_code == 201
    with issuing.owner(database.config) as conn:
        done = erasure.erase(conn, person, reach, UUID(int=0))
    texts = [line["text"] for line in case.shown()["events"]]
    assert [None if text is None else 1 for text in texts] == [None, 1, 1, left[2]]
    own = [version for game_id, version in done.texts if str(game_id) == case.dispute_id]
    assert own == [version for version, text in enumerate(texts, 1) if text is None]
    assert CLAIM["claim"] not in str(case.client.get(PATH).data)
    assert ndjson.verify(BytesIO(case.client.get(PATH).data)).ok
    assert send_file(case.client, exported).status_code == 409  # it went on since
    engine = db.engine(database.config)
    with engine.connect() as conn:
        assert docket.load(conn, UUID(case.dispute_id)).dispute.standing == "appealed"
    engine.dispose()


def test_an_old_file_brings_no_erased_text_back(case: Case, cluster: Cluster):
    exported = case.client.get(PATH).data
    person = UUID(case.shown()["by"])

    def claim(client: Client, database: Database) -> Any:
        with issuing.owner(database.config) as conn:
            erasure.erase(conn, person, "own", UUID(int=0))
        assert send_file(client, exported).status_code == 201
        return [line["text"] for line in Case(client, case.dispute_id, 3).shown()["events"]]

    assert elsewhere(cluster, claim) == [None, "Nobody objected.", RULING["text"]]


def test_a_ruling_becomes_a_case_that_is_tested(
    case: Case,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    file = tmp_path / "ruling.yaml"
    assert main(["casebook", "export", "last", "-o", str(file)]) == 0
    capfd.readouterr()
    assert main(["casebook", "check", str(file)]) == 0
    assert capfd.readouterr().out == "1 passed, 0 failed, 0 not run\n"
    assert RULING["text"] in " ".join(file.read_text().split())
    other = Case.opened(case.client)
    against = RULING | {"facts": [{"version": 105, "code": "RUN_END"}]}
    assert other.act(against).status_code == 201
    assert main(["casebook", "export", "last", "-o", str(file)]) == 1
    assert "says otherwise: error: expected RUN_END, got " in capfd.readouterr().err
    assert "note:" in file.read_text()
    assert main(["casebook", "check", str(file)]) == 1
