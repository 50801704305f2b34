"""Reads a game for the page, as whoever asks may see it."""

from uuid import UUID

from api import access, files
from api.viewer.asking import ReplayQuery, viewer_of
from api.viewer.show import Show
from api.viewer.texts import Texts


def load(game_id: UUID, asked: ReplayQuery, texts: Texts) -> Show:
    """Return a game; raise UnknownGame where there is none for whoever asks."""
    with access.reading() as conn:
        log = access.load(conn, game_id)
        game = next(files.gather(conn, [(log.head, log.stored)]))
    return Show(game, access.eyes(log, viewer_of(asked)), texts)


def load_disputed(
    game_id: UUID, asked: ReplayQuery, texts: Texts
) -> tuple[Show, list[files.Filed]]:
    """Return a game with the disputes about it, which may be seen by whoever may see the game."""
    with access.reading() as conn:
        log = access.load(conn, game_id)
        both = files.with_disputes(conn, [(log.head, log.stored)])
        game, *disputes = files.gather(conn, both)
    return Show(game, access.eyes(log, viewer_of(asked)), texts), disputes
