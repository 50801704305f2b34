"""Remarks in table notation, in either game: `A remark: text`, `remark about 42: text`; the player is left out here."""

import re
from typing import Final

from events.common import Remarked
from events.errors import ActError

_REMARK: Final = re.compile(r"remark(?: about ([1-9][0-9]{0,6}))?:(.*)", re.DOTALL)


def write_remark(event: Remarked, text: str) -> str:
    """Return a remark in one line, with the version that it is about if it says one."""
    about = "" if event.about is None else f" about {event.about}"
    return f"remark{about}: {' '.join(text.split())}"


def read_remark(words: str, last: int) -> tuple[int | None, str] | None:
    """Return what a remark is about and its text, None for what is none; raise ActError if it cannot be about that.

    *last* is the last version before it.
    """
    found = _REMARK.fullmatch(words)
    if found is None:
        return None
    about = None if found[1] is None else int(found[1])
    if about is not None and about > last:
        raise ActError(f"a remark about version {about}, expected 1 to {last}")
    return about, found[2].strip()
