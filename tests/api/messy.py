"""Recorded games as they are written down at a table: hands that nobody knows, slips, second thoughts, remarks.

Made from games that were played by the rules; the same chance always makes the same game.
"""

import random
from typing import Any

from msgspec.structs import replace

from api.asker import is_act
from events.cards import UNKNOWN
from events.chain import text_hash
from events.common import Remarked, Retracted, Shuffled
from events.game import fold
from events.games import GAMES
from events.records import Text
from projections.views import view_event
from tests.api.positions import from_position
from tests.events.lanterloo import mutants as loo_slips
from tests.events.rummy500 import mutants as rummy_slips

SLIPS: dict[str, Any] = {"rummy500": rummy_slips.mutants, "lanterloo": loo_slips.mutants}
SALT = bytes(range(16))


def written_down(log: list[Any], rng: random.Random) -> list[Any]:
    """A game cut off in play, as a scribe has it who knows some hands, and who wrote some things down wrongly."""
    log = log[: rng.randint(min(6, len(log)), len(log))]
    game, seats = log[0].game, len(log[0].seats)
    unknown = {seat for seat in range(seats) if rng.random() < 0.4}
    found: list[Any] = [replace(log[0], mode="recorded")]
    by_players = {seat for seat in range(seats) if rng.random() < 0.2}
    for event in log[1:]:
        if getattr(event, "seat", None) in by_players:
            event = as_a_player_writes(event)
        is_hidden = getattr(event, "seat", None) in unknown
        if is_hidden or (unknown and isinstance(event, Shuffled)):
            event = view_event(game, event, "public")
        found.append(event)
    for _ in range(rng.choice([0, 0, 1, 3])):
        found += wrong_acts(game, found, rng, 1)
    return found


def as_a_player_writes(event: Any) -> Any:
    """An act without the cards that only its player knows of afterwards; where the deck is on record, so are they."""
    match event.__struct_config__.tag:
        case "stock_drawn":
            return replace(event, card=UNKNOWN)
        case "exchanged":
            return replace(event, drawn=(UNKNOWN,) * len(event.drawn))
        case "bid":
            return replace(event, cards=(UNKNOWN,) * len(event.cards))
    return event


def wrong_acts(game: str, log: list[Any], rng: random.Random, count: int) -> list[Any]:
    """Acts of anybody, most of them impossible, made up by whoever sees all."""
    rules, seats = GAMES[game], len(log[0].seats)
    state = fold(rules, log)
    made = [event for event in SLIPS[game](state, log[-3:], rng) if is_act(rules, event)]
    made = [event for event in made if getattr(event, "seat", seats) < seats]
    return rng.sample(made, min(count, len(made)))


def messy(log: list[Any], rng: random.Random) -> tuple[list[Any], list[Text]]:
    """Return what a scribe wrote who went back and wrote it down again, and the texts of remarks; some are gone."""
    if rng.random() < 0.2:
        log = from_position(log, rng)
    found = written_down(log, rng)
    for _ in range(rng.choice([0, 1, 2])):
        back_to = rng.randint(max(1, len(found) - 12), len(found))
        again = found[back_to : back_to + rng.randint(0, 12)]
        found.append(Retracted(back_to=back_to, reason="MISTAKE"))
        found += [event for event in again if not isinstance(event, Retracted)]
        if rng.random() < 0.5:
            found += wrong_acts(log[0].game, found, rng, 1)
    texts = []
    for number in range(rng.choice([0, 1, 3])):
        words = f"remark {number} of seat 1: he has it"
        about = rng.choice([None, rng.randint(1, len(found))])
        texts.append(Text(len(found), SALT, words))
        found.append(Remarked(seat=1, text=text_hash(SALT, words).hex(), about=about))
    return found, [text for text in texts if rng.random() < 0.7]
