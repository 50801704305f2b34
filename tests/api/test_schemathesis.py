"""A server of its own is asked whatever its OpenAPI document allows, and what it does not, with every check there is.

A usual run has fifty cases an address, which takes a minute or two; the night has two thousand.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.test_serving import home as home  # noqa: PLC0414 - a fixture
from tests.served import Served

pytestmark = [pytest.mark.store, pytest.mark.http]

TOOL = Path(sys.executable).parent / "schemathesis"
SETTINGS = Path(__file__).with_name("schemathesis.toml")
ENDLESS = "/v1/games/{game_id}/stream"
"""Does not end by itself; tests/api/test_streams.py asks it."""


def asked(home: Path, cases: int, phases: str, patience: int) -> None:
    """Ask, and fail with what the tool has to say if it finds anything."""
    with Served(home, "--samples") as served:
        health = next(link for link in served.links() if link.endswith("/healthz"))
        address = health.replace("/healthz", "/openapi.json")
        command = [str(TOOL), "--config-file", str(SETTINGS), "run", address, "--checks", "all"]
        more = ["--phases", phases, "--max-examples", str(cases), "--exclude-path", ENDLESS]
        done = subprocess.run(
            [*command, *more, "--no-color"], cwd=home, capture_output=True, text=True,
            check=False, timeout=patience,
        )  # fmt: skip
        assert re.search(r"Tested: [1-9]\d", done.stdout), done.stdout[-3000:] + done.stderr[-1000:]
        failed = [
            line for line in served.err.read_text().splitlines() if '"request failed"' in line
        ]
    assert not failed, failed[0][-3000:]
    if done.returncode:
        pytest.fail(done.stdout[-20_000:])


def test_nothing_is_found(home: Path):
    asked(home, 50, "examples,fuzzing", 600)


@pytest.mark.nightly
def test_nothing_is_found_by_asking_long(home: Path):
    asked(home, 2000, "examples,coverage,fuzzing,stateful", 6 * 3600)
