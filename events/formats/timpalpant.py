"""Logs of the program timpalpant/rummy: single deals of 500 Rummy, one JSON object a line.

Only reads, under the preset `timpalpant`. The log does not say on which meld a card was laid off: a
sequence that it fits is taken before a group, since only sequences grow on. Where no meld fits, the program
has put the card beside a group for its neighbour there, and that group is named. Shapes are in
docs/formats.md.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Final, Literal

import msgspec

from events.cards import RANK, UNKNOWN, Card
from events.common import Amount, Slug
from events.errors import FormatError
from events.formats import Import
from events.formats.engine_log import EngineLog, Table
from events.rummy500.events import LaidOff, PileTaken, Placement, RummyCalled, StockRenewed
from events.rummy500.melds import fit_fault
from events.rummy500.moves import DISCARDED_OUT
from events.rummy500.ruleset import TIMPALPANT
from events.rummy500.scoring import ABANDONED
from events.rummy500.state import Laid

PROGRAM: Final = "timpalpant/rummy@"

_Hands = dict[str, list[str]]


class _Line(msgspec.Struct, frozen=True, tag_field="event", forbid_unknown_fields=True):
    game: Annotated[int, msgspec.Meta(ge=1)]


class _New(_Line, frozen=True, tag="NEW"):
    engine: Slug
    players: Annotated[list[str], msgspec.Meta(min_length=2, max_length=7)]


class _Deal(_Line, frozen=True, tag="DEAL"):
    hands: _Hands
    discard: list[str]
    stock: int
    first: str


class _Act(_Line, frozen=True):
    player: str
    cards: list[str]


class _Stock(_Act, frozen=True, tag="PICK_UP_STOCK"):
    reshuffled: Literal[True] | None = None
    discard: list[str] | None = None


class _Pile(_Act, frozen=True, tag="PICK_UP_DISCARD"):
    pass


class _Play(_Act, frozen=True, tag="PLAY_CARDS"):
    score: Amount
    rummy: Literal[True] | None = None


class _Discard(_Act, frozen=True, tag="DISCARD"):
    pass


class _Call(_Act, frozen=True, tag="CALL_RUMMY"):
    error: str


class _Refused(_Act, frozen=True, tag="REFUSED"):
    error: str


class _Over(_Line, frozen=True, tag="GAME_OVER"):
    over: bool
    scores: dict[str, Amount]
    left: _Hands


_Acts = _Stock | _Pile | _Play | _Discard | _Call | _Refused
_DECODER: Final = msgspec.json.Decoder(_New | _Deal | _Acts | _Over)


def sniff(first: bytes) -> bool:
    """Tell whether a file that begins with these bytes is such a log."""
    return b'"engine":"' + PROGRAM.encode() in first.partition(b"\n")[0].replace(b" ", b"")


def read(lines: Iterable[bytes]) -> Iterator[Import]:
    """Yield the games of a log, one deal each; raise FormatError with the line where it is wrong."""
    log = EngineLog(lines, _DECODER)
    game: _Game | None = None
    seen: set[int] = set()
    for number, line in log.decoded():
        if isinstance(line, _New):
            if game is not None:
                raise FormatError(number, f"game {game.number} is cut off before game {line.game}")
            if line.game in seen:
                raise FormatError(number, f"game {line.game} twice")
            seen.add(line.game)
            game = _Game(log.digest, line.game, number, line.players, line.players)
            game.source = line.engine
            continue
        if game is None or game.number != line.game:
            raise FormatError(number, f"a line of game {line.game}, which was not begun here")
        game.line = number
        if isinstance(line, _Over):
            yield game.over(line)
            game = None
        elif isinstance(line, _Deal):
            game.begin(line)
        else:
            game.take(line)
    if game is not None:
        log.fail_at_end(f"game {game.number} is cut off")
    if not seen:
        log.fail_at_end("no game in this file")


class _Game(Table):
    """One deal on its way in."""

    source = ""

    def begin(self, line: _Deal) -> None:
        """Open the game, its dealer being whoever sits before the first player, and deal."""
        if self.events:
            self.fail("a second deal in one game")
        first = self.seat(line.first)
        self.open(TIMPALPANT, (first - 1) % len(self.players), self.source)
        self.deal(1, line.hands, line.discard, line.stock)

    def take(self, line: _Acts) -> None:
        """Put an act on record."""
        seat = self.seat(line.player)
        match line:
            case _Stock():
                if line.reshuffled:
                    self._reshuffle(seat, line)
                self.draw(seat, line.cards)
            case _Pile():
                self.add(PileTaken(seat=seat, cards=self.top_of_pile(line.cards)))
            case _Play(rummy=True):
                for card in self.held(seat, line.cards):
                    self.add(LaidOff(seat=seat, cards=(self._placement(card),)))
            case _Play():
                self.meld(seat, line.cards)
            case _Discard():
                self.discard(seat, line.cards)
            case _Call():
                self._call(seat, line)
            case _Refused():
                self.remark(seat, f"{' '.join(line.cards)}: {line.error}")

    def over(self, line: _Over) -> Import:
        """Close the deal; the table plays one only, so the game ends without a winner."""
        out = self.out() if line.over else None
        reason = ABANDONED if out is None else DISCARDED_OUT
        scores = self.by_seat(line.scores)
        self.end_deal(reason, out, scores, scores, line.left)
        self.end_game(None, abandoned=True)
        return self.finished()

    def _reshuffle(self, seat: int, line: _Stock) -> None:
        """Make the pile a new stock, whose order the log does not tell."""
        pile = self.cards(line.discard or [])
        if self.state.stock:
            self.fail(f"a new stock while {len(self.state.stock)} cards are in the old one")
        if len(pile) != 1 or pile[0] not in self.state.pile:
            self.fail(f"a new pile of {' '.join(pile) or 'no cards'}, expected one of the old pile")
        stock = (UNKNOWN,) * (len(self.state.pile) - 1)
        self.add(StockRenewed(seat=seat, stock=stock, pile=pile))

    def _call(self, seat: int, line: _Call) -> None:
        if len(line.cards) != 1:
            self.fail(f"a call for {len(line.cards)} cards, expected 1")
        if line.error:
            (card,), lay = self.cards(line.cards), None
            self.remark(seat, f"{line.cards[0]}: {line.error}")
        else:
            (card,) = self.top_of_pile(line.cards)
            lay = self._placement(card)
        self.add(
            RummyCalled(
                seat=seat,
                card=card,
                accepted=lay is not None,
                code=None if lay else "NOT_CALLABLE",
                cards=(),
                lay=lay,
            )
        )

    def _placement(self, card: Card) -> Placement:
        """Return where the card goes: a sequence, a group, or beside the group of its neighbour."""
        for meld in sorted(self.state.table, key=lambda meld: meld.kind == "group"):
            for end in (None,) if meld.kind == "group" else ("low", "high"):
                if fit_fault(meld, card, end, TIMPALPANT) is None:
                    return Placement(card, meld.meld, end)
        groups = [meld for meld in self.state.table if meld.kind == "group"]
        beside = [meld for meld in groups if _has_neighbour(meld.cards, card)]
        beside += [meld for meld in groups if _has_neighbour(meld.beside, card)]
        if not beside:
            self.fail(f"{card} laid off, but it fits no meld and stands beside no group")
        return Placement(card, beside[0].meld, None)


def _has_neighbour(laid: tuple[Laid, ...], card: Card) -> bool:
    """Tell whether a card of the same suit, one rank up or down (round the corner), lies there."""
    return any(
        one.card[1] == card[1] and (RANK[one.card] - RANK[card]) % 13 in (1, 12) for one in laid
    )
