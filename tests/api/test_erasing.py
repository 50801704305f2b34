"""A person is erased: nothing that tells the name is left, every hash still holds, and nothing comes back."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Engine, create_engine, pool
from sqlalchemy.exc import ProgrammingError

from api import db
from api.cli import main
from events import administration, erasure, recorder, store
from events.chain import text_hash
from events.common import GameOpened, Remarked
from events.errors import UnknownPerson
from events.games import RUMMY500
from events.version import ENGINE
from tests.postgres import Cluster, Database, both_servers, connected
from tests.waiting import joined, until

pytestmark = [pytest.mark.store, both_servers]

CANARY = "Zaphkiel Quetzalcanary"
SAID = "the cuttlefish was mine"
ZED, BOB = UUID(int=0x2ED), UUID(int=0xB0B)
WHO = UUID(int=7)


@pytest.fixture(autouse=True)
def _settings(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", database.superuser_url)


@pytest.fixture
def owner(database: Database) -> Iterator[Engine]:
    """The owner's connections, without being a superuser."""
    with db.as_owner(replace(database.config, migration_database_url=database.owner_url)) as engine:
        yield engine


def table(engine: Engine, seats: tuple[UUID, ...], *remarks: tuple[int, str]) -> UUID:
    """A recorded game with these people, and remarks by seats: versions 2, 3 and so on."""
    opened: GameOpened[object] = GameOpened(
        game="rummy500",
        ruleset=RUMMY500.presets["seed"],
        engine=ENGINE,
        seats=tuple(map(str, seats)),
        first_dealer=0,
        mode="recorded",
        source=None,
    )
    names = {str(ZED): CANARY, str(BOB): "Bob"}
    with engine.begin() as conn:
        game = recorder.open_game(conn, opened, recorded_by=WHO, names=names)
        for seat, text in remarks:
            salt = uuid4().bytes
            said = Remarked(seat=seat, text=text_hash(salt, text).hex())
            recorder.record(
                conn, game.game_id, [said], expected_version=None, command_id=uuid4(),
                recorded_by=WHO, texts={0: (salt, text)},
            )  # fmt: skip
    return game.game_id


@pytest.fixture
def game(engine: Engine, database: Database) -> UUID:
    """Zed's table: he speaks, Bob speaks of him, Bob speaks of other things."""
    made = table(
        engine, (BOB, ZED), (1, SAID), (0, f"well played, {CANARY.upper()}!"), (0, "good night")
    )
    with connected(database.worker_url) as conn:
        conn.exec_driver_sql("SELECT lanterlog.seal(1000)")
        conn.commit()
    return made


def texts_of(engine: Engine, game_id: UUID) -> dict[int, str]:
    with engine.connect() as conn:
        return {version: text.text for version, text in store.texts(conn, game_id).items()}


def name_of(engine: Engine, person: UUID) -> str | None:
    with engine.connect() as conn:
        return store.people(conn, [person]).get(person)


def files_with(cluster: Cluster, database: Database, words: str) -> list[Path]:
    """The files of the database in which some words stand, after everything was written to them."""
    cluster.run("CHECKPOINT")
    with connected(database.superuser_url) as conn:
        oid = conn.exec_driver_sql(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).scalar_one()
    folder = cluster.server.data / "base" / str(oid)
    return [file for file in folder.iterdir() if words.encode() in file.read_bytes()]


def rows_with(conn: Connection, words: str) -> list[str]:
    """The tables, of whatever schema, in which some words stand."""
    tables = conn.exec_driver_sql(
        "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relkind IN ('r', 'm') AND n.nspname NOT LIKE 'pg_toast%%'"
    ).scalars()
    found = (
        (name, conn.exec_driver_sql(
            f"SELECT count(*) FROM {name} t WHERE strpos(lower(t::text), %s) > 0", (words.lower(),)
        ).scalar_one())
        for name in list(tables)
    )  # fmt: skip
    return [name for name, count in found if count]


