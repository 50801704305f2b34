"""By which version of the rules program a log is judged: the newest, or the one that the log was opened with."""

from typing import Any, Literal

import msgspec

from events.corrections import as_judged_by, is_release, since
from events.game import Game
from events.version import ENGINE

WhichEngine = Literal["recorded", "newest"]


class Correction(msgspec.Struct, frozen=True):
    """What the two versions judge differently: since when, which rule, and what changed."""

    engine: str
    rule: str
    what: str


class Engine(msgspec.Struct, frozen=True):
    """Which program opened a log, which version judged it, and what was corrected in between.

    A log of another program, or of a newer version than this one, is always judged by this one.
    """

    recorded: str
    judged_by: str
    corrections: list[Correction]


def rules_of(
    game: Game[Any, Any], recorded: str, asked: WhichEngine
) -> tuple[Game[Any, Any], Engine]:
    """Return the rules to judge a log by, and what to say about them; *recorded* is as in `game_opened`."""
    corrections = since(game.name, recorded)
    told = [Correction(one.engine, one.rule, one.what) for one in corrections]
    if asked == "newest" or not is_release(recorded):
        return game, Engine(recorded, ENGINE, told)
    return as_judged_by(game, recorded), Engine(recorded, recorded, told)
