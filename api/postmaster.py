"""What PostgreSQL's own files tell: which process serves a data folder, and why none does. Starts and changes nothing."""

import os
import re
from pathlib import Path
from typing import Final

_COMPLAINT: Final = re.compile(
    r"\b(?:FATAL|PANIC|HINT|error|fatal): |[Cc]ould not |[Ss]yntax error"
)


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


def last_words(log: Path) -> str:
    """Return what a log complained of last, or its last lines; the end is what counts, so it is never cut."""
    if not log.exists():
        return ""
    lines = [line for line in log.read_text(errors="replace")[-4000:].splitlines() if line.strip()]
    complaints = [line for line in lines[-20:] if _COMPLAINT.search(line)]
    return "\n".join(complaints[-3:] or lines[-3:])[-600:]


def _serves(pid: int, data: Path) -> bool:
    try:
        os.kill(pid, 0)
        return os.fsencode(data) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (ProcessLookupError, PermissionError):
        return False
    except FileNotFoundError:
        return True  # a system without /proc: it is there, and more cannot be known
