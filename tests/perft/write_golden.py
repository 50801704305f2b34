"""Writes tests/golden/perft.json and perft-loo.json anew, from the engine: `python -m tests.perft.write_golden`.

Only after a change of the rules that both referees have made; test_perft.py and test_loo_perft.py hold the
files to both.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.perft import engine, loo_engine
from tests.perft.deals import DEALS
from tests.perft.loo_deals import DEALS as LOO_DEALS

FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = FOLDER / "perft.json"
LOO_GOLDEN = FOLDER / "perft-loo.json"
ENOUGH = 4000
"""Lines after which a deal is not counted one act deeper."""
DEEPEST = 11
"""Acts, at Rummy."""
LOO_DEEPEST = 15
"""Acts, at Loo: three words and all the tricks of three cards."""

Counts = dict[str, list[int]]


def counts(deals: Iterable[Any], lines_of: Callable[[Any, int], int], deepest: int) -> Counts:
    """The number of lines of one act, of two and so on, by deal, as far as there are any."""
    found: Counts = {}
    for deal in deals:
        lines = found.setdefault(deal.name, [])
        while len(lines) < deepest and (not lines or lines[-1] <= ENOUGH):
            number = lines_of(deal, len(lines) + 1)
            if not number:
                break
            lines.append(number)
    return found


def write(path: Path, found: Counts) -> None:
    """Write the counts, a deal a line."""
    rows = ",\n".join(f"  {json.dumps(name)}: {lines}" for name, lines in found.items())
    path.write_text(f"{{\n{rows}\n}}\n")


if __name__ == "__main__":
    write(GOLDEN, counts(DEALS, lambda deal, n: engine.perft(engine.set_up(deal), n), DEEPEST))
    write(
        LOO_GOLDEN,
        counts(
            LOO_DEALS, lambda deal, n: loo_engine.perft(loo_engine.set_up(deal), n), LOO_DEEPEST
        ),
    )
