"""The samples that the tests read are the customer's, byte for byte, wherever those lie beside the checkout."""

from pathlib import Path

import pytest

from tests.events.formats.helpers import DATA

SHARED = Path(__file__).parents[4] / "shared"
COPIES = sorted(path.name for path in DATA.iterdir())


def test_both_logs_and_the_cases_are_here():
    assert {"rummy500-engine-a.ndjson", "rummy500-engine-b.ndjson", "rummy500.yaml"} <= set(COPIES)


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.skipif(not SHARED.is_dir(), reason="the originals do not lie beside this checkout")
def test_a_copy_is_its_original(name: str):
    originals = [path for path in SHARED.glob(f"*/{name}") if path.parent.name in ("data", "cases")]
    assert (DATA / name).read_bytes() in [path.read_bytes() for path in originals]
