"""Writes tests/golden/perft.json anew, from the engine: `python -m tests.perft.write_golden`.

Only after a change of the rules that both referees have made; test_perft.py holds the file to both.
"""

import json
from pathlib import Path

from tests.perft.deals import DEALS
from tests.perft.engine import perft, set_up

GOLDEN = Path(__file__).parents[1] / "golden" / "perft.json"
ENOUGH = 4000
"""Lines after which a deal is not counted one act deeper."""
DEEPEST = 11


def counts() -> dict[str, list[int]]:
    """The number of lines of one act, of two and so on, by deal."""
    found: dict[str, list[int]] = {}
    for deal in DEALS:
        lines = found.setdefault(deal.name, [])
        while len(lines) < DEEPEST and (not lines or lines[-1] <= ENOUGH):
            lines.append(perft(set_up(deal), len(lines) + 1))
    return found


if __name__ == "__main__":
    rows = ",\n".join(f"  {json.dumps(name)}: {lines}" for name, lines in counts().items())
    GOLDEN.write_text(f"{{\n{rows}\n}}\n")
