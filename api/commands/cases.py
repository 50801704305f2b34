"""`lanterlog casebook`: an arbiter's rulings, run through the same rules as every game, and written from disputes.

Checking needs no database.
"""

from argparse import Namespace
from collections import Counter
from pathlib import Path

import msgspec

from api.commands import output
from api.commands.transfer import refusing, whole_file
from events.errors import BadUsage
from events.formats import casebook

PASSED, FAILED = 0, 1


def check(args: Namespace) -> int:
    """Print every case that failed and the count of each outcome; 1 if any failed."""
    counts = Counter[str]()
    for name in args.files:
        with refusing(name), Path(name).open("rb") as file:
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


def export(args: Namespace) -> int:
    """Write what a dispute's decision found as cases; 1 if the rules program says otherwise of any."""
    from api import dispute_answers
    from api.commands import pick
    from api.commands.store import connected
    from events import docket, recorder
    from events.formats import rulings

    with connected() as conn:
        entry = docket.load(conn, pick.dispute_id(conn, args.dispute))
        log = recorder.load(conn, entry.disputed)
        (shown,) = dispute_answers.shown(conn, [entry])
    if shown.decision is None:
        raise BadUsage(f"dispute {entry.dispute_id} is {shown.standing}, expected a decision")
    reasons, cases = shown.decision.text, []
    for number, fact in enumerate(dispute_answers.facts_of(entry.dispute), 1):
        name = f"{str(entry.dispute_id)[:13]}-{number}"
        cases.append(
            rulings.case_of(
                log.head.game,
                log.events,
                fact,
                name,
                rules=shown.decision.rules,
                text=reasons,
                adjustments=entry.dispute.adjustments,
            )
        )
    if not cases:
        raise BadUsage("the decision names no facts, expected at least one to be tested")
    with whole_file(args.output) as target:
        target.write(rulings.write_cases(cases).encode())
    noted = [case for case in cases if "note" in case]
    for case in noted:
        output.say(f"lanterlog: case {case['id']}: {case['note']}")
    return FAILED if noted else PASSED
