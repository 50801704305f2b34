"""An audit report in sentences: made at the edge, from what `report.py` found, in any language.

Pure. A sentence tells what the report holds and nothing else, so a report for a viewer reads as safe as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

from events.cards import UNKNOWN
from events.common import Event
from events.formats.notation_writer import write_event
from projections.audit import Finding
from projections.board import LETTERS
from projections.correction import Correction, DealCorrection, Points, Undefined
from projections.explain import Language, sentence
from projections.knowledge import Hidden, Knowledge
from projections.recording import Recording
from projections.report import AuditReport, Side, Told
from projections.report_words import WORDS
from projections.telling import tell
from projections.viewer import Viewer

_NOBODY = UUID(int=0)
# Where a balance is wrong and the deal's score may be right.
_TOTALS = frozenset({("TOTAL_WRONG", "R-9.4"), ("POOL_WRONG", "15.3")})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Teller(msgspec.Struct, frozen=True):
    """Sentences of a report in one language, seats called by these names, by their letters if there are none."""

    lang: Language = "en"
    names: Sequence[str] = LETTERS

    @property
    def words(self) -> Mapping[str, str]:
        """This language's words."""
        return WORDS[self.lang]

    def say(self, key: str, **values: object) -> str:
        """Return the words of a key, filled in."""
        return self.words[key].format(**values)

    def who(self, seat: int) -> str:
        """Return what a seat is called."""
        return self.names[seat] if seat < len(self.names) else f"#{seat + 1}"

    # The whole

    def scope(self, report: AuditReport) -> str:
        """Return what the report is about."""
        scope = report.scope
        key = "scope.range" if scope.deal is None else "scope.deal"
        if scope.deal is None and report.is_whole:
            key = "scope.whole"
        return self.say(key, deal=scope.deal, first=scope.first, last=scope.last)

    def viewer(self, viewer: Viewer) -> str:
        """Return from whose view the report was made."""
        if isinstance(viewer, int):
            seen = self.say("viewer.seat", who=self.who(viewer))
        else:
            seen = self.say(f"viewer.{viewer}")
        return self.say("viewer", viewer=seen)

    def verdict(self, report: AuditReport) -> str:
        """Return the report in one line: breaches that stand for themselves are counted, the rest is said."""
        first = min((one.finding.version for one in report.primary), default=0)
        follow = len(report.breaches) - len(report.primary)
        line = self._counted(len(report.primary), first, report.events)
        if follow:
            line += self.say("verdict.follow" if follow > 1 else "verdict.follow.one", count=follow)
        if report.unchecked:
            line += self.say("verdict.unchecked", count=len(report.unchecked))
        line += "" if report.finished else self.say("verdict.unfinished")
        return line + self.say("verdict.end")

    def _counted(self, count: int, first: int, events: int) -> str:
        key = "clean" if count == 0 else "one" if count == 1 else "many"
        return self.say(f"verdict.{key}", count=count, first=first, events=events)

    # One breach

    def heading(self, told: Told) -> str:
        """Return when a breach was made."""
        one = told.finding
        key = "breach.at" if one.deal is not None else "breach.at.no_deal"
        return self.say(key, at=one.version, deal=one.deal)

    def sentence(self, one: Finding) -> str:
        """Return what was wrong, with its rule."""
        return sentence(one, self.names, self.lang)

    def happened(self, told: Told) -> str:
        """Return what happened."""
        return tell(told.event, self.names, self.lang)

    def actor(self, told: Told) -> str | None:
        """Return whose act it was, None if dealer or scorer erred."""
        moment = told.moment
        return (
            None if moment is None or moment.knowledge is None else self.who(moment.knowledge.seat)
        )

    def knowledge(self, known: Knowledge) -> list[str]:
        """Return what a seat knew, a sentence each."""
        return [*self._own(known), *self._held(known), *self._unseen(known)]

    def _own(self, known: Knowledge) -> Iterator[str]:
        hidden = [one for one in known.hidden if (one.place, one.seat) == ("hand", known.seat)]
        if known.own:
            yield self.say("knew.own", cards=" ".join(known.own))
        for one in hidden:
            yield self.say("knew.own_hidden", count=one.count)
        if not known.own and not hidden:
            yield self.say("knew.no_hand")
        if known.laid_aside:
            yield self.say("knew.aside", cards=" ".join(known.laid_aside))

    def _held(self, known: Knowledge) -> Iterator[str]:
        for one in known.held:
            yield self.say("knew.held", who=self.who(one.seat), card=one.card, since=one.since)

    def _unseen(self, known: Knowledge) -> Iterator[str]:
        others = [one for one in known.hidden if (one.place, one.seat) != ("hand", known.seat)]
        if not others:
            yield self.say("knew.none")
            return
        places = self.words["comma"].join(map(self._place, others))
        yield self.say("knew.unseen", count=sum(one.count for one in others), places=places)
        sets = dict.fromkeys(one.possible for one in others)
        if len(sets) == 1:
            cards = others[0].possible
            yield self.say("knew.possible", count=len(cards), cards=" ".join(cards))
            return
        for one in others:
            cards = one.possible
            values = {"count": len(cards), "cards": " ".join(cards)}
            yield self.say("knew.possible_in", place=self._place(one), **values)

    def _place(self, one: Hidden) -> str:
        who = "" if one.seat is None else self.who(one.seat)
        return self.say(f"place.{one.place}", who=who, count=one.count)

    def acts(self, report: AuditReport, told: Told) -> list[str]:
        """Return what the seat could have done, or why nothing is listed: in English in table notation."""
        moment = told.moment
        if moment is None or moment.knowledge is None:
            return []
        seats = moment.view["seats"]
        listed = [self._act(report.game, act, seats) for act in moment.acts]
        if listed:
            return [*listed, self.words["could.more"]] if moment.more else listed
        if UNKNOWN in moment.view["hands"][moment.knowledge.seat]:
            return [self.words["could.hidden"]]
        turn = moment.view["turn"]
        who = "?" if turn is None else self.who(turn)
        return [self.say("could.none", turn=who)] if turn != moment.knowledge.seat else []

    def _act(self, game: str, act: Event, seats: int) -> str:
        if self.lang == "en":
            return write_event(game, act, seats)
        return tell(act, self.names, self.lang).removesuffix(self.words["verdict.end"])

    def due(self, told: Told) -> list[str]:
        """Return what dealer or scorer should have put on record."""
        moment = told.moment
        return [] if moment is None else [tell(one, self.names, self.lang) for one in moment.due]

    # Scores

    def effect(self, score: DealCorrection | None) -> str:
        """Return what a breach did to the deal's score, as far as that is defined."""
        if score is None:
            return self.words["effect.no_deal"]
        if score.corrected is None or score.undefined is not None:
            return self.undefined(score.undefined)
        right = self.points(score.corrected)
        if score.recorded is None:
            return self.say("effect.unscored", corrected=right)
        if not score.differs:
            return self.words["effect.none"]
        return self.say("effect.differs", recorded=self.points(score.recorded), corrected=right)

    def breach_effect(self, told: Told) -> str:
        """Return what a breach did to scores, totals or the end of the game."""
        one, score = told.finding, told.score
        if (one.code, one.rule) in _TOTALS and (score is None or not score.differs):
            who = "?" if one.seat is None else self.who(one.seat)
            return self.say("effect.total", who=who, expected=one.expected, actual=one.actual)
        if one.code == "WINNER_WRONG" and one.event == "game_ended":
            due = self.words["due.join"].join(self.due(told)) or self.words["could.none_due"]
            return self.say("effect.winner", due=due)
        return self.effect(score)

    def undefined(self, why: Undefined | None) -> str:
        """Return why there is no score by the rules."""
        if why is None:
            return self.words["undefined.unfinished"]
        return self.say(f"undefined.{why.reason}", at=why.version, code=why.code)

    def points(self, row: Points) -> str:
        """Return points by seat."""
        return self.words["comma"].join(
            f"{self.who(seat)} {'?' if value is None else format(value, '+d')}"
            for seat, value in enumerate(row)
        )

    def total(self, correction: Correction) -> str:
        """Return what the game's total would be."""
        if correction.totals is None:
            return self.undefined(correction.undefined)
        if correction.totals == correction.recorded:
            return self.words["effect.none"]
        return self.say(
            "effect.differs",
            recorded=self.points(correction.recorded),
            corrected=self.points(correction.totals),
        )

    # Another ruleset, and the record

    def sides(self, report: AuditReport, side: Side) -> list[str]:
        """Return what the two sets of rules find, a sentence each."""
        first = min((one.version for one in side.findings), default=0)
        other = self._counted(len(side.findings), first, report.events)
        if side.unchecked:
            other += self.say("verdict.unchecked", count=len(side.unchecked))
        end = self.words["verdict.end"]
        parts = side.parts_at
        return [
            self.say("sides.own", rules=report.ruleset, verdict=self.verdict(report)),
            self.say("sides.other", rules=side.ruleset, verdict=other + end),
            self.words["sides.agree"] if parts is None else self.say("sides.part", at=parts),
        ]

    def record(self, found: Recording) -> list[str]:
        """Return who recorded what and when, a sentence each."""
        return [
            self.say(
                "record.by",
                who=self.identity(one.recorded_by),
                count=one.events,
                first=one.first,
                last=one.last,
                since=self.time(one.first_at),
                until=self.time(one.last_at),
            )
            for one in found.recorders
        ]

    def imported(self, by: UUID, at: int, version: int) -> str:
        """Return who brought the game in from a file, and when (microseconds since 1970 UTC)."""
        return self.say("record.imported", who=self.identity(by), at=self.time(at), version=version)

    def identity(self, who: UUID) -> str:
        """Return who recorded something: an id, or that there was none."""
        return self.words["record.nobody"] if who == _NOBODY else str(who)

    def chain(self, found: Recording) -> str:
        """Return what the chain is like."""
        chain = found.chain
        if chain.wrong is not None:
            return self.say("chain.wrong", at=chain.wrong)
        return self.say("chain.holds", count=chain.version, head=chain.head.hex())

    def time(self, microseconds: int) -> str:
        """Return a time to the second, in UTC."""
        at = _EPOCH + timedelta(microseconds=microseconds)
        parts = {name: getattr(at, name) for name in ("year", "month", "day")}
        return self.say("time", **parts, clock=at.strftime("%H:%M:%S"))
