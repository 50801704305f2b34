"""As ruled is as played plus what the decisions in force add, for every dispute that can be opened and argued."""

from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from events.chain import NIL_HEAD, event_hash, inner_hash, text_hash
from events.codec import decode, decode_opening, encode
from events.common import DealScored
from events.disputes import (
    NAME,
    Adjustment,
    AppealDecided,
    Appealed,
    DisputeEvent,
    DisputeOpened,
    DisputeWithdrawn,
    EvidenceLinked,
    Fact,
    PrecedentTagged,
    Ruled,
    StatementAdded,
    ToVersion,
)
from events.disputing import ANYONE, Dispute, begin, evolve, fold, refused
from events.formats import ndjson
from events.games import GAMES
from events.records import Head, StoredEvent
from projections.model import Log
from projections.ruling import as_ruled, scored, table_of
from tests.profiles import examples

DATA = Path(__file__).parents[1]
SALT, WHO = bytes(range(16)), UUID(int=7)


def rummy() -> list[Any]:
    """Four deals between two, won by seat 1 with 561 against 173."""
    sample = DATA.parent / "events" / "samples" / "delboycodes-three-games.ndjson"
    from events.formats.detect import read_file

    with sample.open("rb") as file:
        return next(read_file(file)).events


def loo() -> list[Any]:
    bodies = (DATA / "golden" / "breaches" / "loo5.ndjson").read_bytes().splitlines()
    opened = decode_opening(bodies[0])
    return [decode(opened.game, body) for body in bodies]


LOGS = {"rummy500": rummy(), "lanterloo": loo()}
TABLES = {name: table_of(GAMES[name], log) for name, log in LOGS.items()}


def stream(stream_id: UUID, kind: str, game: str, events: list[Any]) -> tuple[Head, Any]:
    """A stream as a store has it: chained, with the same time and salt for every event."""
    previous, stored = NIL_HEAD, list[StoredEvent]()
    for version, event in enumerate(events, 1):
        body = encode(event)
        previous = event_hash(stream_id, version, previous, 0, WHO, inner_hash(SALT, body))
        stored.append(StoredEvent(stream_id, version, 0, WHO, SALT, previous, body))
    head = Head(stream_id, kind, game, "recorded", "public", len(events), previous, 0, 0)
    return head, stored


points = st.integers(-(10**6), 10**6).filter(bool)


def adjustments(game: str) -> st.SearchStrategy[tuple[Adjustment, ...]]:
    """Adjustments of deals that were scored, of seats that are there; sometimes of others."""
    table = TABLES[game]
    deals, seats = sorted(table.scored), range(len(table.seats))
    places = st.tuples(st.sampled_from([*deals, 99]), st.sampled_from([*seats, 7]))
    found = st.dictionaries(places, points, max_size=4)
    return found.map(lambda one: tuple(Adjustment(*place, one[place]) for place in sorted(one)))


