"""`lanterlog games` and `lanterlog replay`: what is in the store, and any moment of a game."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from api import files, listing
from api.asker import OWNER
from api.commands import output, pick
from api.commands.store import connected
from api.files import Filed
from api.viewing import Eyes
from api.wire import GameSummary, ListQuery, StateAnswer
from events import recorder
from events.common import Event, GameOpened
from events.errors import BadUsage
from events.formats.notation_writer import write_game
from projections.board import LETTERS
from projections.views import board_of

Row = tuple[object, ...]


def list_games(args: Namespace) -> int:
    """Print every game in the store, whoever may see it."""
    with connected() as conn:
        if args.json:
            for game in _every(conn):
                output.as_json(game)
        else:
            columns = ("game", "players", "ruleset", "mode", "status", "events", "changed")
            output.table(columns, map(_row, _every(conn)))
    return 0


def replay(args: Namespace) -> int:
    """Print the acts of a game, or the table at one version of it; on a terminal, let it be leafed through."""
    with connected() as conn:
        log = recorder.load(conn, pick.game_id(conn, args.game))
        game = next(files.gather(conn, [(log.head, log.stored)]))
    if not game.events:
        raise BadUsage(f"game {log.head.game_id} has no events yet")
    opened: GameOpened[Any] = game.events[0]
    seat = _seat(args.seat, len(opened.seats))
    eyes = Eyes.of(log.head.game, game.events, "all" if seat is None else seat, "all")
    if args.at is None and not args.json and sys.stdin.isatty() and sys.stdout.isatty():
        _browse(game, seat)
    elif args.at is None:
        _print_acts(game, eyes, as_json=args.json)
    else:
        _print_table(game, eyes, args.at, as_json=args.json)
    return 0


def _browse(game: Filed, seat: int | None) -> None:
    from api.commands.browse import browse

    def words(version: int, event: Event) -> str:
        return _in_words(game, version, event)

    browse(game.head.game, game.events, words, _names(game), seat)


def _every(conn: Connection) -> Iterator[GameSummary]:
    asked, more = ListQuery(limit=100), True
    while more:
        found, more = listing.page(conn, asked, OWNER)
        yield from listing.summaries(conn, found)
        if found:
            asked = replace(asked, cursor=listing.cursor(found[-1].head.game_id))


def _row(game: GameSummary) -> Row:
    players = ", ".join(one.name or f"({one.id[:8]})" for one in game.players)
    changed = game.changed_at[:16].replace("T", " ")
    return game.game_id, players, game.ruleset, game.mode, game.status, game.version, changed


def _seat(text: str | None, seats: int) -> int | None:
    if text is None:
        return None
    seat = LETTERS.find(text.upper()) if text.isalpha() else int(text) if text.isdecimal() else -1
    if not 0 <= seat < seats or len(text) != 1:
        raise BadUsage(f"seat {text!r}, expected 0 to {seats - 1} or A to {LETTERS[seats - 1]}")
    return seat


def _print_acts(game: Filed, eyes: Eyes, *, as_json: bool) -> None:
    """Print every event in the words of the table, those too that were retracted later."""
    acts = (
        (version, event, _in_words(game, version, event))
        for version, event in enumerate(eyes.events(game.events), 1)
    )
    if as_json:
        for version, event, words in acts:
            output.as_json({"version": version, "act": words, "event": event})
    else:
        output.table(("version", "act"), ((version, words) for version, _, words in acts))


def _in_words(game: Filed, version: int, event: Any) -> str:
    """Return an event as table notation has it; the lines of the game's head are left away."""
    head = list(write_game(game.events[:1], game.names))
    if version == 1:
        return "; ".join(head[1:])
    remark = {2: game.remarks[version][1]} if version in game.remarks else {}
    lines = list(write_game([game.events[0], event], game.names, remark))
    return "; ".join(line for line in lines[len(head) :] if line)


def _print_table(game: Filed, eyes: Eyes, at: int, *, as_json: bool) -> None:
    state = eyes.log(game.events).view(at)
    if as_json:
        version = game.head.version
        output.as_json(StateAnswer(game.head.game_id, version, at, eyes.at(at), state))
    else:
        words = _in_words(game, at, eyes.event(at, game.events[at - 1]))
        output.line(f"Version {at} of {game.head.version}: {words}")
        output.line(board_of(state, _names(game)))


def _names(game: Filed) -> list[str]:
    seats = game.events[0].seats
    return [game.names.get(player, "") for player in seats]
