"""The PostgreSQL that comes with the program: started in a folder, shared, stopped by the last user.

Takes the server's programs out of the wheel and runs them itself, without the wheel's own handle,
whose list of processes keeps the dead and which, as root, opens private folders to others
(docs/decisions). Here every process that uses the server holds a shared lock on a file; the system
lets go of it however the process ends, and whoever gets it alone at the end stops the server. So a
server left over after SIGKILL is found, used and stopped by the next one.

The server listens on a Unix socket only and knows its visitors by their system user (peer), so there
is no password. Its superuser serves migrations; the program never logs in with it. Nothing here knows
what is stored.
"""

import atexit
import fcntl
import os
import pwd
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Literal, Self

import msgspec
import psycopg
from psycopg import sql
from sqlalchemy import URL

from api import placement, postmaster
from api.config import Config
from events.errors import BadSetting, EmbeddedError
from events.schema import Roles

SUPERUSER: Final = "postgres"
DATABASE: Final = "lanterlog"
PATIENCE: Final = 30
"""Seconds that the server may take to start or to stop."""

_HBA: Final = "local all all peer map=lanterlog\n"


@contextmanager
def running(config: Config) -> Iterator[Config]:
    """The configuration with its URLs filled in, and the server up meanwhile if it is ours.

    With a `database_url` nothing is started and nothing changed. Raises EmbeddedError, and BadSetting
    for a server of one's own that only migrations are told of: its games would go to another one.
    """
    if config.database_url is not None:
        yield config
        return
    if config.migration_database_url is not None:
        raise BadSetting("MIGRATION_DATABASE_URL without DATABASE_URL, expected both or neither")
    with Embedded(config.home, config.roles) as server:
        yield msgspec.structs.replace(
            config,
            database_url=server.url(config.roles.app),
            worker_database_url=server.url(config.roles.worker),
            migration_database_url=server.url(SUPERUSER),
        )


