"""`lanterlog casebook check`: an arbiter's rulings, run through the same rules as every game."""

from argparse import Namespace
from collections import Counter
from pathlib import Path

import msgspec

from api.commands import output
from events.formats import casebook

PASSED, FAILED = 0, 1


def check(args: Namespace) -> int:
    """Print every case that failed and the count of each outcome; 1 if any failed."""
    counts = Counter[str]()
    for name in args.files:
        with Path(name).open("rb") as file:
            results = list(casebook.check(file))
        counts.update(one.outcome for one in results)
        shown = [one for one in results if args.verbose or one.outcome == "failed"]
        if args.json:
            for one in results:
                output.as_json({"file": name} | msgspec.structs.asdict(one))
        elif shown:
            rows = ((one.outcome, one.case, one.part, one.reason) for one in shown)
            output.table(("outcome", "case", "part", "reason"), rows)
    if not args.json:
        kinds = ("passed", "failed", "not run")
        output.line(", ".join(f"{counts[kind]} {kind}" for kind in kinds))
    return FAILED if counts["failed"] else PASSED
