"""A soak of ten minutes, or as many as LANTERLOG_SOAK_MINUTES says: zero lost, zero doubled, zero lag."""

import os
from pathlib import Path

import msgspec
import pytest

from tests.faults.soak import Figures, soak
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

MINUTES = float(os.environ.get("LANTERLOG_SOAK_MINUTES") or 10)


def check(figures: Figures, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nsoak: {msgspec.json.encode(figures).decode()}")
    assert (figures.lost, figures.doubled) == (0, 0)
    assert figures.events > figures.acts > 0


@pytest.mark.nightly
def test_ten_minutes(
    database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = soak(database, tmp_path, MINUTES * 60)
    check(figures, capsys)
    assert figures.workers_killed > 0
