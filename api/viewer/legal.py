"""What could be done at a moment, in words, and whether an act that somebody names could have been.

Everything is computed from the log as the reader sees it, so nothing here tells more than that.
"""

from typing import Any, Final

from api.viewer.show import Show
from events.errors import ActError
from events.formats.notation_writer import write_event
from events.formats.single import read_single
from projections.explain import why
from projections.options import options
from projections.views import view_of

_TURNS: Final = frozenset(("draw", "play", "window", "declare", "claim"))
"""The phases in which somebody has a turn."""
_MOST: Final = 40
"""Acts that are listed."""


def listed(show: Show, at: int) -> dict[str, Any]:
    """Return what fills `legal.html`: what is due, and the acts of the seat whose turn it is."""
    found = options(show.seen, at, None, _MOST)
    names, seats = show.names, len(show.names)
    state = show.seen.state_at(at)
    acts = [
        (write_event(show.head.game, act, seats), _reason(show, state, act)) for act in found.acts
    ]
    return {
        "due": [_due(show, event) for event in found.due],
        "who": names[found.seat],
        "acts": acts,
        "more": found.more,
        "unseen": None if acts or found.due else _unseen(show, at),
    }


def _unseen(show: Show, at: int) -> str | None:
    """Return why nothing can be told of a turn: the reader may not see that hand, or nobody wrote it down."""
    viewer = show.eyes.at(at)
    if show.seen.view(at)["phase"] not in _TURNS:
        return None
    return "legal.unknown" if viewer == "all" else "legal.hidden"


def _due(show: Show, event: Any) -> str:
    return write_event(show.head.game, event, len(show.names))


def _reason(show: Show, state: Any, act: Any) -> str:
    reasons = view_of(show.game.name).reasons(state, act)
    return " ".join(one.rule for one in reasons if one.rule)


def judged(show: Show, at: int, words: str) -> str:
    """Return whether the act in these words would have been legal after version *at*, and why."""
    state = show.seen.state_at(at)
    try:
        event = read_single(show.game.name, words, state, len(show.names))
    except ActError as error:
        return str(error)
    return why(show.game, state, event, show.names, show.texts.lang)
