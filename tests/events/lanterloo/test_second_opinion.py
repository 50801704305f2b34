"""Two readers of the rules agree on every card, and on who takes a trick."""

import random

from hypothesis import given
from hypothesis import strategies as st

from events.cards import FIRST_PACK
from events.lanterloo.events import CardPlayed
from events.lanterloo.ruleset import hand_size
from events.lanterloo.tricks import winner_of
from tests.events.lanterloo.oracle import Opinion
from tests.events.lanterloo.strategies import rulesets
from tests.events.lanterloo.table import LOO, Table, trick
from tests.profiles import examples


@given(st.data())
@examples(400)
def test_two_readers_agree_on_every_card(data: st.DataObject) -> None:
    heading = data.draw(st.sampled_from([{}, {"loo5_play": "as_loo3", "must_undertrump": True}]))
    rules = data.draw(rulesets(4, **heading))
    rng = random.Random(data.draw(st.integers(0, 1_000_000)))
    trump = rng.choice("SHDC")
    few = rng.choice([0.6, 0.15])
    pack = [card for card in FIRST_PACK if card[1] == trump or rng.random() < few]
    rng.shuffle(pack)
    turn_up = next(card for card in pack if card[1] == trump)
    pack.remove(turn_up)
    led = pack[: rng.randrange(4)]
    if led and rng.random() < 0.3 and "A" + trump in pack:
        led = ["A" + trump, *[card for card in led if card != "A" + trump][:2]]
    rest = [card for card in pack if card not in led]
    hand = rest[: rng.randint(1, hand_size(rules))]
    if rng.random() < 0.5 and "JC" in rest and "JC" not in hand:
        hand[0] = "JC"
    said, first = rng.random() < 0.5, bool(led) or rng.random() < 0.5
    seat, standing = len(led), rng.choice([2, 4]) if not led else 4
    table = Table(rules.form, 4)
    table.state = LOO.initial(table.events[0])  # type: ignore[arg-type]
    values = {name: getattr(table.state, name) for name in table.state.__struct_fields__}
    table.state = type(table.state)(**values | {"ruleset": rules})
    declared = tuple("stand" if one < standing else "pass" for one in range(4))
    hands = ["" if one != seat else " ".join(hand) for one in range(4)]
    table.position(
        *hands,
        trump=trump,
        turn=seat,
        turn_up=turn_up,
        declared=declared,
        tricks=(0, 0, 0, 0) if first else (1, 0, 0, 0),
        trick=trick(*(f"{'ABCD'[at]}:{card}" for at, card in enumerate(led)), civil=said),
    )
    opinion = Opinion(rules, trump, turn_up, led, said=said, players=standing, first=first)
    if table.state.phase in ("play", "claim"):
        assert table.legal("ABCD"[seat]) == {card for card in hand if opinion.may(hand, card)}
        for card in hand:
            judged = LOO.judge(table.state, CardPlayed(seat=seat, card=card, civil=False))
            assert (judged == ()) == opinion.may(hand, card)
    if led:
        best = winner_of(table.state, table.state.trick)
        assert best is not None
        others = [card for at, card in enumerate(led) if at != best]
        assert all(not opinion._beats(card, led[best]) for card in others)
