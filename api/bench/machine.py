"""What it is measured on: processor, memory, how long the disk takes to flush, and who else is at work."""

import os
import platform
import statistics
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_FLUSHES: Final = 40
_BLOCK: Final = bytes(8192)


def described() -> dict[str, str]:
    """Return the machine in words; `load` is how many processes have wanted to run, on average, in the last minute."""
    found = {
        "cores": str(os.cpu_count()),
        "processor": _processor(),
        "memory": _memory(),
        "python": platform.python_version(),
        "flush": f"{_flush():.2f} ms",
        "load": load(),
    }
    return {name: value for name, value in found.items() if value}


def load() -> str:
    """Return the load average of the last minute, nothing where there is none."""
    with suppress(OSError, AttributeError):
        return f"{os.getloadavg()[0]:.1f}"
    return ""


def _flush() -> float:
    """Return the milliseconds that a block takes to be on the disk where temporary files lie, the median."""
    took: list[float] = []
    with tempfile.TemporaryFile() as file:
        for _ in range(_FLUSHES):
            file.write(_BLOCK)
            file.flush()
            begun = time.perf_counter()
            os.fsync(file.fileno())
            took.append((time.perf_counter() - begun) * 1000)
    return statistics.median(took)


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    with suppress(OSError, ValueError, AttributeError):
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        return f"{pages * size / 2**30:.0f} GiB"
    return ""
