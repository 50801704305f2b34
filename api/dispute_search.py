"""Disputes found by what was decided in them: rules applied, facts found, words of the reasons, tags.

Asks the streams themselves, so nothing that was erased is kept anywhere else; a store has as many disputes as its
arbiters can rule on, and a page is one query. Gives only disputes about games that a list shows whoever asks.
"""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, text

from api.asker import Asker
from api.disputes_wire import DisputesQuery
from api.paging import Page, cut, keys_of

_DECIDED: Final = "e.body ->> 't' IN ('ruled', 'appeal_decided')"
_OF_IT: Final = "SELECT FROM lanterlog.events e WHERE e.game_id = d.game_id AND"
_HAS: Final = {
    "rule": f"""EXISTS ({_OF_IT} {_DECIDED} AND EXISTS (
      SELECT FROM json_array_elements_text(e.body -> 'rules') r (rule) WHERE r.rule = :rule))""",
    "code": f"""EXISTS ({_OF_IT} {_DECIDED} AND EXISTS (
      SELECT FROM json_array_elements(e.body -> 'facts') f (fact) WHERE f.fact ->> 'code' = :code))""",
    "tag": f"""EXISTS ({_OF_IT} e.body ->> 't' = 'precedent_tagged' AND EXISTS (
      SELECT FROM json_array_elements_text(e.body -> 'tags') t (tag) WHERE t.tag = :tag))""",
    "words": f"""EXISTS (
      SELECT FROM lanterlog.events e
      JOIN lanterlog.texts x ON x.game_id = e.game_id AND x.version = e.version
      WHERE e.game_id = d.game_id AND {_DECIDED} AND lower(x.text) LIKE ALL (:words))""",
    # As text, for which there is an index of the disputes about a game.
    "game_id": "o.body ->> 't' = 'dispute_opened' AND o.body ->> 'game_id' = CAST(:game_id AS text)",
    "standing": """:standing = (
      SELECT CASE e.body ->> 't' WHEN 'dispute_withdrawn' THEN 'withdrawn' WHEN 'ruled' THEN 'ruled'
        WHEN 'appealed' THEN 'appealed' WHEN 'appeal_decided' THEN 'final' ELSE 'open' END
      FROM lanterlog.events e WHERE e.game_id = d.game_id AND e.body ->> 't' IN
        ('dispute_opened', 'dispute_withdrawn', 'ruled', 'appealed', 'appeal_decided')
      ORDER BY e.version DESC LIMIT 1)""",
}
_FROM: Final = """
SELECT d.game_id FROM lanterlog.games d
JOIN lanterlog.events o ON o.game_id = d.game_id AND o.version = 1
JOIN lanterlog.games g ON g.game_id = (o.body ->> 'game_id')::uuid AND g.kind = 'game'
WHERE d.kind = 'dispute' AND """
_LISTED: Final = "(:all OR g.visibility = 'public' OR g.game_id = :own)"


def search(conn: Connection, asked: DisputesQuery, asker: Asker) -> Page[UUID]:
    """Return a page of dispute ids, the oldest first."""
    params: dict[str, Any] = {"all": asker.reads_private, "own": asker.own_game}
    wanted = [_LISTED]
    for name, condition in _HAS.items():
        value = getattr(asked, name)
        if value is not None:
            wanted.append(condition)
            params[name] = _patterns(value) if name == "words" else value
    if asked.cursor is not None:
        (params["after"],) = keys_of("disputes", asked.cursor, tuple[UUID])
        wanted.append("d.game_id > :after")
    params["limit"] = asked.limit + 1
    statement = f"{_FROM}{' AND '.join(wanted)} ORDER BY d.game_id LIMIT :limit"
    found = list(conn.execute(text(statement), params).scalars())
    return cut(found, asked.limit, "disputes", found[: asked.limit][-1:])


def _patterns(words: str) -> list[str]:
    """Return what LIKE compares: each word anywhere, its own signs taken as they are."""
    quoted = (
        word.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        for word in words.lower().split()
    )
    return [f"%{word}%" for word in quoted]
