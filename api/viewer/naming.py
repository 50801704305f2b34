"""Names and other people's words as a page shows them: short where there are many, and never out of their place.

Pure. What is stored is not touched; letters that run from right to left turn nothing around them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final
from unicodedata import bidirectional

from projections.board import LETTERS

LONGEST: Final = 28
"""Characters of a name in a sentence, a heading or a row of names."""
_BRACKETS: Final = re.compile(r"\s*\([^()]*\)\s*$")
# Marks that turn what comes after them, whoever wrote it: embeddings, overrides, isolates and their ends.
_TURNING: Final = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_LEFTWARD: Final = frozenset(("R", "AL", "AN"))
_ISOLATE: Final = "\u2068"
_END: Final = "\u2069"


def isolated(text: str) -> str:
    """Return a text that leaves the direction of what stands before and after it alone."""
    plain = text.translate(_TURNING)
    if _LEFTWARD.isdisjoint(map(bidirectional, plain)):
        return plain
    return f"{_ISOLATE}{plain}{_END}"


def shortened(names: Sequence[str]) -> list[str]:
    """Return names for sentences and narrow places: as many as were given, and alike only where those were.

    What stands behind a name in brackets is left out where the names still differ without it; of a long name
    the beginning is given, with the seat's letter where that of another seat is the same.
    """
    bare = [_BRACKETS.sub("", name) or name for name in names]
    told = [one if bare.count(one) == 1 else name for one, name in zip(bare, names, strict=True)]
    short = [_cut(name) for name in told]
    count = Counter(short)
    return [
        f"{one} {letter}" if one != whole and count[one] > 1 else one
        for one, whole, letter in zip(short, told, LETTERS, strict=False)
    ]


def _cut(name: str) -> str:
    if len(name) <= LONGEST:
        return name
    is_isolated = name.startswith(_ISOLATE)
    begin = name[: LONGEST - 1].rstrip(" \u200d\ufe0f") + "…"
    return begin + _END if is_isolated else begin
