"""The front door: one small page that leads to every game and what can be asked about it.

No script, no style from elsewhere. The page that replays games is not this one.
"""

import base64
from hashlib import sha256
from typing import Final

from flask import Blueprint, Response, render_template_string

from api import access, listing, parsing, wire
from api.scopes import needs

bp = Blueprint("home", __name__)

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884;
  vertical-align: top; }
a { margin-right: .6rem; }
code { font-size: .9em; }
"""
_POLICY: Final = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    f"style-src 'sha256-{base64.b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)
_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lanterlog</title>
<style>{{ style | safe }}</style>
<h1>Lanterlog</h1>
<p>Every act of a card game, kept as an event: look at any moment, audit a deal, take the log out.</p>
{% if not games %}<p>There are no games yet. <code>lanterlog import FILE</code> brings some in.</p>{% else %}
<table>
<thead><tr><th>Game<th>Players<th>Ruleset<th>Events<th>Look at</thead>
<tbody>
{% for game in games %}<tr>
<td><a href="{{ game.links.self }}">{{ game.game_id }}</a> {{ game.status }}
<td>{% for one in game.players %}{{ one.name or one.id }}{{ ", " if not loop.last }}{% endfor %}
<td>{{ game.ruleset or "" }}
<td>{{ game.version }}
<td>{% for name in names %}<a href="{{ game.links[name] }}">{{ name }}</a>{% endfor %}
</tr>
{% endfor %}</tbody>
</table>
{% if more %}<p>More of them: <a href="{{ more }}">the list as JSON</a></p>{% endif %}{% endif %}
<p>An audit is asked for with a POST:
<code>curl -X POST {{ request.host_url }}v1/games/ID/audits</code>, or <code>lanterlog audit ID</code>.</p>
<p><a href="/v1/games">games</a> <a href="/v1/problems">error codes</a> <a href="/healthz">health</a></p>
"""
_LOOKS: Final = ("events", "state", "timeline", "export.ndjson", "export.txt")
_HTML: Final = "text/html"


@bp.get("/")
@needs("games:read")
@parsing.produces(_HTML)
def show_home() -> Response:
    """The games, with links to everything that can be looked at."""
    asked = wire.ListQuery(limit=100)
    with access.reading() as conn:
        found, more = listing.page(conn, asked, access.asker())
        games = listing.summaries(conn, found)
    following = f"/v1/games?cursor={listing.cursor(games[-1].game_id)}" if more else None
    page = render_template_string(_PAGE, style=_STYLE, games=games, names=_LOOKS, more=following)
    headers = {"Content-Security-Policy": _POLICY}
    return Response(page, headers=headers, content_type=f"{_HTML}; charset=utf-8")
