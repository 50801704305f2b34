"""Disputes: events that are written in one way for ever, and who may do what in which standing."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from events.codec import canonical, decode, encode
from events.common import names
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
    ToGame,
    ToReport,
    ToVersion,
)
from events.disputing import ANYONE, Actor, Dispute, Table, evolve, fold, impossible, refused
from events.errors import CodecError, NotALogError
from events.games import GAMES
from events.upcasters import current_version

GOLDEN = Path(__file__).parents[1] / "golden" / "disputes"
ANN, BOB, EVE = (f"0197c3a2-5d1e-7f00-8a44-3f1d2c9b7e1{n}" for n in range(3))
GAME = "0197c3a2-5d1e-7f00-8a44-3f1d2c9b7e20"
TEXT = "ab" * 32
TABLE = Table(seats=(ANN, BOB), versions=40, scored=frozenset({1, 2}))
ARBITER = Actor(UUID(int=8), is_arbiter=True)
OTHER_ARBITER = Actor(UUID(int=9), is_arbiter=True)


def opening(**changes: Any) -> DisputeOpened:
    given: dict[str, Any] = {
        "game_id": GAME,
        "game": "rummy500",
        "at": 40,
        "head": TEXT,
        "versions": (7, 9),
        "by": ANN,
        "rules": ("R-6.6",),
        "remedy": "adjust",
        "demanded": (),
        "text": TEXT,
    }
    return DisputeOpened(**given | changes)


def ruling(**changes: Any) -> Ruled:
    given: dict[str, Any] = {
        "by": None,
        "decision": "upheld",
        "facts": (Fact(7, "MUST_MELD_DEEP_CARD", True),),
        "rules": ("R-6.6",),
        "adjustments": (Adjustment(1, 0, 15), Adjustment(1, 1, -15)),
        "text": TEXT,
    }
    return Ruled(**given | changes)


def on_appeal(**changes: Any) -> AppealDecided:
    given: dict[str, Any] = {
        "by": None,
        "outcome": "changed",
        "decision": "partly",
        "facts": (),
        "rules": (),
        "adjustments": (Adjustment(2, 1, -5),),
        "text": TEXT,
    }
    return AppealDecided(**given | changes)


SAYS = StatementAdded(by=BOB, text=TEXT)
LINKS = EvidenceLinked(by=ANN, evidence=ToVersion(7), text=None)
WITHDRAWS = DisputeWithdrawn(by=ANN, text=None)
APPEALS = Appealed(by=BOB, text=TEXT)
TAGS = PrecedentTagged(tags=("deep-card",))
ACTS: dict[str, DisputeEvent] = {
    "statement": SAYS,
    "evidence": LINKS,
    "withdrawal": WITHDRAWS,
    "ruling": ruling(),
    "appeal": APPEALS,
    "decision": on_appeal(),
    "tag": TAGS,
}
STANDINGS = {
    "open": fold([opening()]),
    "ruled": fold([opening(), ruling()]),
    "appealed": fold([opening(), ruling(), APPEALS]),
    "final": fold([opening(), ruling(), APPEALS, on_appeal()]),
    "withdrawn": fold([opening(), WITHDRAWS]),
}
ALLOWED = {
    "open": {"statement", "evidence", "withdrawal", "ruling"},
    "ruled": {"appeal", "tag"},
    "appealed": {"statement", "evidence", "decision", "tag"},
    "final": {"tag"},
    "withdrawn": set[str](),
}


def codes(dispute: Dispute | None, event: DisputeEvent, actor: Actor = ANYONE) -> list[str]:
    return [found.code for found in refused(dispute, event, TABLE, actor)]


def test_golden_disputes_are_read_and_written_again_byte_for_byte() -> None:
    path = GOLDEN / "v1.ndjson"
    bodies = path.read_bytes().splitlines()
    assert [canonical(NAME, body) for body in bodies] == bodies
    assert [encode(decode(NAME, body)) for body in bodies] == bodies
    digest, name = (GOLDEN / "SHA256SUMS").read_text().split()
    assert (name, digest) == ("v1.ndjson", sha256(path.read_bytes()).hexdigest())


def test_golden_disputes_have_every_shape_that_ever_was() -> None:
    bodies = map(json.loads, (GOLDEN / "v1.ndjson").read_bytes().splitlines())
    assert {(body["t"], body["v"]) for body in bodies} == {
        (tag, version)
        for tag in names(DisputeEvent)
        for version in range(1, current_version(NAME, tag) + 1)
    }


@pytest.mark.parametrize("game", GAMES)
def test_no_game_knows_them(game: str) -> None:
    assert NAME not in GAMES
    with pytest.raises(CodecError):
        decode(game, encode(opening()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"v":1', b'"v":2'),
        (b'"R-6.6"', b'"rule six"'),
        (b'"versions":[7,9]', b'"versions":[]'),
        (b'"remedy":"adjust"', b'"remedy":"money"'),
        (TEXT.encode(), b"the claim in words"),
        (b'"at":40', b'"at":40,"name":"Ann"'),
    ],
)
def test_nothing_else_is_read_as_an_opening(old: bytes, new: bytes) -> None:
    body = encode(opening())
    assert old in body
    with pytest.raises(CodecError):
        decode(NAME, body.replace(old, new))


@pytest.mark.parametrize("standing", STANDINGS)
@pytest.mark.parametrize("act", ACTS)
def test_each_act_has_its_standings(standing: str, act: str) -> None:
    found = codes(STANDINGS[standing], ACTS[act])
    assert STANDINGS[standing].standing == standing
    assert found == ([] if act in ALLOWED[standing] else ["WRONG_STANDING"])


@pytest.mark.parametrize(
    ("standing", "event", "actor", "expected"),
    [
        ("open", ruling(), Actor(players=None), "ARBITER_NEEDED"),
        ("ruled", TAGS, Actor(players=None), "ARBITER_NEEDED"),
        ("appealed", on_appeal(), Actor(players=None), "ARBITER_NEEDED"),
        ("open", StatementAdded(by=None, text=TEXT), Actor(players=None), "ARBITER_NEEDED"),
        ("open", StatementAdded(by=EVE, text=TEXT), ANYONE, "NOT_A_PARTY"),
        ("ruled", Appealed(by=None, text=TEXT), ANYONE, "NOT_A_PARTY"),
        ("open", SAYS, Actor(players=frozenset({ANN})), "NOT_YOUR_SEAT"),
        ("open", DisputeWithdrawn(by=BOB, text=None), ANYONE, "NOT_THE_OPENER"),
        ("open", ruling(adjustments=(Adjustment(3, 0, 5),)), ANYONE, "NO_SUCH_DEAL"),
        ("open", ruling(adjustments=(Adjustment(1, 2, 5),)), ANYONE, "NO_SUCH_SEAT"),
        ("open", ruling(adjustments=(Adjustment(1, 0, 0),)), ANYONE, "ADJUSTMENTS_WRONG"),
        ("open", ruling(adjustments=(Adjustment(1, 0, 5),) * 2), ANYONE, "ADJUSTMENTS_WRONG"),
        ("open", ruling(decision="rejected"), ANYONE, "REJECTED_AND_ADJUSTED"),
        ("open", ruling(facts=(Fact(41, "RUN_END", False),)), ANYONE, "NO_SUCH_VERSION"),
        ("appealed", on_appeal(outcome="upheld"), ANYONE, "UPHELD_AND_CHANGED"),
    ],
)
def test_who_may_not(standing: str, event: DisputeEvent, actor: Actor, expected: str) -> None:
    assert codes(STANDINGS[standing], event, actor) == [expected]


def test_nobody_decides_an_appeal_against_his_own_ruling() -> None:
    tokens = (UUID(int=1), ARBITER.identity, UUID(int=2))
    appealed = fold([opening(), ruling(by=EVE), APPEALS], tokens)
    assert codes(appealed, on_appeal(), ARBITER) == ["OWN_RULING"]
    assert codes(appealed, on_appeal(), OTHER_ARBITER) == []
    assert codes(appealed, on_appeal(by=EVE), OTHER_ARBITER) == ["OWN_RULING"]


@pytest.mark.parametrize("versions", [(9, 7), (7, 7), (41,)])
def test_versions_rise_and_are_there(versions: tuple[int, ...]) -> None:
    assert "VERSIONS_WRONG" in [one.code for one in impossible(None, opening(versions=versions))]


def test_what_is_in_force_is_the_last_decision() -> None:
    assert STANDINGS["open"].adjustments == ()
    assert STANDINGS["appealed"].adjustments == ruling().adjustments
    assert STANDINGS["final"].adjustments == on_appeal().adjustments
    tagged = evolve(evolve(STANDINGS["final"], TAGS), PrecedentTagged(tags=("a", "deep-card")))
    assert tagged.tags == ("a", "deep-card")
    assert tagged.version == 6


def test_a_dispute_begins_with_its_opening() -> None:
    with pytest.raises(NotALogError):
        fold([SAYS])
    assert [one.code for one in impossible(None, SAYS)] == ["WRONG_STANDING"]


def golden() -> list[DisputeEvent]:
    """What golden/disputes/v1.ndjson was written from."""
    other = ToGame(GAME, 3, TEXT)
    return [
        opening(demanded=(Adjustment(1, 0, 15),)),
        SAYS,
        StatementAdded(by=None, text=TEXT),
        LINKS,
        EvidenceLinked(by=None, evidence=other, text=TEXT),
        EvidenceLinked(by=BOB, evidence=ToReport(TEXT), text=None),
        ruling(),
        APPEALS,
        on_appeal(by=EVE),
        TAGS,
        opening(by=None, rules=(), remedy="note", versions=(1,)),
        ruling(by=EVE, decision="rejected", adjustments=(), facts=(Fact(9, "RUN_END", False),)),
        opening(rules=("V-4a", "12.6"), remedy="void"),
        DisputeWithdrawn(by=ANN, text=TEXT),
        DisputeWithdrawn(by=None, text=None),
    ]


def test_the_golden_file_is_this() -> None:
    written = b"".join(encode(event) + b"\n" for event in golden())
    assert (GOLDEN / "v1.ndjson").read_bytes() == written
