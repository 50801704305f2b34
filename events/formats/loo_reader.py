"""One session of Lanterloo in table notation, line by line into events; `notation.py` cuts a file into games.

What a scribe leaves out is left unknown. What dealer and scorer do by the rules (antes, hands, tricks, shares,
loos, the end of a deal) need not be written: it is put on record where the next line shows that it was done.
"""

from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from events.cards import UNKNOWN
from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    GameEnded,
    Redealt,
    Shuffled,
)
from events.errors import ActError
from events.formats.loo_lines import read_act, read_chips, read_draw
from events.formats.notation_parts import is_number, read_hand
from events.formats.notation_table import HEAD_KEYS, TableReader
from events.formats.remarks import read_remark
from events.formats.rulesets import read_ruleset
from events.games import LANTERLOO
from events.lanterloo.events import LooEvent, MissDealt, PositionSet, SessionDivided, TurnUp
from events.lanterloo.state import State

FACTS: Final = (
    *(
        "deal",
        "deck:",
        "shuffled:",
        "hand",
        "miss:",
        "turn-up:",
        "redeal",
        "divided",
        "drawn",
        "end",
    ),
    *("scores:", "totals:", "winner:", "abandoned", "retract", "remark:", "position:"),
)


class LooReader(TableReader[State]):
    """Reads the lines of one session into events, with the table as it stands after each."""

    game = LANTERLOO

    def __init__(self, game_id: UUID, line: int) -> None:
        super().__init__(game_id, line)
        self.shuffle: Shuffled | None = None

    def _close(self) -> None:
        if self.course is None:
            self._open()
        self._flush_shuffle()
        self._flush_scores()

    def _take(self, words: str) -> None:
        first, _, rest = words.partition(" ")
        if self.course is None and first.removesuffix(":") in HEAD_KEYS:
            self._take_head(words)
            return
        if self.course is None:
            self._open()
        rest = rest.strip()
        if first not in ("deck:", "shuffled:"):
            self._flush_shuffle()
        if first != "totals:":
            self._flush_scores()
        remark = read_remark(rest if first in self.labels else words, len(self.events))
        if remark is not None:
            self._remark(self._seat(first) if first in self.labels else None, *remark)
        elif first not in self.labels:
            self._take_fact(first, rest)
        elif rest:
            self._record(read_act(rest.split(), self._seat(first), self._now, self.labels))
        else:
            raise ActError(f"expected what {first} did, e.g. '{first} play'")

    def _take_fact(self, first: str, rest: str) -> None:
        """Read a line that is no player's act."""
        match first:
            case "deal":
                self._begin_deal(rest)
            case "deck:" | "shuffled:":
                self._about_shuffle(first, rest)
            case "hand":
                label, _, cards = rest.partition(":")
                self._record(Dealt(seat=self._seat(label.strip()), cards=read_hand(cards)))
            case "miss:":
                self._record(MissDealt(cards=read_hand(rest)))
            case "turn-up:":
                self._record(TurnUp(card=read_hand(rest)[0] if rest else UNKNOWN))
            case "redeal":
                self._add(Redealt(reason=rest or "MISDEAL"))
            case "divided":
                shares = read_chips(rest, self.labels)
                self._add(SessionDivided(shares=tuple(shares.get(s, 0) for s in self.labels)))
            case "drawn":
                self._add(read_draw(rest, self.labels))
            case "end":
                reason, _, out = rest.partition(" out ")
                who = self._seat(out) if out else None
                self._record(DealEnded(deal=self._now.deal, reason=reason, out=who))
            case "winner:" | "abandoned":
                self._end(first, rest)
            case "scores:" | "totals:":
                self._take_scores(first, rest)
            case "position:":
                self._add(msgspec.json.decode(rest.encode(), type=PositionSet))
            case "retract":
                self._retract(rest)
            case _:
                known = f"{', '.join(self.labels)} or one of {', '.join(FACTS)}"
                raise ActError(f"expected an act of {known}, not {first[:40]!r}")

    # The head

    def _take_head(self, words: str) -> None:
        key, sign, value = words.partition(":")
        if not sign or key in self.head:
            raise ActError(f"{key[:40]!r} stands twice in the head, or without a colon")
        self.head[key] = value.strip()

    def _open(self) -> None:
        self._sit_down()
        ruleset = read_ruleset(self.head.get("ruleset", "seed"), LANTERLOO.presets)
        self._open_table(ruleset, self.head.get("dealer"))

    # Deals

    def _begin_deal(self, rest: str) -> None:
        match rest.split():
            case [number] if is_number(number):
                dealer = None
            case [number, "dealer", label] if is_number(number):
                dealer = self._seat(label)
            case _:
                raise ActError(f"expected e.g. 'deal 2 dealer B', not {rest[:40]!r}")
        self._do_what_is_due(Shuffled)
        owed = next((one for one in self._due() if isinstance(one, Shuffled)), None)
        deck = (UNKNOWN,) * 52
        before = self._now.dealer if owed is None else owed.dealer
        self.shuffle = Shuffled(
            deal=int(number),
            dealer=before if dealer is None else dealer,
            method="unknown",
            deck=deck,
        )

    def _about_shuffle(self, first: str, rest: str) -> None:
        if self.shuffle is None:
            raise ActError(f"{first} before 'deal 1'")
        known = {"deck": read_hand(rest)} if first == "deck:" else {"method": rest}
        self.shuffle = replace(self.shuffle, **known)

    def _flush_shuffle(self) -> None:
        shuffle, self.shuffle = self.shuffle, None
        if shuffle is not None:
            self._add(shuffle)

    def _end(self, first: str, rest: str) -> None:
        self._do_what_is_due(GameEnded)
        abandoned = first == "abandoned"
        winner = None if abandoned or rest == "none" else self._seat(rest)
        self._add(GameEnded(winner=winner, abandoned=abandoned))

    def _take_scores(self, first: str, rest: str) -> None:
        numbers = read_chips(rest, self.labels)
        if first == "totals:":
            self._add_totals(numbers)
        else:
            self._do_what_is_due(DealScored)
            self._keep_scores(numbers)

    # What is put on record

    def _record(self, event: LooEvent) -> None:
        """Record what a line says, and before it what dealer and scorer must have done by then."""
        self._do_what_is_due(type(event))
        self._add(event)

    def _do_what_is_due(self, wanted: type[Any]) -> None:
        """Record what is due until it is the players' turn, or a fact of this kind is due itself."""
        while owed := self._due():
            is_open = self._now.phase == "trick" and len(owed) > 1
            if any(type(one) is wanted for one in owed) or is_open or self._stops(owed):
                return
            self._add(owed[0])

    def _stops(self, owed: tuple[LooEvent, ...]) -> bool:
        """Tell whether a new deal or the end would come, which only a line of its own can say."""
        return isinstance(owed[0], Shuffled | GameEnded | DealerDrawn)

    def _due(self) -> tuple[LooEvent, ...]:
        return LANTERLOO.due(self._now)
