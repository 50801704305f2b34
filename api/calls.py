"""The calls of a game as answers and files show them: plain values, each call with its sentence."""

from typing import Any

import msgspec

from projections.calls import CallMade, CallMissed, Calls
from projections.explain import LETTERS, Language, sentence


def calls_told(calls: Calls, lang: Language) -> dict[str, Any]:
    """Return the windows and the calls as values for JSON."""
    windows = [
        msgspec.structs.asdict(window) | {"missed": [_told(one, lang) for one in window.missed]}
        for window in calls.windows
    ]
    return {"windows": windows, "made": [_told(one, lang) for one in calls.made]}


def _told(call: CallMade | CallMissed, lang: Language) -> dict[str, Any]:
    return msgspec.structs.asdict(call) | {"text": sentence(call, LETTERS, lang)}
