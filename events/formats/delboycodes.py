"""Logs of the program delboycodes/rummy-500: whole games of 500 Rummy, one JSON object a line.

Only reads, under the preset `delboycodes`. The program's refusals to end a turn (`engine_error`) follow a
check of its own and the table played on, so they become remarks. Shapes are in docs/formats.md.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Final, Literal

import msgspec

from events.common import Amount, Deal, Slug
from events.errors import FormatError
from events.formats import Import
from events.formats.engine_log import EngineLog, Table
from events.rummy500.events import LaidOff, PileTaken, Placement
from events.rummy500.melds import fit_fault
from events.rummy500.moves import DISCARDED_OUT, STOCK_EXHAUSTED
from events.rummy500.ruleset import DELBOYCODES
from events.rummy500.state import Meld

PROGRAM: Final = "delboycodes/rummy-500@"

_Players = Annotated[list[str], msgspec.Meta(min_length=2, max_length=4)]
_Hands = dict[str, list[str]]
_Points = dict[str, Amount]


class _Line(msgspec.Struct, frozen=True, tag_field="t", forbid_unknown_fields=True):
    game: Annotated[int, msgspec.Meta(ge=1)]


class _Game(_Line, frozen=True, tag="game"):
    engine: Slug
    players: _Players
    strategies: _Players


class _InDeal(_Line, frozen=True):
    round: Deal


class _Deal(_InDeal, frozen=True, tag="deal"):
    hands: _Hands
    discard: list[str]
    deck_left: int


class _Draw(_InDeal, frozen=True, tag="draw", rename={"source": "from"}):
    player: str
    source: Literal["deck", "discard"]
    cards: list[str]


class _Meld(_InDeal, frozen=True, tag="meld"):
    player: str
    cards: list[str]


class _LayOff(_InDeal, frozen=True, tag="layoff"):
    player: str
    card: str
    meld: list[str]
    owner: str


class _Discard(_InDeal, frozen=True, tag="discard"):
    player: str
    card: str


class _Refusal(_InDeal, frozen=True, tag="engine_error"):
    player: str
    message: str


class _Score(_InDeal, frozen=True, tag="score"):
    reason: Literal["out", "deck_empty"]
    scores: _Points
    totals: _Points
    left: _Hands


class _End(_Line, frozen=True, tag="end"):
    winner: str
    totals: _Points


_Act = _Deal | _Draw | _Meld | _LayOff | _Discard | _Refusal | _Score
_DECODER: Final = msgspec.json.Decoder(_Game | _Act | _End)


def sniff(first: bytes) -> bool:
    """Tell whether a file that begins with these bytes is such a log."""
    return b'"engine":"' + PROGRAM.encode() in first.partition(b"\n")[0].replace(b" ", b"")


def read(lines: Iterable[bytes]) -> Iterator[Import]:
    """Yield the games of a log; raise FormatError with the line where it is wrong."""
    log = EngineLog(lines, _DECODER)
    table: Table | None = None
    seen: set[int] = set()
    for number, line in log.decoded():
        if isinstance(line, _Game):
            if table is not None:
                raise FormatError(number, f"game {table.number} is cut off before game {line.game}")
            if line.game in seen:
                raise FormatError(number, f"game {line.game} twice")
            seen.add(line.game)
            table = _begin(log.digest, number, line)
            continue
        if table is None or table.number != line.game:
            raise FormatError(number, f"a line of game {line.game}, which was not begun here")
        table.line = number
        if isinstance(line, _End):
            yield _finish(table, line)
            table = None
        else:
            _take(table, line)
    if table is not None:
        log.fail_at_end(f"game {table.number} is cut off")
    if not seen:
        log.fail_at_end("no game in this file")


def _begin(digest: str, number: int, line: _Game) -> Table:
    if len(line.strategies) != len(line.players):
        raise FormatError(number, f"{len(line.strategies)} strategies, expected one a player")
    labels = [f"{p} ({s})" for p, s in zip(line.players, line.strategies, strict=True)]
    table = Table(digest, line.game, number, line.players, labels)
    # The first player plays first in every deal, so whoever sits before him deals the first one.
    table.open(DELBOYCODES, len(line.players) - 1, line.engine)
    return table


def _take(table: Table, line: _Act) -> None:
    if isinstance(line, _Deal):
        table.deal(line.round, line.hands, line.discard, line.deck_left)
        return
    if table.state.phase in ("shuffle", "scored") or table.state.deal != line.round:
        table.fail(f"an act of deal {line.round}, which is not in play")
    if isinstance(line, _Score):
        _score(table, line)
        return
    seat = table.seat(line.player)
    match line:
        case _Draw(source="deck"):
            table.draw(seat, line.cards)
        case _Draw():
            table.add(PileTaken(seat=seat, cards=table.top_of_pile(line.cards)))
        case _Meld():
            table.meld(seat, line.cards)
        case _LayOff():
            _lay_off(table, seat, line)
        case _Discard():
            table.discard(seat, [line.card])
        case _Refusal():
            table.remark(seat, line.message)


def _lay_off(table: Table, seat: int, line: _LayOff) -> None:
    (card,) = table.held(seat, [line.card])
    named = set(table.cards(line.meld))
    for meld in table.state.table:
        if {laid.card for laid in (*meld.cards, *meld.beside)} == named:
            break
    else:
        table.fail(f"laid off on {' '.join(line.meld)}, which is not on the table")
    if table.seat(line.owner) != meld.founder:
        table.fail(f"a meld of {line.owner}, expected {table.players[meld.founder]}")
    table.add(LaidOff(seat=seat, cards=(Placement(card, meld.meld, _end_for(meld, card)),)))


def _end_for(meld: Meld, card: str) -> Literal["low", "high"] | None:
    """Return where the card goes on a sequence; the log does not say at which end an ace went: low then."""
    if meld.kind == "group":
        return None
    return "low" if fit_fault(meld, card, "low", DELBOYCODES) is None else "high"


def _score(table: Table, line: _Score) -> None:
    out = table.out() if line.reason == "out" else None
    reason = DISCARDED_OUT if out is not None else STOCK_EXHAUSTED
    scores, totals = table.by_seat(line.scores), table.by_seat(line.totals)
    table.end_deal(reason, out, scores, totals, line.left)


def _finish(table: Table, line: _End) -> Import:
    if table.state.phase != "scored":
        table.fail("the end of a game whose last deal was not scored")
    if tuple(table.by_seat(line.totals)) != table.state.totals:
        table.fail(f"totals {line.totals}, expected those of the last deal")
    table.end_game(table.seat(line.winner), abandoned=False)
    return table.finished()
