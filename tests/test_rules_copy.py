"""The rules that the documentation shows are the ones that we were given."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GIVEN = ROOT.parent / "shared" / "rules"


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the given rules lie beside the working copy only")
def test_the_rules_are_the_given_ones() -> None:
    assert (ROOT / "docs/rules/rummy500.md").read_bytes() == (GIVEN / "rummy500.md").read_bytes()
