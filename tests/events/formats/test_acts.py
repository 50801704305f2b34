"""Acts in the words of the table: read as they are written, written as they are read."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import UNKNOWN
from events.errors import ActError
from events.formats.acts import parse_act, write_act
from events.rummy500.events import (
    Discarded,
    DrawDeclined,
    LaidOff,
    MeldLaid,
    PileTaken,
    Placement,
    RummyCalled,
    StockDrawn,
    StockRenewed,
)
from events.rummy500.ruleset import Ruleset
from events.rummy500.state import State
from tests.events.rummy500.helpers import NAMES, Table
from tests.events.strategies import likely_event, rulesets
from tests.profiles import examples
from tests.simulate import RUMMY, next_event, opened, play

TABLE = Table(
    players=5,
    pile="6D 4S QH 4D' 4D AC 7S",
    hands={"A": "2C 4H X1", "B": "8H 9H"},
    table=["m1:R[5H 6H 7H]@B", "m3:G[9S 9D 9C]@A"],
)


def call(seat: int, card: str, cards: str = "", lay: Placement | None = None) -> RummyCalled:
    taken = tuple(cards.split())
    return RummyCalled(seat=seat, card=card, accepted=True, code=None, cards=taken, lay=lay)


LINES: dict[str, Any] = {
    "A stock": StockDrawn(seat=0, card=UNKNOWN),
    "A stock 4H": StockDrawn(seat=0, card="4H"),
    "B take 7S": PileTaken(seat=1, cards=("7S",)),
    "B take QH": PileTaken(seat=1, cards=("QH", "4D'", "4D", "AC", "7S")),
    "B take 4D": PileTaken(seat=1, cards=("4D", "AC", "7S")),
    "B take 4D'": PileTaken(seat=1, cards=("4D'", "4D", "AC", "7S")),
    "E pass": DrawDeclined(seat=4),
    "A discard 2C": Discarded(seat=0, card="2C"),
    "A discard X1": Discarded(seat=0, card="X1"),
    "A discard ??": Discarded(seat=0, card="??"),
    "A meld R m4: AH 2H 3H": MeldLaid(seat=0, meld=4, kind="sequence", cards=("AH", "2H", "3H")),
    "A meld G m9: 9S' 9H X1": MeldLaid(seat=0, meld=9, kind="group", cards=("9S'", "9H", "X1")),
    "A meld R m4: 6C 7C X1=8C": MeldLaid(
        seat=0, meld=4, kind="sequence", cards=("6C", "7C", "X1=8C")
    ),
    "B lay 8H@m1": LaidOff(seat=1, cards=(Placement("8H", 1, None),)),
    "B lay AH@m1:high": LaidOff(seat=1, cards=(Placement("AH", 1, "high"),)),
    "B lay 4H@m1:low X1=3H@m1:low": LaidOff(
        seat=1, cards=(Placement("4H", 1, "low"), Placement("X1=3H", 1, "low"))
    ),
    "C rummy AC": call(2, "AC", "AC 7S"),
    "C rummy 7S lay@m1": call(2, "7S", "", Placement("7S", 1, None)),
    "C rummy X1=8S lay@m1:high": call(2, "X1", "", Placement("X1=8S", 1, "high")),
    "C rummy KS refused NOT_CALLABLE": RummyCalled(
        seat=2, card="KS", accepted=False, code="NOT_CALLABLE", cards=(), lay=None
    ),
    "A renew 7S stock 6D 4S": StockRenewed(seat=0, stock=("6D", "4S"), pile=("7S",)),
    "A renew ?? stock ?? ??": StockRenewed(seat=0, stock=("??", "??"), pile=("??",)),
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_read_as_its_act_and_written_again(line: str) -> None:
    act = parse_act(line, TABLE.state, TABLE.names)
    assert act == LINES[line]
    assert write_act(act, TABLE.names) == line


@pytest.mark.parametrize(
    ("line", "act"),
    [
        ("A meld R AH 2H 3H", MeldLaid(seat=0, meld=4, kind="sequence", cards=("AH", "2H", "3H"))),
        ("  A   discard\t2C ", Discarded(seat=0, card="2C")),
        ("B take AC", PileTaken(seat=1, cards=("AC", "7S"))),
        ("B take KS", PileTaken(seat=1, cards=("KS",))),
    ],
    ids=["next meld", "spaces", "and above", "not there"],
)
def test_what_is_left_out_follows_from_the_table(line: str, act: Any) -> None:
    assert parse_act(line, TABLE.state, TABLE.names) == act


def test_a_call_at_a_lay_off_table_takes_no_more() -> None:
    table = Table(
        opts={"rummy": "latest_layoff"}, pile="6D 4S", hands={"A": "2C", "B": "", "C": ""}
    )
    assert table.read("C rummy 6D") == call(2, "6D")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("", "not an act"),
        ("A", "not an act"),
        ("Z pass", "no such player: 'Z'"),
        ("a pass", "no such player: 'a'"),
        ("A draws", "unknown act 'draws'"),
        ("A STOCK", "unknown act"),
        ("A stock 4H 5H", "one card is drawn"),
        ("A stock 1H", "not a card: '1H'"),
        ("A take", "one card after 'take'"),
        ("A take 4S 7S", "one card after 'take'"),
        ("A meld", "expected G or R"),
        ("A meld S AH 2H 3H", "expected G or R"),
        ("A meld R", "the cards of the meld"),
        ("A meld R m4:", "the cards of the meld"),
        ("A meld R m0: AH 2H 3H", "not a meld: 'm0'"),
        ("A meld R x: AH 2H 3H", "not a meld"),
        ("A meld R AH 2H X1=3", "stands for no card"),
        ("A meld R AH 2H X1=X2", "stands for no card"),
        ("A meld R AH 2H X1=3H'", "stands for no card"),
        ("A meld R AH 2H ??", "is known, not ??"),
        ("A lay", "cards with their meld"),
        ("A lay 8H", "no meld named for '8H'"),
        ("A lay 8H@", "not a meld"),
        ("A lay 8H@1", "not a meld"),
        ("A lay 8H@m1:middle", "not a meld"),
        ("A lay 8H@m1:low:high", "not a meld"),
        ("A lay 8H@m9999", "not a meld"),
        ("A pass now", "nothing follows 'pass'"),
        ("A discard", "one card after 'discard'"),
        ("A discard 2C 3C", "one card after 'discard'"),
        ("A rummy", "the card that is called"),
        ("A rummy KS lay", "expected lay@m1"),
        ("A rummy KS refused", "expected lay@m1 or refused CODE"),
        ("A rummy KS refused because", "expected lay@m1 or refused CODE"),
        ("A renew 7S", "'stock' and the new stock"),
    ],
)
def test_what_is_not_understood_is_said_with_the_word(line: str, word: str) -> None:
    with pytest.raises(ActError) as caught:
        parse_act(line, TABLE.state, TABLE.names)
    assert word in str(caught.value)


@given(
    st.lists(st.sampled_from([*"AB", "take", "lay", "meld", "R", "m1:", "8H@m1", "4S", "=", "@"]))
)
@examples(150)
def test_any_words_give_an_act_or_a_reason(words: list[str]) -> None:
    line = " ".join(words)
    try:
        act = parse_act(line, TABLE.state, TABLE.names)
    except ActError:
        return
    assert parse_act(write_act(act, TABLE.names) or "", TABLE.state, TABLE.names) == act


@given(data=st.data(), seats=st.integers(2, 8), seed=st.integers(0, 10_000))
@examples(15, shrink=False)
def test_every_legal_act_is_written_and_read_back(
    data: st.DataObject, seats: int, seed: int
) -> None:
    ruleset: Ruleset = data.draw(rulesets(seats))
    state = RUMMY.initial(opened(seats, ruleset))
    for event in play(seed, seats, ruleset)[1:]:
        line = write_act(event, NAMES)
        if line is not None:
            assert parse_act(line, state, NAMES) == event, line
        state = RUMMY.evolve(state, event)


@given(data=st.data())
@examples(150)
def test_every_act_that_can_be_written_can_be_read(data: st.DataObject) -> None:
    """Nonsense too: what the table makes of it may be more than was written (the cards above)."""
    event = data.draw(likely_event(3))
    line = write_act(event, NAMES)
    names_a_card = not isinstance(event, StockDrawn | Discarded)
    if line is None or (names_a_card and UNKNOWN in _named(event)):
        return  # who calls, swaps or challenges names the card
    state: State = RUMMY.initial(opened(3))
    assert type(parse_act(line, state, NAMES)) is type(event)


def _named(event: Any) -> list[str]:
    return [getattr(event, "card", ""), getattr(event, "joker", "")]


def test_the_dealers_facts_are_no_acts() -> None:
    state, rng = RUMMY.initial(opened(3)), random.Random(1)
    while state.phase != "draw":
        event = next_event(state, rng)
        assert write_act(event, NAMES) is None
        state = RUMMY.evolve(state, event)
