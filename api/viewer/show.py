"""One game as a page shows it to one reader: everything computed from what he may see, nothing else.

Reads no request and no table: it is given the log. Steps are made for a stretch of versions at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from api.files import Filed
from api.viewer import scene_loo, scene_rummy
from api.viewer.naming import isolated, shortened
from api.viewer.scene import Origins, Region, Scene, is_card
from api.viewer.texts import Texts
from api.viewing import Eyes
from events.common import GameOpened, Remarked
from events.formats.notation_writer import write_event
from events.game import effective
from events.games import game_named
from projections.audit import Finding, Report, audit
from projections.board import LETTERS
from projections.explain import sentence
from projections.telling import tell
from projections.timeline import DealLine, Timeline, timeline
from projections.whereabouts import Stay, copies_of, stays

Render = Callable[[Region], str]
_LONG: Final = ("shuffled", "stock_renewed", "position_set")
_LONGEST: Final = 72
STRETCH: Final = 100
"""Versions in a piece."""

_REGIONS: Final[dict[str, Callable[[dict[str, Any], Scene], dict[str, Region]]]] = {
    "rummy500": scene_rummy.regions,
    "lanterloo": scene_loo.regions,
}
_NO_TURN: Final = frozenset(
    ("dealt", "ante_paid", "remarked", "pool_paid", "looed", "rummy_called")
)


class Line(msgspec.Struct, frozen=True):
    """One line of the move list."""

    version: int
    text: str
    kind: str
    marks: str
    whole: str = ""


class Tick(msgspec.Struct, frozen=True):
    """Marks of one kind under the slider: how many, and where: pairs of a place (0 to 500) and a width."""

    kind: str
    count: int
    runs: list[tuple[int, int]]


class Moment(msgspec.Struct, frozen=True):
    """The table at one version: its parts, and what happened, in a sentence."""

    version: int
    say: str
    brief: str
    regions: dict[str, Region]


class Show:
    """A game for one reader in one language."""

    def __init__(self, game: Filed, eyes: Eyes, texts: Texts) -> None:
        self.head = game.head
        self.game = game_named(game.head.game)
        self.texts = texts
        self.eyes = eyes
        self.seen = eyes.log(game.events)
        self.events = self.seen.shown
        self._whole = game
        opened = game.events[0]
        assert isinstance(opened, GameOpened)
        self.opened = opened

    @property
    def last(self) -> int:
        """The newest version."""
        return len(self.events)

    @cached_property
    def names(self) -> list[str]:
        """What the seats are called: by a name that is short enough for a sentence, or by letter."""
        return shortened(self.full_names)

    @cached_property
    def full_names(self) -> list[str]:
        """What the seats are called in full: by name, or by letter."""
        pairs = zip(LETTERS, self.opened.seats, strict=False)
        return [isolated(self._whole.names.get(player) or letter) for letter, player in pairs]

    @cached_property
    def remarks(self) -> dict[int, str]:
        """The texts of remarks by version."""
        return {version: isolated(text) for version, (_, text) in self._whole.remarks.items()}

    @cached_property
    def timeline(self) -> Timeline:
        """The course of the game."""
        return timeline(self.game, self.events)

    @cached_property
    def report(self) -> Report:
        """The audit of what the reader may see."""
        return audit(self.game, self.events)

    @cached_property
    def found(self) -> list[Finding]:
        """What the audit found and what it could not check, in order."""
        both = (*self.report.findings, *self.report.unchecked)
        return sorted(both, key=lambda one: one.version)

    def places(self) -> list[tuple[str, list[int]]]:
        """Return who sits where, clockwise from the bottom, where the reader sits: left, top, right."""
        seats, asked = len(self.names), self.eyes.asked
        bottom = asked if isinstance(asked, int) and asked < seats else 0
        others = [(bottom + step) % seats for step in range(1, seats)]
        side = 0 if len(others) < 2 else 1 if len(others) < 6 else 2
        left, top = others[:side], others[side : len(others) - side]
        right = others[len(others) - side :]
        return [("top", top), ("left", left[::-1]), ("right", right), ("bottom", [bottom])]

    def result(self) -> str:
        """Return how the game ended, in words."""
        if not self.timeline.ended:
            return self.texts["status.open"]
        if self.timeline.winner is None:
            return self.texts["status.ended"]
        return f"{self.texts['winner']}: {self.names[self.timeline.winner]}"

    def finding_text(self, one: Finding) -> str:
        """Return a finding as a sentence with names."""
        return sentence(one, self.names, self.texts.lang)

    def say(self, version: int) -> str:
        """Return what happened, in a sentence."""
        return tell(self.events[version - 1], self.names, self.texts.lang)

    def brief(self, version: int) -> str:
        """Return what happened, in a sentence with cards as symbols."""
        return tell(self.events[version - 1], self.names, self.texts.lang, symbols=True)

    def line(self, version: int) -> Line:
        """Return one line of the move list."""
        event = self.events[version - 1]
        if version == 1:
            text = self.say(1)
        else:
            remark = self.remarks.get(version, self.texts["remark.erased"])
            text = write_event(self.head.game, event, len(self.names), remark)
        kind, marks = str(event.__struct_config__.tag), self._marks.get(version, "")
        if kind in _LONG and len(text) > _LONGEST:
            return Line(version, self._cut(text), kind, marks, text)
        return Line(version, text, kind, marks)

    def _cut(self, text: str) -> str:
        """Return a line that names a whole deck without its cards."""
        words = text.split(" ")
        cards = [is_card(word.strip(";:,")) for word in words]
        first, count = (cards.index(True) if True in cards else len(words)), sum(cards)
        return " ".join((*words[:first], self.texts.fill("line.cards", count=count)))

    @cached_property
    def _marks(self) -> dict[int, str]:
        marks = {one.version: "breach" for one in self.report.findings}
        for version, event in enumerate(self.events, 1):
            if isinstance(event, Remarked):
                marks[version] = f"{marks.get(version, '')} remark".strip()
            elif event.__struct_config__.tag == "rummy_called":
                marks[version] = f"{marks.get(version, '')} call".strip()
        return marks

    def _marked(self, kind: str) -> list[int]:
        """Return the versions that bear a mark."""
        return sorted(version for version, kinds in self._marks.items() if kind in kinds.split())

    def ticks(self) -> list[Tick]:
        """Return what the slider marks, a lane for each kind: many marks that lie together are one broad one."""
        lanes = [("deal", [deal.first for deal in self.timeline.deals])]
        lanes += [(kind, self._marked(kind)) for kind in ("breach", "call", "remark")]
        return [self.tick(kind, found) for kind, found in lanes]

    def tick(self, kind: str, versions: Sequence[int]) -> Tick:
        """Return the marks of one kind."""
        return Tick(kind, len(versions), runs([self._place(version) for version in versions]))

    def _place(self, version: int) -> int:
        """Return where a version lies on the slider, from 0 to 500."""
        return round(500 * (version - 1) / max(1, self.last - 1))

    def deal_at(self, version: int) -> DealLine | None:
        """Return the deal that a version belongs to, None before the first."""
        return next((deal for deal in reversed(self.timeline.deals) if deal.first <= version), None)

    def jumps(self) -> dict[str, list[int]]:
        """Return where the keys lead: first versions of deals and turns, and versions with findings."""
        deals = self.timeline.deals
        return {
            "deals": [deal.first for deal in deals],
            "turns": sorted({*self._turns(), *(deal.first for deal in deals)}),
            "findings": sorted({one.version for one in self.report.findings}),
            "calls": self._marked("call"),
            "remarks": self._marked("remark"),
        }

    def noted(self) -> set[int]:
        """Return the versions at which a finding, a deal's score or a remark is told beside the table."""
        ends = (version for deal in self.timeline.deals for version in (deal.first, deal.last))
        remarks = (one.version for one in self.timeline.remarks)
        return {*ends, *remarks, *(one.version for one in self.found)}

    def stays(self, card: str, upto: int) -> list[Stay]:
        """Return where a card was up to a version, as the reader sees it; either copy where there are two."""
        packs = getattr(self.game.initial(self.opened), "packs", 1)
        return stays(self.seen, copies_of(card, packs), upto)

    def _turns(self) -> Iterator[int]:
        """Yield where another seat acts than before; a trick that is taken is where the next one begins."""
        actor: int | None = None
        for version, event in effective(self.events):
            seat = getattr(event, "seat", None)
            tag = event.__struct_config__.tag
            if tag == "trick_taken" or (seat is not None and seat != actor and tag not in _NO_TURN):
                yield version
                actor = seat

    def moments(self, first: int, last: int) -> Iterator[Moment]:
        """Yield the table at every version of a stretch; raise NotALogError for a log without a start."""
        scene = Scene(self.texts, self.names, self.full_names, Origins())
        regions = _REGIONS[self.game.name]
        for at, event in enumerate(self.events[: first - 1], 1):
            scene.take(at, event)
        for at, event, view in self.seen.steps(first, last):
            scene.take(at, event)
            scene.viewer = self.eyes.at(at)
            yield Moment(at, self.say(at), self.brief(at), regions(view, scene))

    def moment(self, version: int) -> Moment:
        """Return the table at one version."""
        return next(self.moments(version, version))


def runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return stretches of places that lie side by side: where each begins, and how long it is."""
    found: list[tuple[int, int]] = []
    for place in sorted(set(places)):
        if found and place <= sum(found[-1]):
            begin, width = found[-1]
            found[-1] = (begin, place - begin + 1) if place == begin + width else (begin, width)
        else:
            found.append((place, 1))
    return found


def changed(before: Moment, after: Moment) -> dict[str, Region]:
    """Return the parts that are not the same in the second moment."""
    return {
        name: region for name, region in after.regions.items() if before.regions.get(name) != region
    }
