"""A server of its own is asked whatever its OpenAPI document allows, and what it does not, with every check there is.

A usual run has fifty cases an address, which takes a minute or two; the night has two thousand for each, an
address a test, so that they can be shared out and gone on with.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from api.described import TABLE
from api.examples import GAME
from api.openapi import operation_id
from api.scopes import KINDS
from tests.api import disputing
from tests.api.table import FACTS
from tests.postgres import scratch
from tests.served import Served

pytestmark = [pytest.mark.store, pytest.mark.http]

TOOL = Path(sys.executable).parent / "schemathesis"
SETTINGS = Path(__file__).with_name("schemathesis.toml")
ENDLESS = {"follow_game"}
"""Does not end by itself; tests/api/test_streams_fuzzed.py asks it."""
OPERATIONS = sorted(set(map(operation_id, TABLE)) - ENDLESS)
HOURS = 3600


class Asked:
    """A service with games and a dispute, and the settings by which it is asked: most cases are to be of them."""

    def __init__(self, served: Served) -> None:
        self.served = served
        health = next(link for link in served.links() if link.endswith("/healthz"))
        self.base = health.removesuffix("/healthz")
        self.settings = served.home / "schemathesis.toml"
        self.settings.write_text(SETTINGS.read_text() + self._known())

    def _known(self) -> str:
        with httpx.Client(base_url=self.base, timeout=60) as client:
            recorded = {"seats": ["Ann", "Bob"], "mode": "recorded", "game_id": GAME}
            facts = {"expected_version": 1, "events": FACTS}
            loo = {"seats": ["Ann", "Bob", "Cyd"], "game": "lanterloo", "ruleset": "seed"}
            for path, body in (
                ("/v1/games", recorded),
                (f"/v1/games/{GAME}/events", facts),
                ("/v1/games", {"seats": ["Ann", "Bob"]}),
                ("/v1/games", loo),
            ):
                answer = client.post(path, json=body)
                assert answer.status_code == 201, answer.text
            games = [one["game_id"] for one in client.get("/v1/games?limit=100").json()["games"]]
            opened = client.post(f"/v1/games/{disputing.GAME}/disputes", json=disputing.CLAIM)
            assert opened.status_code == 201, opened.text
        dispute = opened.json()["dispute"]["dispute_id"]
        return KNOWN.format(games=games, dispute=dispute)

    def ask(self, cases: int, phases: str, patience: int, *more: str) -> None:
        """Ask, and fail with what the tool has to say if it finds anything."""
        done = subprocess.run(
            [
                *(str(TOOL), "--config-file", str(self.settings), "run", "--checks", "all"),
                *("--phases", phases, "--max-examples", str(cases), "--no-color", *more),
                f"{self.base}/openapi.json",
            ],
            cwd=self.served.home, capture_output=True, text=True, check=False, timeout=patience,
        )  # fmt: skip
        tested = re.search(r"Tested: [1-9]", done.stdout)
        assert tested, done.stdout[-3000:] + done.stderr[-1000:]
        lines = self.served.err.read_text().splitlines()
        failed = [line for line in lines if '"request failed"' in line]
        assert not failed, failed[0][-3000:]
        if done.returncode:
            pytest.fail(done.stdout[-20_000:])


KNOWN = """
[dictionaries.games]
values = {games}

[dictionaries.disputes]
values = ["{dispute}"]

[dictionaries.versions]
values = [0, 1, 2, 3, 4, 5, 6]

[parameters]
"path.game_id" = {{ dictionary = "games", probability = 0.9 }}
"path.dispute_id" = {{ dictionary = "disputes", probability = 0.9 }}
"query.game_id" = {{ dictionary = "games", probability = 0.5 }}
"query.game" = {{ dictionary = "games", probability = 0.5 }}
"body.expected_version" = {{ dictionary = "versions", probability = 0.9 }}
"""


@pytest.fixture(scope="module")
def service() -> Iterator[Asked]:
    """A service of the module's own, which refuses nobody for asking much."""
    home = scratch() / f"lanterlog-asked-{uuid4().hex[:12]}"
    home.mkdir(mode=0o755)
    limits = " ".join(f"{kind}=off" for kind in KINDS)
    with Served(home, "--samples", settings={"LANTERLOG_LIMITS": limits}) as served:
        yield Asked(served)
    shutil.rmtree(home)


def left_out(*names: str) -> list[str]:
    return [word for name in names for word in ("--exclude-operation-id", name)]


def test_nothing_is_found(service: Asked):
    service.ask(50, "examples,fuzzing", 500, *left_out(*ENDLESS))


@pytest.mark.nightly
@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_is_found_by_asking_long(service: Asked, operation: str):
    phases = "examples,coverage,fuzzing"
    service.ask(2000, phases, 2 * HOURS, "--include-operation-id", operation)


@pytest.mark.nightly
def test_nothing_is_found_by_going_on_from_answers(service: Asked):
    service.ask(2000, "stateful", 4 * HOURS, *left_out(*ENDLESS))
