"""The groups of measures, in the order in which they are measured and printed: one line for each module."""

from collections.abc import Sequence
from typing import Final

from api.bench import archive, audits, http, page, rules, storing
from api.bench.group import Group
from events.errors import BadUsage

GROUPS: Final[tuple[Group, ...]] = (
    storing.GROUP,
    archive.GROUP,
    audits.GROUP,
    rules.GROUP,
    http.GROUP,
    page.GROUP,
)


def chosen(names: Sequence[str]) -> tuple[Group, ...]:
    """Return the groups with these names, all if none is named; raise BadUsage with the names there are."""
    known = [group.name for group in GROUPS]
    for name in names:
        if name not in known:
            raise BadUsage(f"no group of measures {name!r}, expected one of {', '.join(known)}")
    return tuple(group for group in GROUPS if not names or group.name in names)
