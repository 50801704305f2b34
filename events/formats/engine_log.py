"""What the importers of other programs' logs share: lines with numbers, cards with suit signs, the table.

A log of computer players states facts in full, so whatever is physically impossible in it (a card that is
not where it is taken from, a card twice, counts that do not add up) is a fault of the file and raises
FormatError. Breaches of rules are not: they are events like any other.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, Generic, NoReturn, TypeVar
from uuid import UUID, uuid5

import msgspec

from events.cards import FIRST_PACK, SUITS, UNKNOWN, Card
from events.chain import text_hash
from events.common import DealEnded, DealScored, Dealt, Event, GameEnded, Remarked, Shuffled
from events.errors import FormatError, as_reason
from events.formats import MAX_LINE, Import
from events.rummy500.due import due
from events.rummy500.events import Discarded, Kind, MeldLaid, Opened, StockDrawn, UpcardTurned
from events.rummy500.evolve import evolve, initial
from events.rummy500.melds import SMALLEST, sequence_low
from events.rummy500.normal import in_group_order
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import State
from events.rummy500.whereabouts import all_copies_known
from events.version import ENGINE

L = TypeVar("L")

# Under this id, a file's hash and a game's number give the same game id at every import.
IMPORTS: Final = UUID("7b3f6c1e-52a8-5d0b-9a44-0c61d1f7e2a5")
METHOD: Final = "imported"

_SIGNS: Final = dict(zip(SUITS, "♠♥♦♣", strict=True))
_CARDS: Final[dict[str, Card]] = {
    card[0].replace("T", "10") + _SIGNS[card[1]]: card for card in FIRST_PACK
}


class EngineLog(Generic[L]):
    """A file of one JSON object a line; it is read whole, since ids come from its hash."""

    def __init__(self, lines: Iterable[bytes], decoder: msgspec.json.Decoder[L]) -> None:
        self.lines = list(lines)
        self.digest = sha256(b"".join(self.lines)).hexdigest()
        self._decoder = decoder

    def decoded(self) -> Iterator[tuple[int, L]]:
        """Yield the lines with their numbers, counted from 1."""
        for number, line in enumerate(self.lines, 1):
            if len(line) > MAX_LINE:
                raise FormatError(number, f"more than {MAX_LINE} bytes in a line")
            yield number, self._decode(number, line)

    def fail_at_end(self, reason: str) -> NoReturn:
        """Raise FormatError at the last line."""
        raise FormatError(max(len(self.lines), 1), reason)

    def _decode(self, number: int, line: bytes) -> L:
        try:
            return self._decoder.decode(line)
        except msgspec.ValidationError as error:
            raise FormatError(number, f"not a line of this log: {as_reason(error)}") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(number, f"not JSON: {as_reason(error)}") from error


class Table:
    """One game on its way in: the events so far and the table after them.

    `line` is the line that is being read, which every FormatError names.
    """

    def __init__(
        self, digest: str, number: int, line: int, players: Sequence[str], labels: Sequence[str]
    ) -> None:
        if len(set(players)) != len(players):
            raise FormatError(line, f"a player twice: {', '.join(players)}")
        self.game_id = uuid5(IMPORTS, f"{digest}/{number}")
        self.number = number
        self.first_line = self.line = line
        self.players = list(players)
        ids = [str(uuid5(self.game_id, f"seat {seat}")) for seat in range(len(players))]
        self.names = dict(zip(ids, labels, strict=True))
        self.events: list[Event] = []
        self.remarks: dict[int, tuple[bytes, str]] = {}
        self._state: State | None = None

    @property
    def state(self) -> State:
        """The table as it stands; there is one once the game is open."""
        if self._state is None:
            self.fail("an act before the first deal")
        return self._state

    def fail(self, reason: str) -> NoReturn:
        """Raise FormatError at the line that is being read."""
        raise FormatError(self.line, reason)

    def open(self, ruleset: Ruleset, first_dealer: int, source: str) -> None:
        """Begin the log; *source* says which program played."""
        opened = Opened(
            game="rummy500",
            ruleset=ruleset,
            engine=ENGINE,
            seats=tuple(self.names),
            first_dealer=first_dealer,
            mode="recorded",
            source=source,
        )
        self.events.append(opened)
        self._state = initial(opened)

    def add(self, event: Any) -> None:
        """Put an event on record and carry it out."""
        self.events.append(event)
        self._state = evolve(self.state, event)

    def remark(self, seat: int, text: str) -> None:
        """Put a remark on record, its text beside the log with a salt that every import makes again."""
        version = len(self.events) + 1
        salt = sha256(b"imported remark" + self.game_id.bytes + version.to_bytes(4)).digest()[:16]
        self.remarks[version] = (salt, text)
        self.add(Remarked(seat=seat, text=text_hash(salt, text).hex()))

    def finished(self) -> Import:
        """Return the game as it is now."""
        return Import(
            game_id=self.game_id,
            events=self.events,
            names=self.names,
            remarks=self.remarks,
            line=self.first_line,
        )

    def seat(self, player: str) -> int:
        """Return a player's seat."""
        if player not in self.players:
            self.fail(f"unknown player {player!r}, expected one of {', '.join(self.players)}")
        return self.players.index(player)

    def cards(self, texts: Sequence[str]) -> tuple[Card, ...]:
        """Return the cards of the pack that these texts write, each at most once."""
        for text in texts:
            if text not in _CARDS:
                self.fail(f"not a card: {text!r}, expected e.g. 10♥ or A♣")
            if texts.count(text) > 1:
                self.fail(f"the card {text} twice in one line")
        return tuple(_CARDS[text] for text in texts)

    def by_seat(self, values: dict[str, L]) -> list[L]:
        """Return what a line says for every player, in the order of the seats."""
        if set(values) != set(self.players):
            self.fail(f"{', '.join(values) or 'nobody'}, expected {', '.join(self.players)}")
        return [values[player] for player in self.players]

    def deal(self, number: int, hands: dict[str, list[str]], upcard: list[str], left: int) -> None:
        """Shuffle, deal and turn the upcard; *left* is the stock that the log counts."""
        if self.state.phase not in ("shuffle", "scored"):
            self.fail("a deal before the one before it was scored")
        expected = next((one for one in due(self.state) if isinstance(one, Shuffled)), None)
        if expected is None or expected.deal != number:
            after = "the game is over" if expected is None else f"expected deal {expected.deal}"
            self.fail(f"deal {number}, but {after}")
        self.add(msgspec.structs.replace(expected, method=METHOD))
        dealt = [self.cards(hand) for hand in self.by_seat(hands)]
        turned = self.cards(upcard)
        if len(turned) != 1:
            self.fail(f"{len(turned)} cards in the first pile, expected 1")
        self._distinct([card for row in (*dealt, turned) for card in row])
        for step in range(1, len(dealt) + 1):
            seat = self.state.seat_after(expected.dealer + step - 1)
            self.add(Dealt(seat=seat, cards=dealt[seat]))
        self.add(UpcardTurned(card=turned[0]))
        if left != len(self.state.stock):
            self.fail(f"{left} cards left in the stock, expected {len(self.state.stock)}")

    def draw(self, seat: int, texts: Sequence[str]) -> None:
        """Draw one card, seen nowhere before, from the stock."""
        (card,) = self._single(texts)
        if not self.state.stock:
            self.fail(f"{texts[0]} drawn from an empty stock")
        if all_copies_known(self.state, card):
            self.fail(f"the card {texts[0]} twice: drawn from the stock, but seen before")
        self.add(StockDrawn(seat=seat, card=card))

    def top_of_pile(self, texts: Sequence[str]) -> tuple[Card, ...]:
        """Return these cards, which must be the top of the pile, lowest first."""
        cards, pile = self.cards(texts), self.state.pile
        if not cards or pile[len(pile) - len(cards) :] != cards:
            self.fail(f"{' '.join(texts)} taken from a pile of {' '.join(pile) or 'no cards'}")
        return cards

    def held(self, seat: int, texts: Sequence[str]) -> tuple[Card, ...]:
        """Return these cards, which must be in this hand."""
        cards = self.cards(texts)
        for card in cards:
            if card not in self.state.hands[seat]:
                hand = " ".join(self.state.hands[seat]) or "no cards"
                self.fail(f"{self.players[seat]} puts down {card}, but holds {hand}")
        return cards

    def discard(self, seat: int, texts: Sequence[str]) -> None:
        """Throw one card of a hand on the pile."""
        self._single(texts)
        self.add(Discarded(seat=seat, card=self.held(seat, texts)[0]))

    def meld(self, seat: int, texts: Sequence[str]) -> None:
        """Lay a new meld in normal form: a sequence low to high, a group S H D C."""
        kind, cards = self._in_order(self.held(seat, texts))
        self.add(MeldLaid(seat=seat, meld=self.state.next_meld, kind=kind, cards=cards))

    def _in_order(self, cards: tuple[Card, ...]) -> tuple[Kind, tuple[Card, ...]]:
        if len(cards) < SMALLEST:
            self.fail(f"a meld of {len(cards)} cards, expected {SMALLEST} or more")
        if len({card[0] for card in cards}) == 1:
            return "group", in_group_order(cards)
        places = sorted(cards, key=lambda card: sequence_low((card,)))
        if places[0][0] == "A" and places[1][0] != "2":
            places.append(places.pop(0))
        return "sequence", tuple(places)

    def end_deal(
        self, reason: str, out: int | None, scores: list[int], totals: list[int], left: Any
    ) -> None:
        """Close the deal with the log's own points, when its hands are what they must be."""
        for seat, texts in enumerate(self.by_seat(left)):
            if sorted(self.cards(texts)) != sorted(self.state.hands[seat]):
                hand = " ".join(self.state.hands[seat]) or "no cards"
                self.fail(f"{self.players[seat]} is left with {' '.join(texts)}, expected {hand}")
        self.add(DealEnded(deal=self.state.deal, reason=reason, out=out))
        self.add(DealScored(deal=self.state.deal, scores=tuple(scores), totals=tuple(totals)))

    def end_game(self, winner: int | None, *, abandoned: bool) -> None:
        """Close the game."""
        self.add(GameEnded(winner=winner, abandoned=abandoned))

    def out(self) -> int:
        """Return the one seat without cards."""
        empty = [seat for seat, hand in enumerate(self.state.hands) if not hand]
        if len(empty) != 1:
            self.fail(f"{len(empty)} players without cards, expected 1 who went out")
        return empty[0]

    def _single(self, texts: Sequence[str]) -> tuple[Card, ...]:
        if len(texts) != 1:
            self.fail(f"{len(texts)} cards, expected 1")
        return self.cards(texts)

    def _distinct(self, cards: list[Card]) -> None:
        for card in cards:
            if card != UNKNOWN and cards.count(card) > 1:
                self.fail(f"the card {card} twice in one deal")
