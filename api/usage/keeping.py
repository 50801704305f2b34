"""The words of the commands that keep a store trustworthy for years."""

from typing import Any

from api.usage import words


def anchor(commands: Any) -> None:
    """Add `lanterlog anchor`."""
    new = words.add(
        commands, "anchor", "checking:anchor",
        "tell where the ledger stands, to be kept outside the database",
        "lanterlog anchor -o /mnt/elsewhere/anchors.ndjson",
    )  # fmt: skip
    new.add_argument("-o", "--output", metavar="FILE", help="add the line to this file, safely")
