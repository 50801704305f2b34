"""What the statistics of cards and scores can be asked, and what they answer; see `api.wire`."""

from typing import Annotated, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from api.wire import GameName, Moment, Request
from projections.chances import BIAS, EDGE, MOST, MOST_EDGE, SMALLEST
from projections.chances_told import Outlook, Question

_ID: Final = "[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}"
PlayerIds = Annotated[str, Meta(pattern=rf"^{_ID}(?:,{_ID}){{0,7}}\Z", max_length=300)]
"""One to eight ids with commas between them."""
Bias = Annotated[float, Meta(ge=SMALLEST, le=MOST)]
Edge = Annotated[float, Meta(ge=SMALLEST, le=MOST_EDGE)]


class ChancesQuery(Request, frozen=True, kw_only=True):
    """What `GET /v1/chances` can be asked; every filter narrows, and they can be put together.

    `players` are ids with commas between them: games at which all of them sit. `dealer`: only deals that this
    player dealt. `since` and `until` are times of play, as in the list of games. `bias` is in special cards a
    hand, `edge` in how much more often than half a position is ahead of another seat.
    """

    game: GameName | None = None
    game_id: UUID | None = None
    ruleset: str | None = None
    players: PlayerIds | None = None
    dealer: UUID | None = None
    since: Moment | None = None
    until: Moment | None = None
    bias: Bias = BIAS
    edge: Edge = EDGE


class Dealer(msgspec.Struct, frozen=True):
    """Whose deals were looked at; the name only where the asker may see a game of this player's."""

    id: UUID
    name: str | None


class ChancesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Every number that was looked at, `tests` in all, each with a p-value and the same corrected for all (Holm).

    `deals` had their hands counted, `scored` their scores; left out are `unknown` (hands that are not all known,
    or cannot have been) and `in_play` (not open to everybody yet). `outlook` says what it takes to see anything,
    where there is nothing to reckon with. What the numbers cannot say stands in `note`.
    """

    note: str
    dealer: Dealer | None
    games: int
    deals: int
    scored: int
    unknown: int
    in_play: int
    level: float
    power: float
    correction: str
    bias: float
    edge: float
    tests: int
    unusual: int
    numbers: list[Question]
    outlook: list[Outlook]
