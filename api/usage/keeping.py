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


def erase(commands: Any) -> None:
    """Add `lanterlog erase`."""
    new = words.add(
        commands, "erase", "erasing:erase",
        "take a person's name and texts out of the store for good, as its owner",
        "lanterlog erase 0197c3a2-5d1e-7f00-8a44-3f1d2c9b7e10", 'lanterlog erase "Ann Lee" --yes',
    )  # fmt: skip
    new.add_argument("person", metavar="PERSON", help="a player's id, or the exact name")
    new.add_argument(
        "--texts", choices=("own", "games", "all"), default="games",
        help="the person's own remarks; also those at the same tables that hold the name (default); "
        "also those at any table",
    )  # fmt: skip
    new.add_argument("--yes", action="store_true", help="do not ask")
    words.as_json(new)


def chances(commands: Any) -> None:
    """Add `lanterlog chances`."""
    new = words.add(
        commands, "chances", "reckoning:chances",
        "compare the cards and scores of many deals with what chance gives",
        "lanterlog chances", 'lanterlog chances "Ann Lee" --bias 0.5',
        'lanterlog chances "Ann Lee" --with "Bob" --with "Cyd" --since 2026-01-01 --game rummy500',
    )  # fmt: skip
    new.add_argument(
        "player", nargs="?", metavar="PLAYER",
        help="only deals that this player dealt: an id, or the exact name (default: all deals)",
    )  # fmt: skip
    new.add_argument(
        "--with", dest="at_table", action="append", default=[], metavar="PLAYER",
        help="only games at which this player sits, too; again for more of the table",
    )  # fmt: skip
    new.add_argument("--only", metavar="GAME", help=f"only {words.GAME}")
    new.add_argument("--game", choices=("rummy500", "lanterloo"), help="only games of one kind")
    new.add_argument("--ruleset", metavar="R", help="only games that began with this preset")
    new.add_argument(
        "--since",
        type=words.day,
        metavar="DATE",
        help="only games that went on then or later (UTC)",
    )
    new.add_argument(
        "--until", type=words.day, metavar="DATE", help="only games that had begun before (UTC)"
    )
    new.add_argument(
        "--bias", type=words.bias, default=0.25, metavar="B",
        help="tell how many hands it takes to see so many special cards too many in a hand (default 0.25)",
    )  # fmt: skip
    new.add_argument(
        "--edge", type=words.edge, default=0.1, metavar="E",
        help="tell how many deals it takes to see somebody ahead of another seat so much more often than half "
        "(default 0.1)",
    )  # fmt: skip
    words.as_json(new)
