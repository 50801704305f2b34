"""Table notation, read: the text file that a person at a table can write.

A head, then deals; an act a line in the words of `acts.py`. Every fault is a FormatError with its line, and
a file with a fault gives no game after it. The grammar is in docs/table-notation.md.
"""

import hashlib
from collections.abc import Iterator
from typing import Final
from uuid import UUID, uuid5

from events.errors import FormatError
from events.formats import Import
from events.formats.loo_reader import LooReader
from events.formats.notation_reader import GameReader

TITLE: Final = "lanterlog table notation 1"
_LOO: Final = "lanterloo"
SIZE_LIMIT: Final = 8 * 1024 * 1024
LINE_LIMIT: Final = 4000
# Ids of games and people are made from the file, so that reading it again makes the same ones.
NAMESPACE: Final = UUID("6c616e74-6572-4c6f-8567-7461626c6531")


def sniff(head: bytes) -> bool:
    """Tell whether a file's beginning looks like table notation."""
    for line in head.decode("utf-8-sig", "replace").splitlines():
        words = line.strip().lower()
        if words and not words.startswith("#"):
            return words == TITLE or words.startswith("game:")
    return False


def read(data: bytes) -> Iterator[Import]:
    """Yield the games of a file; raise FormatError with the line of the first fault."""
    if len(data) > SIZE_LIMIT:
        raise FormatError(1, f"the file goes beyond {SIZE_LIMIT} bytes, the most that is read")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(data[: error.start].count(b"\n") + 1, "not UTF-8") from error
    digest = hashlib.sha256(data).hexdigest()
    reader: GameReader | LooReader | None = None
    number = 0
    for line, words in _lines(text):
        if words.lower() == TITLE:
            continue
        if words.startswith("game:"):
            if reader is not None:
                yield reader.finish()
            number += 1
            reads = LooReader if words.partition(":")[2].strip() == _LOO else GameReader
            reader = reads(uuid5(NAMESPACE, f"{digest} {number}"), line)
        if reader is None:
            raise FormatError(line, f"expected 'game: rummy500', not {words[:40]!r}")
        reader.take(line, words)
    if reader is None:
        raise FormatError(1, "no game in this file, expected 'game: rummy500'")
    yield reader.finish()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line that says something, with its number; `#` begins a comment line."""
    for number, raw in enumerate(text.split("\n"), 1):
        if len(raw) > LINE_LIMIT:
            raise FormatError(number, f"line of {len(raw)} characters, expected <= {LINE_LIMIT}")
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if any(character < " " and character != "\t" for character in line):
            raise FormatError(number, "control character in the line")
        yield number, line
