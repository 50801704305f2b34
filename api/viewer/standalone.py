"""A whole replay as one HTML file that opens from disk: no server, no network, nothing hidden inside.

Every part of the table is drawn as for the page, for one reader and in one language, and put in as JSON, each
different part once. The file's own policy lets it load nothing and run only the script that it came with.
"""

import base64
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

import msgspec
from markupsafe import Markup

from api.files import Filed
from api.viewer import rendering
from api.viewer.asking import Page, ReplayQuery
from api.viewer.beside import finding
from api.viewer.disputed import Disputed
from api.viewer.show import Moment, Show
from api.viewer.texts import TEXTS
from api.viewing import Eyes
from api.wire import rfc3339
from events.version import ENGINE
from projections.explain import Language

_PICTURE: Final = re.compile(r'url\("(\w+\.svg)"\)')
# What would end a script, or begin something that is read in another way.
_ENDING: Final = re.compile(r"<(?=!|/|script)", re.IGNORECASE)


class _FilePage(Page):
    """The links of a page that is a file: the version alone, behind the file's own name."""

    def link(self, version: int | None) -> str:
        return f"#{version}"


class _Steps(msgspec.Struct):
    """What the script needs: each part's HTML once, and from which version on it stands in which region."""

    parts: list[str]
    regions: dict[str, list[tuple[int, int]]]
    says: list[str]
    jumps: dict[str, list[int]]


def write_page(game: Filed, eyes: Eyes, lang: Language, disputes: Sequence[Filed] = ()) -> bytes:
    """Return the file, with the disputes about the game; of a moment it shows without its script the last one."""
    show = Show(game, eyes, TEXTS[lang])
    disputed = Disputed(show, disputes, show.last)
    page = _FilePage(game.head.game_id, ReplayQuery(), TEXTS[lang])
    last, steps = _steps(show, page)
    style, script = _style(), _asset("file.js")
    text = rendering.environment.get_template("file.html").render(
        t=TEXTS[lang],
        page=page,
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        steps=Markup(_inlined(steps)),  # noqa: S704 - JSON that cannot end its element
        regions={name: rendering.region(part, page) for name, part in last.regions.items()},
        say=last.say,
        engine=ENGINE,
        **_told(show),
        **disputed.context(show.last, ruled=False),
        outcome=disputed.outcome(),
    )
    return text.encode()


def _told(show: Show) -> dict[str, Any]:
    head = show.head
    breaches = [one for one in show.found if one.severity == "breach"]
    return {
        "game_id": head.game_id,
        "game": head.game,
        "heading": " · ".join(show.names),
        "last": show.last,
        "seats": len(show.names),
        "places": show.places(),
        "result": show.result(),
        "rules": getattr(show.opened.ruleset, "preset", ""),
        "mode": head.mode,
        "viewer": show.eyes.at(show.last),
        "view": _view(show),
        "lines": [show.line(version) for version in range(1, show.last + 1)],
        "breaches": [finding(show, one) for one in breaches],
        "opened_at": rfc3339(head.created_at),
        "changed_at": rfc3339(head.changed_at),
        "head_hash": head.head.hex(),
    }


def _view(show: Show) -> str:
    match show.eyes.at(show.last):
        case "all" | "public" as viewer:
            return show.texts[f"view.{viewer}"]
        case seat if seat < len(show.names):
            return show.texts.fill("view.seat", who=show.names[seat])
        case _:  # nobody sits there
            return show.texts["view.public"]


def _steps(show: Show, page: Page) -> tuple[Moment, _Steps]:
    """Return the last moment, and all of them for the script."""
    known: dict[str, int] = {}
    steps = _Steps([], {}, [], show.jumps())
    last: Moment | None = None
    for moment in show.moments(1, show.last):
        for name, region in moment.regions.items():
            if last is not None and last.regions.get(name) == region:
                continue
            html = str(rendering.region(region, page))
            part = known.setdefault(html, len(known))
            if part == len(steps.parts):
                steps.parts.append(html)
            steps.regions.setdefault(name, []).append((moment.version, part))
        steps.says.append(moment.say)
        last = moment
    assert last is not None
    return last, steps


def _inlined(steps: _Steps) -> str:
    return _ENDING.sub(r"\\u003c", msgspec.json.encode(steps).decode())


def _asset(name: str) -> str:
    return rendering.ASSETS[name][0].decode()


def _style() -> str:
    """Return the page's styles with their pictures inside."""
    both = _asset("page.css") + _asset("table.css")
    return _PICTURE.sub(lambda found: f'url("{_picture(found[1])}")', both)


def _picture(name: str) -> str:
    return f"data:image/svg+xml,{quote(_asset(name).strip())}"


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"
