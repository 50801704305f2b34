"""What the program has corrected in its own judgement, by the version that first judged the new way.

A log says which version opened its game, so an audit can be made as that version would have made it: the
corrections since are undone. Only what is said of an act may be corrected; what an act did to the table is in
the log, and `evolve` is the same for ever. Logs of other programs are judged by the newest version.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from events.errors import CorrectionError
from events.game import Game
from events.games import GAMES
from events.version import ENGINE

Rules = Game[Any, Any]

_RELEASE: Final = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")


class Correction(msgspec.Struct, frozen=True):
    """One correction: the first version that has it, the rule that was judged wrongly, and what it was, in short.

    `undo` gives the rules as they were judged before it, all later corrections being undone already.
    """

    engine: str
    game: str
    rule: str
    what: str
    undo: Callable[[Rules], Rules]


CORRECTIONS: Final[tuple[Correction, ...]] = ()
"""In order of versions. None yet: nothing has been released whose judgement was corrected since."""


def check_corrections(corrections: Sequence[Correction]) -> None:
    """Raise CorrectionError unless all are of released versions, in order, and leave what happened alone."""
    last: tuple[int, ...] = (0, 0, 0)
    for one in corrections:
        release = _release(one.engine)
        if release is None or not last <= release <= _newest():
            wanted = f"versions in order up to {ENGINE}"
            raise CorrectionError(f"correction of {one.rule} in {one.engine!r}, expected {wanted}")
        if one.game not in GAMES:
            raise CorrectionError(f"correction of an unknown game: {one.game!r}")
        rules = GAMES[one.game]
        before = one.undo(rules)
        if (before.name, before.initial, before.evolve) != (
            rules.name,
            rules.initial,
            rules.evolve,
        ):
            raise CorrectionError(
                f"correction of {one.rule} changes what happened, expected only judgement"
            )
        last = release


def since(
    game: str, engine: str, corrections: Sequence[Correction] = CORRECTIONS
) -> tuple[Correction, ...]:
    """Return what was corrected in a game's rules after a version; nothing if it is none of this program's."""
    release = _release(engine)
    if release is None:
        return ()
    return tuple(one for one in corrections if one.game == game and _later(one, release))


def as_judged_by(
    game: Rules, engine: str, corrections: Sequence[Correction] = CORRECTIONS
) -> Rules:
    """Return a game's rules as a version of this program judged by them; the newest if it is none, or a later one."""
    for one in reversed(since(game.name, engine, corrections)):
        game = one.undo(game)
    return game


def is_release(engine: str) -> bool:
    """Tell whether an engine's name is a version of this program that is known here."""
    release = _release(engine)
    return release is not None and release <= _newest()


def _later(one: Correction, release: tuple[int, ...]) -> bool:
    made = _release(one.engine)
    return made is not None and made > release


def _newest() -> tuple[int, ...]:
    return _release(ENGINE) or (0, 0, 0)


def _release(engine: str) -> tuple[int, ...] | None:
    found = _RELEASE.fullmatch(engine)
    return None if found is None else tuple(map(int, found.groups()))


check_corrections(CORRECTIONS)
