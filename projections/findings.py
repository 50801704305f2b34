"""The findings of every game, audited by the ruleset that it was opened with: a row a finding.

Pure; a read model (`projections.model`). Judged by the newest rules: a correction of them makes a new version.
`is_open` says that nothing is hidden any more where the finding stands: a finding of a deal in play can tell
hidden cards, and is for those who see them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from events.common import Event
from events.corrections import CORRECTIONS
from events.game import Game
from projections.audit import Finding, Report, audit
from projections.model import Row, Sealed, once
from projections.views import open_upto

name: Final = "findings"
version: Final = 1 + len(CORRECTIONS)
tables: Final = ("findings",)


def rows(game: Game[Any, Any], head: Sealed, log: Sequence[Event]) -> Mapping[str, list[Row]]:
    """Return the rows of one game, by version, numbered from 1."""
    report = once(audited, game, log)
    both = sorted((*report.findings, *report.unchecked), key=_version)
    upto = open_upto(game.name, log) if both else 0
    return {
        "findings": [
            (
                head.game_id,
                number,
                head.game,
                head.visibility,
                one.version,
                one.deal,
                one.seat,
                one.severity,
                one.code,
                one.rule,
                one.event,
                one.params,
                one.version <= upto,
            )
            for number, one in enumerate(both, 1)
        ]
    }


def audited(game: Game[Any, Any], log: Sequence[Event]) -> Report:
    """Return the audit of a game by its own ruleset."""
    return audit(game, log)


def _version(one: Finding) -> int:
    return one.version