class Disputes(RuleBasedStateMachine):
    """Whatever may be done is done, and the scores are compared with a sum of their own."""

    game = "rummy500"
    disputes = Bundle("disputes")

    def __init__(self) -> None:
        super().__init__()
        self.log, self.table = LOGS[self.game], TABLES[self.game]
        self.streams: list[list[DisputeEvent]] = []
        self.texts: list[dict[int, tuple[bytes, str]]] = []
        self.in_force: dict[int, tuple[Adjustment, ...]] = {}
        self.head, self.stored = stream(UUID(int=1), "game", self.game, self.log)

    def person(self, data: Any, *more: str | None) -> str | None:
        who: str | None = data.draw(st.sampled_from([*self.table.seats, *more]))
        return who

    def text(self, data: Any) -> tuple[str, str]:
        words = data.draw(
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
        )
        return text_hash(SALT, words).hex(), words

    def take(self, number: int, event: DisputeEvent, words: str | None) -> bool:
        """Record an event if it may be, and tell whether it was."""
        dispute: Dispute | None = fold(self.streams[number]) if self.streams[number] else None
        if refused(dispute, event, self.table, ANYONE):
            return False
        self.streams[number].append(event)
        after = begin(event) if isinstance(event, DisputeOpened) else evolve(dispute, event)  # type: ignore[arg-type]
        assert after == fold(self.streams[number])
        if words is not None:
            self.texts[number][len(self.streams[number])] = (SALT, words)
        return True

    @rule(target=disputes, data=st.data())
    def opens(self, data: Any) -> int:
        hash_, words = self.text(data)
        versions = data.draw(st.sets(st.integers(1, len(self.log)), min_size=1, max_size=3))
        self.streams.append([])
        self.texts.append({})
        opened = DisputeOpened(
            game_id=str(self.head.game_id), game=self.game, at=len(self.log),
            head=self.head.head.hex(), versions=tuple(sorted(versions)),
            by=self.person(data, None), rules=("1.1",), remedy="adjust", demanded=(), text=hash_,
        )  # fmt: skip
        assert self.take(len(self.streams) - 1, opened, words)
        return len(self.streams) - 1

    @rule(number=disputes, data=st.data())
    def argues(self, number: int, data: Any) -> None:
        hash_, words = self.text(data)
        by = self.person(data, None, str(WHO))
        version = data.draw(st.integers(1, len(self.log) + 1))
        linked = EvidenceLinked(by=by, evidence=ToVersion(version), text=hash_)
        self.take(
            number, data.draw(st.sampled_from([StatementAdded(by=by, text=hash_), linked])), words
        )

    @rule(number=disputes, data=st.data())
    def withdraws(self, number: int, data: Any) -> None:
        self.take(number, DisputeWithdrawn(by=self.person(data, None), text=None), None)

    @rule(number=disputes, data=st.data())
    def is_ruled(self, number: int, data: Any) -> None:
        hash_, words = self.text(data)
        ruling = Ruled(
            by=None, decision=data.draw(st.sampled_from(["upheld", "partly", "rejected"])),
            facts=(Fact(data.draw(st.integers(1, len(self.log))), "RUN_END", True),), rules=(),
            adjustments=data.draw(adjustments(self.game)), text=hash_,
        )  # fmt: skip
        if self.take(number, ruling, words):
            self.in_force[number] = ruling.adjustments

    @rule(number=disputes, data=st.data())
    def appeals(self, number: int, data: Any) -> None:
        hash_, words = self.text(data)
        self.take(number, Appealed(by=self.person(data, None), text=hash_), words)

    @rule(number=disputes, data=st.data())
    def decides(self, number: int, data: Any) -> None:
        hash_, words = self.text(data)
        ruling = fold(self.streams[number]).ruling
        is_changed = ruling is None or data.draw(st.booleans())
        decided = AppealDecided(
            by=None, outcome="changed" if is_changed else "upheld",
            decision="partly" if ruling is None or is_changed else ruling.decision, facts=(), rules=(),
            adjustments=data.draw(adjustments(self.game)) if ruling is None or is_changed else ruling.adjustments,
            text=hash_,
        )  # fmt: skip
        if self.take(number, decided, words):
            self.in_force[number] = decided.adjustments

    @rule(number=disputes, tag=st.sampled_from(["deep-card", "a"]))
    def tags(self, number: int, tag: str) -> None:
        self.take(number, PrecedentTagged(tags=(tag,)), None)

    @invariant()
    def as_ruled_is_as_played_plus_the_adjustments(self) -> None:
        scores = as_ruled(GAMES[self.game], self.log, map(fold, self.streams))
        plain = as_ruled(GAMES[self.game], self.log)
        assert (scores.played, scores.winner_played) == (plain.ruled, plain.winner_ruled)
        found = [one for row in self.in_force.values() for one in row]
        for seat, (played, ruled) in enumerate(zip(scores.played, scores.ruled, strict=True)):
            assert played is not None
            assert ruled == played + sum(one.points for one in found if one.seat == seat)
        deals = {event.deal: event.scores for event in self.log if isinstance(event, DealScored)}
        for deal in scores.deals:
            assert deal.played == deals[deal.deal]
            more = [sum(o.points for o in found if (o.deal, o.seat) == (deal.deal, seat)) for seat in range(len(deal.played))]  # fmt: skip
            assert list(deal.ruled) == [a + b for a, b in zip(deal.played, more, strict=True) if a is not None]  # fmt: skip
        assert scores == scored(GAMES[self.game], Log(self.log, self.streams))

    @precondition(lambda self: self.streams)
    @rule()
    def a_file_of_it_holds_and_says_the_same(self) -> None:
        writer, file = ndjson.Writer(), BytesIO()
        file.writelines(writer.game(self.head, self.stored, {}))
        for number, events in enumerate(self.streams):
            head, stored = stream(UUID(int=100 + number), NAME, NAME, list(events))
            file.writelines(writer.game(head, stored, {}, self.texts[number]))
        file.write(writer.end())
        file.seek(0)
        assert ndjson.verify(file).ok
        file.seek(0)
        game, *disputes = ndjson.read(file)
        assert game.events == self.log
        assert [one.events for one in disputes] == self.streams
        assert [one.remarks for one in disputes] == self.texts


class LooDisputes(Disputes):
    game = "lanterloo"


TestRummyDisputes = Disputes.TestCase
TestLooDisputes = LooDisputes.TestCase
for case in (TestRummyDisputes, TestLooDisputes):
    case.settings = settings(examples(10), stateful_step_count=20)


@pytest.mark.parametrize(
    ("points", "winner"), [(-60, 1), (-61, 1), (-62, None), (-400, None), (5, 1)]
)
def test_the_winner_as_ruled_is_who_would_have_won(points: int, winner: int | None) -> None:
    ruling = Ruled(
        by=None, decision="partly", facts=(), rules=(),
        adjustments=(Adjustment(3, 1, points),), text="0" * 64,
    )  # fmt: skip
    opened = DisputeOpened(
        game_id=str(UUID(int=1)), game="rummy500", at=1, head="0" * 64, versions=(1,), by=None,
        rules=(), remedy="adjust", demanded=(), text="0" * 64,
    )  # fmt: skip
    scores = as_ruled(GAMES["rummy500"], LOGS["rummy500"], [fold([opened, ruling])])
    assert (scores.winner_played, scores.winner_ruled) == (1, winner)
    assert scores.ruled == (173, 561 + points)


def test_points_that_no_reader_keeps_are_not_known() -> None:
    huge = 2**53 - 1
    ruling = Ruled(
        by=None, decision="partly", facts=(), rules=(),
        adjustments=(Adjustment(1, 0, huge),), text="0" * 64,
    )  # fmt: skip
    opened = DisputeOpened(
        game_id=str(UUID(int=1)), game="rummy500", at=1, head="0" * 64, versions=(1,), by=None,
        rules=(), remedy="adjust", demanded=(), text="0" * 64,
    )  # fmt: skip
    scores = as_ruled(GAMES["rummy500"], LOGS["rummy500"], [fold([opened, ruling])])
    assert scores.ruled == (None, 561)
    assert scores.winner_ruled is None
