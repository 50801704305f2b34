"""The program's own PostgreSQL: shared by processes, found again after a kill, never over-opened."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine

import api
from api import placement
from api.config import Config
from api.embedded import SUPERUSER, Embedded, running
from api.postmaster import last_words
from events.errors import BadSetting, EmbeddedError
from events.schema import Roles
from tests.postgres import scratch
from tests.waiting import PATIENCE

pytestmark = pytest.mark.store

CHILD = """
import sys
from pathlib import Path
from api.embedded import Embedded
server = Embedded(Path(sys.argv[1]), settings={"fsync": "off"})
server.start()
print("started", flush=True)
for line in sys.stdin:
    print(server.stop(), flush=True)
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has PostgreSQL run as another")


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for a server of the test's own, in an open place."""
    folder = Path(tempfile.mkdtemp(prefix="lanterlog-test-", dir=scratch()))
    folder.chmod(0o755)
    yield folder / "home"
    shutil.rmtree(folder)


def server(home: Path, **options: object) -> Embedded:
    return Embedded(home, settings={"fsync": "off"}, **options)  # type: ignore[arg-type]


@pytest.fixture
def start_child(home: Path) -> Iterator[Callable[[], "subprocess.Popen[str]"]]:
    """Start another process that uses the same server."""
    children: list[subprocess.Popen[str]] = []

    def start() -> "subprocess.Popen[str]":
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(api.__file__).parents[1],
            text=True,
        )
        children.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        return child

    yield start
    for child in children:
        child.kill()
        child.communicate(timeout=PATIENCE)


def postmaster(home: Path) -> int:
    return int((home / "data" / "postmaster.pid").read_text().splitlines()[0])


def is_up(found: Embedded) -> bool:
    try:
        with found.connect() as conn:
            return conn.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def test_a_server_starts_in_a_new_folder_and_stops(home: Path) -> None:
    with server(home) as found:
        assert is_up(found)
        with found.connect("lanterlog") as conn:
            rows = conn.execute(
                "SELECT current_setting('server_encoding'), current_setting('listen_addresses'),"
                " current_setting('server_version_num')::int / 10000"
            )
            assert rows.fetchone() == ("UTF8", "", placement.MAJOR)
    assert not is_up(found)
    assert not (home / "data" / "postmaster.pid").exists()


def test_what_was_stored_is_there_at_the_next_start(home: Path) -> None:
    with server(home) as found, found.connect("lanterlog") as conn:
        conn.execute("CREATE TABLE kept AS SELECT 7 AS number")
    with server(home) as found, found.connect("lanterlog") as conn:
        assert conn.execute("SELECT number FROM kept").fetchone() == (7,)


def test_the_last_one_out_stops_the_server(
    home: Path, start_child: Callable[[], "subprocess.Popen[str]"]
) -> None:
    first = server(home)
    first.start()
    pid = postmaster(home)
    child = start_child()
    assert first.stop() is False
    assert is_up(first)
    assert postmaster(home) == pid
    assert child.communicate("stop\n", timeout=PATIENCE)[0] == "True\n"
    assert not is_up(first)


def test_a_process_may_take_two_shares(home: Path) -> None:
    with server(home) as first:
        second = server(home)
        second.start()
        assert second.stop() is False
        assert second.stop() is False
        assert is_up(first)


def test_a_server_that_a_killed_process_left_is_found_and_stopped(
    home: Path, start_child: Callable[[], "subprocess.Popen[str]"]
) -> None:
    child = start_child()
    pid = postmaster(home)
    child.send_signal(signal.SIGKILL)
    child.wait(PATIENCE)
    found = server(home)
    found.start()
    assert postmaster(home) == pid
    assert found.stop() is True
    assert not is_up(found)


def test_a_server_that_was_killed_itself_is_started_again(home: Path) -> None:
    found = server(home)
    found.start()
    pid = postmaster(home)
    with found.connect("lanterlog") as conn:
        conn.execute("CREATE TABLE kept AS SELECT 7 AS number")
    os.kill(pid, signal.SIGKILL)
    with server(home) as again, again.connect("lanterlog") as conn:
        assert conn.execute("SELECT number FROM kept").fetchone() == (7,)
        found.stop()


def test_a_note_whose_number_went_to_another_process_does_not_count(home: Path) -> None:
    with server(home):
        note = (home / "data" / "postmaster.pid").read_text().splitlines()
    stale = home / "data" / "postmaster.pid"
    stale.write_text("\n".join([str(os.getpid()), *note[1:]]) + "\n")
    with server(home) as found:
        assert is_up(found)


def test_a_forked_child_does_not_stop_its_parents_server(home: Path) -> None:
    with server(home) as found:
        child = os.fork()
        if child == 0:
            os._exit(int(found.stop()))
        assert os.waitpid(child, 0)[1] == 0
        assert is_up(found)


def test_half_a_cluster_is_made_anew(home: Path) -> None:
    (home / "data.new").mkdir(parents=True)
    (home / "data.new" / "PG_VERSION").write_text("18\n")
    with server(home) as found:
        assert is_up(found)


def test_data_of_another_version_are_left_alone(home: Path) -> None:
    (home / "data").mkdir(parents=True)
    (home / "data" / "PG_VERSION").write_text("16\n")
    with pytest.raises(EmbeddedError, match="made by PostgreSQL 16, expected 18"):
        server(home).start()


def test_a_file_in_place_of_the_folder_is_an_error_that_names_it(home: Path) -> None:
    home.write_text("")
    with pytest.raises(EmbeddedError, match=str(home)):
        server(home).start()


def test_a_server_that_cannot_start_says_why(home: Path) -> None:
    broken = Embedded(home, settings={"max_connections": "none"})
    with pytest.raises(EmbeddedError, match="pg_ctl failed"):
        broken.start()
    assert broken.stop() is False


