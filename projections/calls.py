"""What an audit says about calls, the acts in which players race: windows, calls made, and calls that were possible.

Pure, shapes only; a game that has calls tells of them in these (`rummy500_calls.py`).
"""

from typing import Literal

import msgspec

from events.cards import Card
from events.game import Params

Outcome = Literal["stood", "gave_way", "lapsed", "fell", "wrong", "unchecked", "open"]


class CallMade(msgspec.Struct, frozen=True):
    """A call and how it came out; `code`, `rule` and `params` say why, as in a finding.

    `wrong` is a call that stood or fell against the rules, `open` one that is not decided where the log
    ends. `window` is the version that opened the last window before it, also for a call that came too late.
    """

    version: int
    window: int | None
    seat: int
    card: Card
    outcome: Outcome
    code: str
    rule: str
    params: Params


class CallMissed(msgspec.Struct, frozen=True):
    """A call that was possible in a window, and that none of these seats made."""

    seats: tuple[int, ...]
    card: Card
    cards: tuple[Card, ...]
    code: str
    rule: str
    params: Params

    @property
    def seat(self) -> None:
        """Nobody's act; a sentence names all of `seats`."""


class CallWindow(msgspec.Struct, frozen=True):
    """A window in which a call was made or possible, from the version that opened it to the one that closed it.

    `by` is who may not call. It is `known` whether that is all only if the pile holds no unknown card.
    """

    version: int
    closed: int | None
    deal: int
    by: int | None
    missed: tuple[CallMissed, ...]
    known: bool


class Calls(msgspec.Struct, frozen=True):
    """The windows of a game or a deal, and its calls in the order in which they arrived."""

    windows: tuple[CallWindow, ...]
    made: tuple[CallMade, ...]
