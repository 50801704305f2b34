"""Japanese reports are Japanese: no English word in them but names, codes and cards."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from api import reported
from api.commands.reporting import lines
from api.simulation import Order, play_games
from api.viewing import Eyes
from api.wire import encode
from events.chain import NIL_HEAD, event_hash, inner_hash
from events.codec import decode, decode_opening
from events.games import GAMES
from events.recorder import Log
from events.records import Head, StoredEvent
from projections.replay import states
from projections.report_text import Teller
from projections.views import board_of, view_state
from tests.api.table import Client, send_file

ROOT = Path(__file__).parents[1] / "golden"
BREACHES = sorted((ROOT / "breaches").glob("*.ndjson"))
PRESETS = {name for game in GAMES.values() for name in game.presets}
# Codes are in capitals, rules are cited by number, ids and hashes are hexadecimal, a card is a rank and a suit.
ALLOWED = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2,}(?:_[A-Z]+)*|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|[A-Z]-[A-Z]?[0-9.]+[a-z]?"
    r"|[0-9]+[a-z]|[2-9TJQKA][SHDC]'?|X[1-4]|m[0-9]+|"
    + "|".join(map(re.escape, sorted(PRESETS | {"custom"}, key=len, reverse=True)))
    + r")(?![A-Za-z0-9])"
)
WORD = re.compile(r"[A-Za-z]{2,}")


def english(text: str) -> list[str]:
    return [line for line in text.splitlines() if WORD.search(ALLOWED.sub("", line))]


def log_of(path: Path) -> Log:
    bodies = path.read_bytes().splitlines()
    opened = decode_opening(bodies[0])
    return _stored([decode(opened.game, body) for body in bodies], bodies)


def _stored(events: list[Any], bodies: list[bytes]) -> Log:
    game_id, by, salt = UUID(int=1), UUID(int=0), bytes(16)
    previous, stored = NIL_HEAD, list[StoredEvent]()
    for version, body in enumerate(bodies, 1):
        inner = inner_hash(salt, body)
        previous = event_hash(game_id, version, previous, version, by, inner)
        stored.append(StoredEvent(game_id, version, version, by, salt, previous, body))
    opened = events[0]
    fixed = (game_id, "game", opened.game, opened.mode, "public", len(bodies), previous)
    return Log(Head(*fixed, 1, len(bodies)), stored, events)


@pytest.mark.parametrize("path", BREACHES, ids=lambda path: path.stem)
def test_a_japanese_report_has_no_english_in_it(path: Path):
    log = log_of(path)
    game = GAMES[log.head.game]
    eyes = Eyes.of(game.name, log.events, "all", "all")
    other = next(one for one in game.presets.values() if one != log.events[0].ruleset)
    form = getattr(log.events[0].ruleset, "form", None)
    if form is not None:
        other = next(one for one in game.presets.values() if getattr(one, "form", None) == form)
    imported = reported.Import(UUID(int=7), 1, 3)
    found = reported.reported(log, eyes, imported, ruleset=other)
    text = list(lines(found, Teller("ja"), game.name))
    assert len(text) > 300
    assert english("\n".join(text)) == []
    told = encode(reported.answer(found, eyes, Teller("ja"))).decode()
    sentences = re.findall(r'"(?:text|happened_text|verdict)":(\[[^]]*\]|"[^"]*")', told)
    assert english("\n".join(sentences)) == []


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_table_is_drawn_in_one_language(game: str, lang: str):
    """At every version, as everybody may see it, also in 80 columns."""
    rules = GAMES[game]
    for preset in rules.presets.values():
        seats = 5 if game == "lanterloo" else 3
        if getattr(preset, "first_player", "") == "recorded":
            continue  # no referee can tell who begins
        [played] = play_games(Order(game, seats, 3, next(iter(rules.bots)), preset, 2), 1)
        for number, step in enumerate(states(rules, played.events)):
            if number % 3:
                continue
            text = board_of(view_state(game, step.after, "all"), [], lang)
            is_english = english(text) != []
            assert is_english == (lang == "en"), text
            assert max(map(_columns, text.splitlines())) <= 80


def _columns(line: str) -> int:
    from projections.board import width_of

    return width_of(line)


def visible(page: str) -> Iterator[str]:
    """What a reader sees of a page, or hears."""
    body = re.sub(r"<(script|style)\b.*?</\1>|<!--.*?-->", " ", page, flags=re.DOTALL)
    yield from re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', body)
    yield from unescape(re.sub(r"<[^>]+>", "\n", body)).splitlines()


SEEN_EVERYWHERE = {"Lanterlog", "English", "NDJSON", "CSV", "HTML", "txt"}


@pytest.mark.store
@pytest.mark.http
@pytest.mark.parametrize(
    "sample", ["delboycodes-three-games.ndjson", "evening-of-loo.txt", "worked-examples.txt"]
)
def test_a_japanese_page_has_no_english_in_it(open_client: Client, sample: str):
    data = (Path(__file__).parents[2] / "events" / "samples" / sample).read_bytes()
    for game in send_file(open_client, data).json["imported"]:
        page = open_client.get(f"/games/{game}/report?lang=ja").text
        names = {one["name"] for one in open_client.get(f"/v1/games/{game}").json["players"]}
        found = {line.strip() for line in visible(page)}
        for name in sorted(names | SEEN_EVERYWHERE, key=len, reverse=True):
            found = {line.replace(name, "") for line in found}
        assert english("\n".join(found)) == []
