"""What each released version of the rules finds in the golden logs, kept so that it can be found again.

Those in `golden/breaches` are games by chance into which acts were put that break one rule or another.

`python -m tests.projections.golden_findings` writes the file of the version that is being made. The files of
versions that have been released never change: who corrects a judgement adds a `Correction` that undoes it.
"""

import json
from pathlib import Path
from typing import Any

from events.codec import decode, decode_opening
from events.corrections import as_judged_by
from events.games import GAMES
from events.version import ENGINE
from projections.audit import audit

GOLDEN = Path(__file__).parents[1] / "golden"
LOGS = sorted(
    path for kind in (".", "lanterloo", "breaches") for path in (GOLDEN / kind).glob("*.ndjson")
)
KEPT = GOLDEN / "findings"


def findings(engine: str) -> dict[str, list[list[Any]]]:
    """Return what a version finds in each golden log, by the log's name."""
    return {
        path.relative_to(GOLDEN).with_suffix("").as_posix(): _found(path, engine) for path in LOGS
    }


def _found(path: Path, engine: str) -> list[list[Any]]:
    bodies = path.read_bytes().splitlines()
    game = decode_opening(bodies[0]).game
    events = [decode(game, body) for body in bodies]
    report = audit(as_judged_by(GAMES[game], engine), events)
    both = sorted((*report.findings, *report.unchecked), key=lambda one: one.version)
    return [[one.version, one.seat, one.severity, one.code, one.rule] for one in both]


def text(engine: str) -> str:
    """Return the file of a version: a line a finding."""
    logs = []
    for name, found in findings(engine).items():
        rows = ",\n".join("  " + json.dumps(one) for one in found)
        logs.append(f' "{name}": [\n{rows}\n ]' if rows else f' "{name}": []')
    return "{\n" + ",\n".join(logs) + "\n}\n"


if __name__ == "__main__":
    (KEPT / f"{ENGINE}.json").write_text(text(ENGINE))
