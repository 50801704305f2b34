"""Waiting, in tests: always with an end, for something that can be seen, and never by sleeping for long enough.

What is waited for takes a moment; the end is there for what never comes about, on a machine that is busy with
other things. Whatever waits without an end is found by tests/test_tests.py.
"""

import threading
import time
from collections.abc import Callable

PATIENCE = 60.0
"""Seconds after which what has not come about never will."""


def until(done: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait for something that must come about."""
    end = time.monotonic() + patience
    while not done():
        assert time.monotonic() < end, f"not after {patience:.0f} seconds"
        time.sleep(0.02)


def joined(*threads: threading.Thread) -> None:
    """Wait until all of them have ended."""
    for thread in threads:
        thread.join(PATIENCE)
    left = [thread.name for thread in threads if thread.is_alive()]
    assert left == [], f"{left} still at work after {PATIENCE:.0f} seconds"