@pytest.mark.usefixtures("game")
def test_no_file_no_table_and_no_export_has_the_name(
    cluster: Cluster, database: Database, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cluster_wide = connected(database.superuser_url)
    with cluster_wide as conn:
        conn.exec_driver_sql("ANALYZE")  # whose samples are copies, too
        conn.commit()
        for words in (CANARY, SAID):
            assert files_with(cluster, database, words) != []
            assert rows_with(conn, words) != []
        conn.rollback()
        assert main(["erase", CANARY, "--yes"]) == 0
        for words in (CANARY, CANARY.upper(), CANARY.lower(), SAID):
            assert files_with(cluster, database, words) == []
            assert rows_with(conn, words) == []
    for form in ("ndjson", "txt"):
        file = tmp_path / f"all.{form}"
        assert main(["export", "--all", "--format", form, "-o", str(file)]) == 0
        exported = file.read_text()
        assert "Bob" in exported
        assert "good night" in exported
        assert not re.search(f"{CANARY}|cuttlefish", exported, re.IGNORECASE)
    capfd.readouterr()
    assert main(["verify", str(tmp_path / "all.ndjson")]) == 0
    assert main(["verify", "--store"]) == 0
    assert capfd.readouterr().out.splitlines()[-1].startswith("sound: 2 games")


def test_what_goes_is_shown_first_without_erasing(
    game: UUID, engine: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["erase", str(ZED)]) == 2
    out, err = capfd.readouterr()
    assert f"{ZED}, in 1 game: the name '{CANARY}' and 2 texts go for good" in out
    assert f"{game}\t2 3" in out
    assert "expected --yes" in err
    assert name_of(engine, ZED) == CANARY


@pytest.mark.parametrize(
    ("reach", "here", "elsewhere"),
    [
        ("own", {3, 4}, {2, 3}),
        ("games", {4}, {2, 3}),
        ("all", {4}, {3}),
    ],
)
def test_which_texts_go_is_the_callers_choice(
    game: UUID,
    engine: Engine,
    owner: Engine,
    reach: erasure.Reach,
    here: set[int],
    elsewhere: set[int],
) -> None:
    other = table(engine, (BOB, WHO), (0, f"have you seen {CANARY}"), (1, "no"))
    with owner.begin() as conn:
        erasure.erase(conn, ZED, reach, WHO)
    assert set(texts_of(engine, game)) == here
    assert set(texts_of(engine, other)) == elsewhere


def test_it_is_on_record_and_names_nobody(game: UUID, engine: Engine, owner: Engine) -> None:
    for _ in range(2):
        with owner.begin() as conn:
            erasure.erase(conn, ZED, "games", WHO)
    with engine.connect() as conn:
        streams = [one for one in store.heads(conn) if one.kind == "admin"]
        assert [(one.game, one.visibility, one.version) for one in streams] == [
            (administration.NAME, "private", 2)
        ]
        log = recorder.load(conn, streams[0].game_id)
        assert log.events == [
            administration.PersonErased(player=str(ZED), texts=2),
            administration.PersonErased(player=str(ZED), texts=0),
        ]
        assert len(recorder.load(conn, game).events) == 4


@pytest.mark.usefixtures("game")
def test_a_replay_shows_that_somebody_was_erased(
    owner: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    with owner.begin() as conn:
        erasure.erase(conn, ZED, "games", WHO)
    assert main(["replay", "last"]) == 0
    lines = [line.split("\t")[1:] for line in capfd.readouterr().out.splitlines()]
    assert lines == [
        ["game: rummy500; players: A=Bob, B=(erased); ruleset: seed; dealer: A"],
        ["B remark: (erased)"],
        ["A remark: (erased)"],
        ["A remark: good night"],
    ]


@pytest.mark.usefixtures("game")
def test_an_old_export_brings_nothing_back(
    engine: Engine,
    owner: Engine,
    cluster: Cluster,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, foreign = tmp_path / "old.ndjson", tmp_path / "foreign.ndjson"
    assert main(["export", "--all", "-o", str(old)]) == 0
    with cluster.fresh() as other, monkeypatch.context() as there:
        there.setenv("DATABASE_URL", other.app_url)
        elsewhere = db.engine(other.config)
        strange = table(elsewhere, (ZED, BOB), (0, SAID), (1, "a strange table"))
        elsewhere.dispose()
        assert main(["export", "--all", "-o", str(foreign)]) == 0
    assert SAID in foreign.read_text()
    with owner.begin() as conn:
        erasure.erase(conn, ZED, "games", WHO)
    assert main(["import", str(old), str(foreign)]) == 0
    assert name_of(engine, ZED) == store.ERASED_NAME
    assert texts_of(engine, strange) == {3: "a strange table"}
    with connected(database.superuser_url) as conn:
        assert rows_with(conn, CANARY) == []


def test_a_game_that_is_gone_comes_back_without_what_was_erased(
    game: UUID, engine: Engine, owner: Engine, database: Database, tmp_path: Path
) -> None:
    """As after the restore of a backup that was older than the game, but younger than the erasure."""
    old = tmp_path / "old.ndjson"
    assert main(["export", "--all", "-o", str(old)]) == 0
    with owner.begin() as conn:
        erasure.erase(conn, ZED, "games", WHO)
    with connected(database.superuser_url) as conn:
        for name in ("texts", "commands", "ledger", "outbox", "events", "games"):
            conn.exec_driver_sql(f"ALTER TABLE lanterlog.{name} DISABLE TRIGGER ALL")
            conn.exec_driver_sql(f"DELETE FROM lanterlog.{name} WHERE game_id = %s", (game,))
            conn.exec_driver_sql(f"ALTER TABLE lanterlog.{name} ENABLE TRIGGER ALL")
        conn.exec_driver_sql("ALTER TABLE lanterlog.texts ENABLE ALWAYS TRIGGER pass_over_erased")
        conn.commit()
    assert main(["import", str(old)]) == 0
    assert texts_of(engine, game) == {4: "good night"}


def test_a_name_that_is_being_written_does_not_slip_through(engine: Engine, owner: Engine) -> None:
    def erase() -> None:
        with owner.begin() as conn:
            erasure.erase(conn, ZED, "games", WHO)

    with engine.begin() as conn:
        store.ensure_people(conn, {ZED: CANARY})
        waiting = Thread(target=erase, daemon=True)
        waiting.start()
        wait_for_a_lock(engine)
    joined(waiting)
    assert name_of(engine, ZED) == store.ERASED_NAME


def test_a_name_that_waits_for_an_erasure_is_not_written(
    engine: Engine, owner: Engine, database: Database
) -> None:
    def name() -> None:
        with engine.begin() as conn:
            store.ensure_people(conn, {ZED: CANARY})

    with owner.begin() as conn:
        erasure.erase(conn, ZED, "games", WHO)
        waiting = Thread(target=name, daemon=True)
        waiting.start()
        wait_for_a_lock(engine)
    joined(waiting)
    with connected(database.superuser_url) as conn:
        assert rows_with(conn, CANARY) == []


def wait_for_a_lock(engine: Engine) -> None:
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND database ="
    with db.autocommit(engine).connect() as conn:
        until(
            lambda: conn.exec_driver_sql(
                f"{waiting} (SELECT oid FROM pg_database WHERE datname = current_database())"
            ).scalar_one()
        )


@pytest.mark.usefixtures("game")
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM lanterlog.people",
        "UPDATE lanterlog.people SET name = ''",
        "DELETE FROM lanterlog.texts",
        "INSERT INTO lanterlog.erased_people VALUES (gen_random_uuid())",
        "DELETE FROM lanterlog.erased_people",
        "DELETE FROM lanterlog.erased_texts",
    ],
)
@pytest.mark.parametrize("login", ["app", "worker"])
def test_only_the_owner_erases(database: Database, statement: str, login: str) -> None:
    url = database.app_url if login == "app" else database.worker_url
    with (
        create_engine(url, poolclass=pool.NullPool).connect() as conn,
        pytest.raises(ProgrammingError, match="permission denied"),
    ):
        conn.exec_driver_sql(statement)


def test_a_name_must_mean_one_person(engine: Engine, owner: Engine) -> None:
    with engine.begin() as conn:
        store.ensure_people(conn, {uuid4(): "Ann", uuid4(): "Ann", ZED: CANARY})
    with owner.connect() as conn:
        with pytest.raises(UnknownPerson, match="nobody has this name"):
            erasure.find_person(conn, "ann")
        with pytest.raises(UnknownPerson, match="more than one person has this name"):
            erasure.find_person(conn, "Ann")
        assert erasure.find_person(conn, CANARY) == ZED
        assert erasure.find_person(conn, str(BOB)) == BOB


@pytest.mark.usefixtures("game")
def test_json_tells_what_to_keep_and_no_name(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["erase", CANARY, "--yes", "--json"]) == 0
    out = capfd.readouterr().out
    assert json.loads(out) == {"erased": str(ZED), "texts": 2, "left": 0}
