"""One session of Lanterloo in table notation, line by line into events; `notation.py` cuts a file into games.

What a scribe leaves out is left unknown. What dealer and scorer do by the rules (antes, hands, tricks, shares,
loos, the end of a deal) need not be written: it is put on record where the next line shows that it was done.
"""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID, uuid5

import msgspec
from msgspec.structs import replace

from events.cards import UNKNOWN
from events.chain import text_hash
from events.common import (
    DealEnded,
    DealerDrawn,
    DealScored,
    Dealt,
    GameEnded,
    GameOpened,
    Redealt,
    Remarked,
    Retracted,
    Shuffled,
)
from events.errors import ActError, FormatError, LanterlogError
from events.formats import Import
from events.formats.loo_lines import read_act, read_chips, read_draw, read_retraction
from events.formats.notation_parts import is_number, read_hand, read_players
from events.formats.notation_reader import MOST_EVENTS, SOURCE
from events.formats.remarks import read_remark
from events.formats.rulesets import read_ruleset
from events.game import Course
from events.games import LANTERLOO
from events.lanterloo.events import LooEvent, MissDealt, PositionSet, SessionDivided, TurnUp
from events.lanterloo.state import State
from events.lanterloo.turns import is_off_the_table
from events.version import ENGINE

HEAD_KEYS: Final = ("game", "players", "ruleset", "dealer")
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


class LooReader:
    """Reads the lines of one session into events, with the table as it stands after each."""

    def __init__(self, game_id: UUID, line: int) -> None:
        self.game_id, self.first_line, self.line = game_id, line, line
        self.head: dict[str, str] = {}
        self.labels: tuple[str, ...] = ()
        self.names: dict[str, str] = {}
        self.events: list[Any] = []
        self.remarks: dict[int, tuple[bytes, str]] = {}
        self.course: Course[State, LooEvent] | None = None
        self.shuffle: Shuffled | None = None
        self.scores: tuple[int | None, ...] | None = None

    def take(self, line: int, words: str) -> None:
        """Read one line; every fault becomes a FormatError with that line."""
        self.line = line
        self._guarded(lambda: self._take(words))

    def finish(self) -> Import:
        """Return the session that was read."""
        self._guarded(self._close)
        return Import(self.game_id, self.events, self.names, self.remarks, self.first_line)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except FormatError:
            raise
        except (LanterlogError, msgspec.ValidationError) as error:
            raise FormatError(self.line, str(error)) from error

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
        people = read_players(self.head.get("players", ""))
        self.labels = tuple(people)
        self.names = {str(uuid5(self.game_id, label)): name for label, name in people.items()}
        dealer = self.head.get("dealer")
        opened: GameOpened[Any] = GameOpened(
            game=LANTERLOO.name,
            ruleset=read_ruleset(self.head.get("ruleset", "seed"), LANTERLOO.presets),
            engine=ENGINE,
            seats=tuple(self.names),
            first_dealer=None if dealer is None else self._seat(dealer),
            mode="recorded",
            source=SOURCE,
        )
        found = LANTERLOO.problems(opened)
        if found:
            raise ActError("; ".join(f"{one.code} {dict(one.params)}" for one in found))
        self.events.append(opened)
        self.course = Course(LANTERLOO, opened)

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
        row = tuple(numbers.get(label) for label in self.labels)
        if first == "scores:":
            self._do_what_is_due(DealScored)
            self.scores = row
        elif self.scores is None:
            raise ActError("totals without scores before them")
        else:
            self._flush_scores(row)

    def _flush_scores(self, totals: tuple[int | None, ...] = ()) -> None:
        scores, self.scores = self.scores, None
        if scores is not None:
            unknown = (None,) * len(self.labels)
            self._add(DealScored(deal=self._now.deal, scores=scores, totals=totals or unknown))

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

    def _retract(self, rest: str) -> None:
        back_to, reason = read_retraction(rest)
        if not 1 <= back_to <= len(self.events):
            raise ActError(f"version {back_to} is not there, expected 1 to {len(self.events)}")
        self._add(Retracted(back_to=back_to, reason=reason))

    def _remark(self, seat: int | None, about: int | None, text: str) -> None:
        version = len(self.events) + 1
        salt = uuid5(self.game_id, f"remark {version}").bytes
        self._add(Remarked(seat=seat, text=text_hash(salt, text).hex(), about=about))
        self.remarks[version] = (salt, text)

    def _add(self, event: LooEvent) -> None:
        assert self.course is not None
        if len(self.events) == MOST_EVENTS:
            raise ActError(f"a game of more than {MOST_EVENTS} events")
        checked = msgspec.convert(msgspec.to_builtins(event), LANTERLOO.event_type)
        if is_off_the_table(self._now, checked):
            raise ActError("the event names a seat that is not at this table")
        self.events.append(checked)
        self.course.take(checked)

    @property
    def _now(self) -> State:
        assert self.course is not None
        return self.course.state

    def _seat(self, label: str) -> int:
        if label not in self.labels:
            raise ActError(f"no such player: {label!r}, expected one of {', '.join(self.labels)}")
        return self.labels.index(label)
