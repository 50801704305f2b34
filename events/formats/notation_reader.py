"""One game of table notation, line by line into events; `notation.py` cuts a file into games.

What a scribe leaves out is left unknown: hands that are not written are `??`. The end of a deal that the
play itself shows is put on record when the next line makes it plain that the deal is over.
"""

from uuid import UUID

from msgspec.structs import replace

from events.common import (
    DealEnded,
    DealerDrawn,
    Dealt,
    Draw,
    GameEnded,
    Redealt,
)
from events.errors import ActError
from events.formats.acts import parse_act, read_card
from events.formats.notation_parts import (
    FACT_WORDS,
    OPENERS,
    POSITION_KEYS,
    Setup,
    is_number,
    position_of,
    read_hand,
    read_numbers,
    read_ruleset,
    shuffle_of,
)
from events.formats.notation_table import HEAD_KEYS, TableReader
from events.formats.remarks import read_remark
from events.games import RUMMY500
from events.rummy500.due import due
from events.rummy500.events import FirstCardTurned, UpcardTurned
from events.rummy500.scoring import ABANDONED
from events.rummy500.state import State


class GameReader(TableReader[State]):
    """Reads the lines of one game into events, with the table as it stands after each."""

    game = RUMMY500

    def __init__(self, game_id: UUID, line: int) -> None:
        super().__init__(game_id, line)
        self.setup: Setup | None = None

    def _close(self) -> None:
        if self.course is None:
            raise ActError("the game has a head but no deal")
        self._flush_setup()
        self._flush_scores()
        self._end_as_played()

    def _take(self, words: str) -> None:
        first, _, rest = words.partition(" ")
        if self.course is None and first not in OPENERS:
            self._take_head(words)
            return
        if self.course is None:
            self._open()
        rest = rest.strip()
        if self.setup is not None and self._take_setup(first, rest):
            return
        if first != "totals:":
            self._flush_scores()
        remark = read_remark(rest if first in self.labels else words, len(self.events))
        if remark is not None:
            self._remark(self._seat(first) if first in self.labels else None, *remark)
        elif first in self.labels:
            self._act(words)
        else:
            self._take_fact(first, rest)

    def _take_fact(self, first: str, rest: str) -> None:
        """Read a line that is no player's act."""
        match first:
            case "deal":
                self._end_as_played()
                self.setup = self._new_setup(rest)
            case "position":
                self.setup = self._new_setup(rest or "1")
                self.setup.position = {}
            case "drawn":
                self._draw_for_deal(rest)
            case "end":
                self._end(rest)
            case "scores:":
                self._take_scores(rest)
            case "totals:":
                self._add_totals(read_numbers(rest, self.labels))
            case "winner:":
                self._add(GameEnded(winner=self._seat(rest), abandoned=False))
            case "abandoned":
                self._add(GameEnded(winner=None, abandoned=True))
            case "redeal":
                self._add(Redealt(reason=rest or "MISDEAL"))
            case "retract":
                self._retract(rest)
            case _:
                known = f"{', '.join(self.labels)} or one of {', '.join(FACT_WORDS)}"
                raise ActError(f"expected an act of {known}, not {first[:40]!r}")

    def _take_head(self, words: str) -> None:
        key, sign, value = words.partition(":")
        if not sign or key not in HEAD_KEYS:
            known = f"{': '.join(HEAD_KEYS)}: or 'deal 1'"
            raise ActError(f"expected {known}, not {words[:40]!r}")
        if key in self.head:
            raise ActError(f"{key!r} stands twice in the head")
        self.head[key] = value.strip()

    def _open(self) -> None:
        if self.head.get("game") != RUMMY500.name:
            raise ActError(f"no such game: {self.head.get('game')!r}, expected {RUMMY500.name}")
        self._sit_down()
        ruleset = read_ruleset(self.head.get("ruleset", "seed"))
        default = None if ruleset.first_dealer == "low_card" else self.labels[0]
        self._open_table(ruleset, self.head.get("dealer", default))

    def _take_setup(self, first: str, rest: str) -> bool:
        """Read a line that still sets up the deal; False if the play begins with it."""
        setup, key = self._now_setup, first.rstrip(":")
        label, colon, cards = rest.partition(":")
        if first == "hand" and colon:
            setup.hands = setup.hands | {self._seat(label.strip()): read_hand(cards)}
        elif setup.position is None and first == "first" and colon:
            setup.firsts = setup.firsts | {self._seat(label.strip()): read_card(cards.strip())}
        elif setup.position is not None and first.endswith(":") and key in POSITION_KEYS:
            setup.position[key] = rest
        elif setup.position is None and first == "upcard:":
            setup.upcard = read_card(rest)
        elif setup.position is None and first == "deck:":
            setup.deck = read_hand(rest)
        elif setup.position is None and first == "shuffled:":
            setup.method = rest
        else:
            self._flush_setup()
            return False
        return True

    @property
    def _now_setup(self) -> Setup:
        assert self.setup is not None
        return self.setup

    def _flush_setup(self) -> None:
        """Put the shuffle, hands and upcard on record, or the position, before the first act."""
        setup, self.setup = self.setup, None
        if setup is None:
            return
        if setup.position is not None:
            self._add(position_of(setup, self.labels))
            return
        self._add(shuffle_of(setup, self._now))
        while self._now.phase == "deal":
            for event in due(self._now):
                if isinstance(event, FirstCardTurned):
                    self._add(replace(event, card=setup.firsts.get(event.seat, event.card)))
                elif isinstance(event, Dealt):
                    self._add(replace(event, cards=setup.hands.get(event.seat, event.cards)))
        for event in due(self._now):
            if isinstance(event, UpcardTurned):
                self._add(replace(event, card=setup.upcard or event.card))

    def _act(self, words: str) -> None:
        self._add(parse_act(words, self._now, self.labels))

    def _new_setup(self, rest: str) -> Setup:
        match rest.split():
            case [number] if is_number(number):
                return Setup(int(number), None)
            case [number, "dealer", label] if is_number(number):
                return Setup(int(number), self._seat(label))
        raise ActError(
            f"expected a number and perhaps the dealer, e.g. 'deal 2 dealer B', not {rest!r}"
        )

    def _draw_for_deal(self, rest: str) -> None:
        words, _, dealer = rest.partition(" dealer ")
        pairs = words.split()[1:] if words.startswith("for ") else words.split()
        draws = tuple(
            Draw(self._seat(label), read_card(card))
            for label, card in zip(pairs[::2], pairs[1::2], strict=False)
        )
        if not draws or len(pairs) % 2:
            raise ActError(
                f"expected players and cards, e.g. 'drawn A 4H B 2C dealer B', not {rest!r}"
            )
        self._add(DealerDrawn(draws=draws, dealer=self._seat(dealer) if dealer else None))

    def _end(self, rest: str) -> None:
        match rest.split():
            case [reason]:
                out = None
            case [reason, "out", label]:
                out = self._seat(label)
            case _:
                raise ActError(f"expected a reason, e.g. 'end MELDED_OUT out A', not {rest!r}")
        self._add(DealEnded(deal=self._now.deal, reason=reason, out=out))

    def _end_as_played(self) -> None:
        """Put the end of the deal on record if the play has ended it and nobody wrote so."""
        owed = due(self._now)
        if owed and isinstance(owed[0], DealEnded):
            self._add(owed[0])

    def _take_scores(self, rest: str) -> None:
        self._end_as_played()
        if not self._now.closed:
            raise ActError(f"scores before the deal has ended; write e.g. 'end {ABANDONED}' first")
        self._keep_scores(read_numbers(rest, self.labels))
