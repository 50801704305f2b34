"""Which process serves a data folder, by PostgreSQL's own note there. Starts and changes nothing."""

import os
from pathlib import Path


def note(data: Path) -> Path:
    """Return where the server writes its process number."""
    return data / "postmaster.pid"


def is_up(data: Path) -> bool:
    """Whether the process that is noted is there and is this folder's server.

    Its number may have gone to another process since.
    """
    try:
        pid = int(note(data).read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):  # not there, or not written yet
        return False
    return _serves(pid, data)


def _serves(pid: int, data: Path) -> bool:
    try:
        os.kill(pid, 0)
        return os.fsencode(data) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (ProcessLookupError, PermissionError):
        return False
    except FileNotFoundError:
        return True  # a system without /proc: it is there, and more cannot be known
