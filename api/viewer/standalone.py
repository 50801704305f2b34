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
from api.times import rfc3339
from api.viewer import rendering
from api.viewer.asking import Page, ReplayQuery
from api.viewer.beside import finding
from api.viewer.disputed import Disputed
from api.viewer.show import Moment, Show
from api.viewer.texts import TEXTS
from api.viewing import Eyes
from events.version import ENGINE
from projections.explain import Language

_PICTURE: Final = re.compile(r'url\("(\w+\.svg)"\)')
# What would end a script, or begin something that is read in another way.
_ENDING: Final = re.compile(r"<(?=!|/|script)", re.IGNORECASE)


class FilePage(Page):
    """The links of a page that is a file: the version alone, behind the file's own name."""

    def link(self, version: int | None) -> str:
        return f"#{version}"


class Steps(msgspec.Struct):
    """What the script needs: each part's HTML once, and from which version on it stands in which region."""

    parts: list[str]
    regions: dict[str, list[tuple[int, int]]]
    says: list[str]
    jumps: dict[str, list[int]]


class Drawn(msgspec.Struct, frozen=True):
    """A game as it stands in a file: what is known of it, the table and all beside it as HTML, and its steps."""

    told: dict[str, Any]
    shell: str
    steps: Steps


def write_page(game: Filed, eyes: Eyes, lang: Language, disputes: Sequence[Filed] = ()) -> bytes:
    """Return the file, with the disputes about the game; of a moment it shows without its script the last one."""
    found = draw(game, eyes, FilePage(game.head.game_id, ReplayQuery(), TEXTS[lang]), disputes)
    steps = inlined(msgspec.json.encode(found.steps))
    text = rendering.environment.get_template("file.html").render(
        t=TEXTS[lang],
        shell=Markup(found.shell),  # noqa: S704 - a template made it
        steps=Markup(steps),  # noqa: S704 - JSON that cannot end its element
        heading=found.told["heading"],
        **clothes(),
    )
    return text.encode()


def draw(game: Filed, eyes: Eyes, page: FilePage, disputes: Sequence[Filed]) -> Drawn:
    """Return the game as one reader sees it, in the page's language, at its last moment."""
    show = Show(game, eyes, page.t)
    disputed = Disputed(show, disputes, show.last)
    last, steps = _steps(show, page)
    told = _told(show)
    shell = rendering.environment.get_template("file_game.html").render(
        t=page.t,
        page=page,
        regions={name: rendering.region(part, page) for name, part in last.regions.items()},
        say=last.say,
        **told,
        **disputed.context(show.last, ruled=False),
        outcome=disputed.outcome(),
    )
    return Drawn(told, shell, steps)


def clothes() -> dict[str, Any]:
    """Return what every file wears: its styles, its script, the policy that lets it run no other, who made it."""
    style, script = _style(), _asset("file.js")
    return {
        "policy": _policy(style, script),
        "style": Markup(style),  # noqa: S704 - our own file
        "script": Markup(script),  # noqa: S704 - our own file
        "engine": ENGINE,
    }


def inlined(data: bytes) -> str:
    """Return JSON that can stand in an element of a page and not end it."""
    return _ENDING.sub(r"\\u003c", data.decode())


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


def _steps(show: Show, page: Page) -> tuple[Moment, Steps]:
    """Return the last moment, and all of them for the script."""
    known: dict[str, int] = {}
    steps = Steps([], {}, [], show.jumps())
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
