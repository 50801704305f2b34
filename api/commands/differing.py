"""What changed in the verdicts on an archive: reports kept from an earlier program, against those of this one.

For use before an upgrade: the earlier program writes `lanterlog audit --all --json` to a file, the newer one is
asked with `--against` that file. Compares reports, makes none.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from uuid import UUID

import msgspec

from api.commands.reports import refusing, report_lines
from events.errors import BadUsage

Severity = Literal["breach", "unchecked"]


class Told(msgspec.Struct, frozen=True, order=True):
    """As much of a finding as makes it the same one."""

    version: int
    severity: Severity
    rule: str
    code: str
    seat: int | None = None

    @property
    def key(self) -> tuple[int, str, str, str, int]:
        """Where it stands in a list."""
        return (
            self.version,
            self.severity,
            self.rule,
            self.code,
            -1 if self.seat is None else self.seat,
        )


class Judged(msgspec.Struct, frozen=True):
    """As much of a report as is compared."""

    game_id: UUID
    events: int
    findings: list[Told]
    unchecked: list[Told]

    @property
    def found(self) -> frozenset[Told]:
        """Everything that was found and all that could not be checked."""
        return frozenset((*self.findings, *self.unchecked))


class Change(msgspec.Struct, frozen=True):
    """One finding that only one of the two programs has; `now` says whether it is this one."""

    game_id: UUID
    now: bool
    told: Told


_DECODER = msgspec.json.Decoder(Judged)


def read_before(name: str) -> dict[UUID, Judged]:
    """Return the newest report of each game in a file of reports; raise BadUsage for another file."""
    found: dict[UUID, Judged] = {}
    with Path(name).open("rb") as file:
        for number, line in report_lines(file, name):
            if number == 1 and line.startswith(b'{"t":"audits"'):
                continue
            with refusing(name, number):
                report = _DECODER.decode(line)
            found[report.game_id] = report
    if not found:
        raise BadUsage(
            f"no audit report in {name}, expected what `lanterlog audit --all --json` wrote"
        )
    return found


def changes(before: dict[UUID, Judged], text: bytes) -> Iterator[Change]:
    """Yield what differs in one report, given as its line; what was recorded since does not count.

    A game that has no report from before is new, and nothing is said of it.
    """
    after = _DECODER.decode(text)
    earlier = before.get(after.game_id)
    if earlier is None:
        return
    old = earlier.found
    new = frozenset(one for one in after.found if one.version <= earlier.events)
    for told in sorted(old ^ new, key=lambda one: one.key):
        yield Change(after.game_id, told in new, told)
