"""The rules that the documentation shows are the ones that we were given."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GIVEN = ROOT.parent / "shared" / "rules"


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the given rules lie beside the working copy only")
@pytest.mark.parametrize("name", ["rummy500.md", "lanterloo.md", "disputes.md"])
def test_the_rules_are_the_given_ones(name: str) -> None:
    assert (ROOT / "docs/rules" / name).read_bytes() == (GIVEN / name).read_bytes()