class Embedded:
    """One process's share in the server of a folder.

    `binaries` is the folder of another PostgreSQL's programs, `settings` are the server's and count
    if this share starts it, `logins` are further roles that our system user may log in as.
    """

    def __init__(
        self,
        home: Path,
        roles: Roles = Roles(),  # noqa: B008 - frozen
        *,
        binaries: Path | None = None,
        settings: Mapping[str, str] | None = None,
        logins: Sequence[str] = (),
    ) -> None:
        self.home = home.absolute()
        self.data = self.home / "data"
        self._logins = (SUPERUSER, roles.app, roles.worker, *logins)
        self._binaries = binaries
        self._settings = settings or {}
        self._share: IO[str] | None = None
        self._pid = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Have the server running, with folder, cluster and database made where they are missing."""
        try:
            self._user = placement.account(self.data)
            placement.prepare(self.home, self._user)
            with self._alone():
                self._share_in()
        except (OSError, psycopg.Error) as error:
            raise EmbeddedError(f"no database in {self.home}: {error}") from error

    def revive(self) -> bool:
        """Start the server again if it has died under those who have a share in it; True if it had.

        Needs no share. Raises EmbeddedError.
        """
        if postmaster.is_up(self.data):
            return False
        try:
            self._user = placement.account(self.data)
            with self._alone():
                self._find_programs()
                self._patiently_connected().close()
        except (OSError, psycopg.Error) as error:
            raise EmbeddedError(f"no database in {self.home}: {error}") from error
        return True

    def stop(self) -> bool:
        """Give up this share; True if it was the last one, and then the server has stopped."""
        if self._share is None or os.getpid() != self._pid:
            return False  # a forked child holds its parent's lock and must not let go of it
        with self._alone():
            return self._let_go(self._share)

    def url(self, role: str, database: str = DATABASE) -> str:
        """Where SQLAlchemy finds a database of this server."""
        query = {"host": str(self.sockets)}
        url = URL.create("postgresql+psycopg", username=role, database=database, query=query)
        return url.render_as_string()

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """The superuser's connection, in autocommit, for what belongs to the whole cluster."""
        return psycopg.connect(
            host=str(self.sockets), user=SUPERUSER, dbname=database, autocommit=True
        )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else starts or stops this server meanwhile."""
        with (self.home / "start.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _share_in(self) -> None:
        self._find_programs()
        if not self.data.exists():
            self._init()
        self._check_version()
        if self._admit() and self._state() == "running":
            self._control("reload")
        share = self._share = (self.home / "users.lock").open("a")
        self._pid = os.getpid()
        fcntl.flock(share, fcntl.LOCK_SH)
        atexit.register(self.stop)
        try:
            self._make_database()
        except BaseException:
            self._let_go(share)
            raise

    def _find_programs(self) -> None:
        self.sockets = placement.socket_folder(self.home, self._user)
        self._programs = self._binaries or placement.programs(self.home, self._user)

    def _let_go(self, share: IO[str]) -> bool:
        atexit.unregister(self.stop)
        self._share = None
        with share:
            try:
                fcntl.flock(share, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            if self._state() == "running":
                self._control("stop", "-m", "fast", "-w", "-t", str(PATIENCE))
            return True

    def _init(self) -> None:
        """Make the cluster under another name first: half a cluster never bears the final one."""
        new = self.home / "data.new"
        if new.exists():
            shutil.rmtree(new)
        placement.own_folder(new, self._user)
        self._run(
            "initdb", "-D", str(new), "-U", SUPERUSER, "--encoding=UTF8", "--locale=C",
            "--auth=peer", "--data-checksums",
            *(["--no-sync"] if self._settings.get("fsync") == "off" else []),
        )  # fmt: skip
        self._write(new / "pg_hba.conf", _HBA)
        new.rename(self.data)

    def _check_version(self) -> None:
        found = (self.data / "PG_VERSION").read_text().strip()
        if self._binaries is None and found != str(placement.MAJOR):
            raise EmbeddedError(
                f"{self.data} was made by PostgreSQL {found}, expected {placement.MAJOR}"
            )

    def _admit(self) -> bool:
        """Say which roles our system user may log in as; True if that is news to the server."""
        users = {pwd.getpwuid(os.geteuid()).pw_name, self._user.pw_name}
        lines = [f'lanterlog "{user}" "{role}"\n' for user in users for role in self._logins]
        path = self.data / "pg_ident.conf"
        known = path.read_text().splitlines(keepends=True)
        missing = sorted(set(lines) - set(known))
        if missing:
            ours = [line for line in known if line.startswith("lanterlog ")]
            self._write(path, "".join(sorted({*ours, *missing})))
        return bool(missing)

    def _state(self) -> Literal["running", "crashed", "stopped"]:
        """Whether the noted server is there; the note of a crashed one is taken away, or none would start."""
        if not (note := postmaster.note(self.data)).exists():
            return "stopped"
        if postmaster.is_up(self.data):
            return "running"
        note.unlink(missing_ok=True)
        return "crashed"

    def _launch(self, attempts: int) -> None:
        """Start the server; after a crash its former children may be in the way for a moment."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            **self._settings,
        }
        options = " ".join(f"-c {shlex.quote(f'{name}={v}')}" for name, v in settings.items())
        log = self.data / "server.log"
        while True:
            try:
                self._control("start", "-w", "-t", str(PATIENCE), "-l", str(log), "-o", options)
                return
            except EmbeddedError as error:
                attempts -= 1
                if not attempts:
                    raise EmbeddedError(f"{error}; {postmaster.last_words(log)}") from error
            time.sleep(0.25)

    def _make_database(self) -> None:
        name = sql.Identifier(DATABASE)
        with self._patiently_connected() as conn:
            there = conn.execute("SELECT FROM pg_database WHERE datname = %s", (DATABASE,))
            if there.fetchone() is None:
                conn.execute(sql.SQL("CREATE DATABASE {}").format(name))

    def _patiently_connected(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Start the server if none is there; one that is may be starting still, or be dying."""
        end = time.monotonic() + PATIENCE
        while True:
            state = self._state()
            if state != "running":
                self._launch(attempts=20 if state == "crashed" else 1)
            try:
                return self.connect()
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.05)

    def _control(self, action: str, *options: str) -> None:
        self._run("pg_ctl", action, "-s", "-D", str(self.data), *options)

    def _run(self, program: str, *arguments: str) -> None:
        self._as_server(str(self._programs / program), *arguments)

    def _as_server(self, *command: str) -> None:
        """Run a program as the server's user. Its output goes to a file: the server keeps it open."""
        other = {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": ()}
        switch: Any = other if self._user.pw_uid != os.geteuid() else {}
        log = self.home / "start.log"
        with log.open("w") as output:
            done = subprocess.run(  # noqa: S603
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.home,
                check=False, **switch,
            )  # fmt: skip
        if done.returncode != 0:
            raise EmbeddedError(
                f"{Path(command[0]).name} failed in {self.home}: {postmaster.last_words(log)}"
            )

    def _write(self, path: Path, text: str) -> None:
        """Replace a file of the server's at one go."""
        new = path.with_suffix(".new")
        new.write_text(text)
        new.chmod(0o600)
        if self._user.pw_uid != os.geteuid():
            os.chown(new, self._user.pw_uid, self._user.pw_gid)
        new.rename(path)