def test_a_long_path_gets_a_short_socket(home: Path) -> None:
    deep = home.joinpath(*["d" * 60] * 2)
    with server(deep) as found:
        assert is_up(found)
        assert not found.sockets.is_relative_to(home)
        assert found.sockets.stat().st_mode & 0o077 == 0
    found.sockets.rmdir()


@pytest.mark.parametrize(
    "name", ["two words", "札幌", "it's 50% #1?a=b&c", "one,two", "back\\slash"]
)
def test_a_folder_may_have_any_name_that_a_shell_leaves_alone(home: Path, name: str) -> None:
    with (
        server(home / name) as found,
        create_engine(found.url(SUPERUSER)).connect() as conn,
    ):
        assert conn.exec_driver_sql("SELECT current_database()").scalar() == "lanterlog"
    conn.engine.dispose()


@pytest.mark.parametrize("sign", ['"', "$HOME", "`id`", "\n", "\\\\"])
def test_a_name_that_a_shell_would_change_is_refused_before_anything_is_made(
    home: Path, sign: str
) -> None:
    with pytest.raises(BadSetting, match="expected a path without"):
        server(home / f"a{sign}b").start()
    assert not home.exists()


def test_the_last_words_of_a_log_are_its_complaints_whole(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    chatter = "LOG:  checkpoint complete: wrote 980 buffers\n"
    log.write_text(
        f"{chatter * 40}FATAL:  could not write lock file: No space left on device\n{chatter}"
    )
    assert last_words(log) == "FATAL:  could not write lock file: No space left on device"
    log.write_text(chatter * 40)
    assert last_words(log) == (chatter * 3).strip()
    assert last_words(tmp_path / "none") == ""


def test_a_socket_folder_of_someone_elses_making_is_refused(home: Path) -> None:
    (home / "run").mkdir(parents=True)
    (home / "run").chmod(0o777)
    with pytest.raises(EmbeddedError, match="expected a folder of"):
        server(home).start()


def test_only_our_system_user_may_log_in_and_only_as_our_roles(home: Path) -> None:
    with server(home) as found:
        with found.connect() as conn:
            conn.execute("CREATE ROLE lanterlog_app LOGIN")
            conn.execute("CREATE ROLE other LOGIN")
            rules = conn.execute(
                "SELECT type, database, user_name, auth_method, options FROM pg_hba_file_rules"
            ).fetchall()
        assert rules == [("local", ["all"], ["all"], "peer", ["map=lanterlog"])]
        psycopg.connect(host=str(found.sockets), user="lanterlog_app", dbname="lanterlog").close()
        with pytest.raises(psycopg.OperationalError, match="eer authentication failed"):
            psycopg.connect(host=str(found.sockets), user="other", dbname="lanterlog")


def test_logins_can_be_added_while_the_server_runs(home: Path) -> None:
    with server(home) as first:
        with first.connect() as conn:
            conn.execute("CREATE ROLE guest LOGIN")
        with (
            server(home, logins=("guest",)) as second,
            psycopg.connect(host=str(second.sockets), user="guest", dbname="lanterlog") as conn,
        ):
            assert conn.execute("SELECT session_user").fetchone() == ("guest",)


def test_a_configured_server_is_left_to_itself(home: Path) -> None:
    config = Config(home=home, database_url="postgresql+psycopg://somewhere/lanterlog")
    with running(config) as settled:
        assert settled is config
    assert not home.exists()


def test_without_a_server_the_configuration_gets_one(home: Path) -> None:
    roles = Roles("o", "a", "w")
    with running(Config(home=home, roles=roles)) as settled:
        urls = (settled.database_url, settled.worker_database_url, settled.migration_database_url)
        for url, role in zip(urls, ("a", "w", SUPERUSER), strict=True):
            assert str(url).startswith(f"postgresql+psycopg://{role}@/lanterlog?host=")


@as_root
def test_a_private_folder_is_refused_and_stays_private(home: Path) -> None:
    private = home.parent / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(EmbeddedError, match=f"folder {private} is closed"):
        server(private / "home").start()
    assert private.stat().st_mode & 0o777 == 0o700


@as_root
def test_roots_server_runs_as_an_account_of_its_own(home: Path) -> None:
    with server(home):
        owner = Path(f"/proc/{postmaster(home)}").stat().st_uid
        assert pwd.getpwuid(owner).pw_name == placement.ACCOUNT
        assert home.stat().st_mode & 0o777 == 0o711
        assert (home / "data").stat().st_mode & 0o077 == 0


@as_root
def test_programs_in_a_private_folder_are_copied_not_opened(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = home.parent / "private"
    private.mkdir(mode=0o700)
    wheel = placement.programs(home, pwd.getpwuid(0)).parents[1]
    for part in (f"{wheel.name}/pginstall18", f"{wheel.name}.libs"):
        shutil.copytree(wheel.parent / part, private / part)
    monkeypatch.setattr(placement, "_wheel", lambda: private / wheel.name)
    with server(home) as found:
        assert is_up(found)
        command = Path(f"/proc/{postmaster(home)}/exe").resolve()
    assert command.is_relative_to(home)
    assert private.stat().st_mode & 0o777 == 0o700


@as_root
def test_root_uses_an_ordinary_users_data_as_that_user(home: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    home.mkdir(mode=0o711)
    with server(home):
        pass
    for path in (home, home / "run", *(home / "data").rglob("*"), home / "data"):
        os.lchown(path, nobody.pw_uid, nobody.pw_gid)
    with server(home) as found:
        assert Path(f"/proc/{postmaster(home)}").stat().st_uid == nobody.pw_uid
        assert is_up(found)
