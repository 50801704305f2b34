"""Games: the list, one game, opening one, recording what happened at its table."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4, uuid5

from flask import Blueprint, Response, current_app
from msgspec import UNSET, structs
from uuid_utils.compat import uuid7

from api import access, answers, dispute_answers, listing, parsing, seated, streams, wire
from api.asker import Asker
from api.openings import opening
from api.scopes import needs
from events import recorder, store
from events.common import Event
from events.errors import (
    RefusedError,
    RequestError,
    RulesetError,
    StaleVersion,
    UnknownGame,
)
from events.game import Game
from events.games import game_named
from events.kept import Known

bp = Blueprint("games", __name__, url_prefix="/v1/games")


@bp.get("")
@needs("games:read")
def list_games() -> Response:
    """The games that are public, by id, a page at a time."""
    asked = parsing.query(wire.ListQuery)
    with access.reading() as conn:
        games, more = listing.page(conn, asked, access.asker())
        shown = listing.summaries(conn, games)
    following = listing.cursor(games[-1].head.game_id) if more else None
    return answers.answer(wire.GamePage(shown, following))


@bp.get("/<uuid:game_id>")
@needs("games:read")
def show_game(game_id: UUID) -> Response:
    """One game, with every option that it is played by, and its scores under all rulings if they are wanted."""
    asked = parsing.query(wire.GameQuery)
    with access.reading() as conn:
        found = listing.one(conn, game_id)
        if found is None:
            raise UnknownGame(game_id)
        access.check_visible(found.head)
        summary = listing.summaries(conn, [found])[0]
        scores = dispute_answers.game_scores(conn, found.head) if asked.scores else UNSET
    shown = wire.GameDetail(**structs.asdict(summary), opened=found.opened, scores=scores)
    return answers.answer(shown)


@bp.post("")
@needs("games:write", for_all=True)
def open_game() -> Response:
    """Open a game; with a game id or a command id of the client's own, asking again changes nothing."""
    asker, query = access.asker(), parsing.query(wire.ViewQuery)
    asked, viewer = parsing.body(wire.OpenGame), parsing.viewer(query.viewer)
    if asked.visibility == "private":
        asker.check_private("a private game, which you could not read again")
    command_id = parsing.command_id(asker.identity)
    game_id = asked.game_id or (uuid5(command_id, "game") if command_id else uuid7())
    is_retry_safe = asked.game_id is not None or command_id is not None
    new = opening(asked, game_id, is_retry_safe=is_retry_safe)
    try:
        with access.writing() as conn:
            done = recorder.open_game(
                conn,
                new.opened,
                game_id=game_id,
                recorded_by=asker.identity,
                names=new.names,
                visibility=asked.visibility,
                command_id=command_id or _opening_of(asker, game_id),
            )
            log = access.load(conn, game_id)
    except RulesetError as error:
        return answers.unplayable(error)
    except StaleVersion as error:
        # Not how far it has come: it may be a game that the asker may not know of.
        raise RequestError("other_game", f"game {game_id} is there, expected a new id") from error
    eyes = access.eyes(log, viewer)
    shown = answers.recorded(eyes, lambda: eyes.log(log.events), done)
    location = f"/v1/games/{game_id}"
    return answers.told(shown, HTTPStatus.CREATED, Location=location)


@bp.post("/<uuid:game_id>/events")
@needs("games:write")
def record_events(game_id: UUID) -> Response:
    """Record what happened: judged at a refereed table, taken as it is in a recorded game."""
    query, asked = parsing.query(wire.RecordQuery), parsing.body(wire.RecordEvents)
    viewer, asker = parsing.viewer(query.viewer), access.asker()
    command_id, kept = parsing.command_id(asker.identity), access.Service.current().kept
    with access.writing() as conn:
        head = access.check_visible(store.head(conn, game_id))
        events = parsing.events(head.game, asked.events)
        asker.check_acts(game_named(head.game), events)
        _check_expectation(game_named(head.game), events, asked.expected_version)
        seated.check(conn, asker, game_id, events, command_id, asked.expected_version, kept)
        try:
            done = recorder.record(
                conn,
                game_id,
                events,
                expected_version=asked.expected_version,
                command_id=command_id or uuid4(),
                recorded_by=asker.identity,
                texts=_texts(asked.texts, len(events)),
                dry_run=query.dry_run,
                kept=kept,
            )
        except (
            RefusedError
        ) as error:  # a call that fell is on record: the end of the block commits it
            log = access.load(conn, game_id)
            return answers.refused(access.eyes(log, viewer), log.events, events, error)
        now = done.before or access.known(conn, game_id)
    whole = now if done.before is None else done.after(now)
    if done.before is not None and not query.dry_run:
        now = whole
        _tell(now)
    eyes = access.eyes(now, viewer)
    shown = answers.recorded(eyes, lambda: access.seen(whole, eyes), done, dry_run=query.dry_run)
    return answers.told(shown, HTTPStatus.OK if query.dry_run else HTTPStatus.CREATED)


def _tell(game: Known) -> None:
    """Keep what is on record now for whoever asks next, and wake those who follow the game."""
    access.Service.current().kept.keep(game)
    streams.poller_of(current_app).tell(game.head.game_id, game.head.version)


def _opening_of(asker: Asker, game_id: UUID) -> UUID | None:
    """Return the command that opens a game under an id of the client's own; another's is another."""
    return None if asker.token is None else uuid5(asker.identity, f"open {game_id}")


def _check_expectation(game: Game[Any, Any], events: Sequence[Event], expected: int | None) -> None:
    """Only who races with others, as in a call, need not say which version he saw."""
    if expected is None and not all(map(game.races, events)):
        raise RequestError(
            "expected_version_missing", "no expected_version, expected the version that you saw"
        )


def _texts(given: dict[str, wire.Remark], count: int) -> dict[int, tuple[bytes, str]]:
    found: dict[int, Any] = {}
    for index, remark in given.items():
        if not index.isascii() or not index.isdigit() or int(index[:9]) >= count:
            raise RequestError("bad_body", f"texts: {index[:20]!r} is the index of no event here")
        found[int(index)] = (bytes.fromhex(remark.salt), remark.text)
    return found
