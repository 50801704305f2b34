"""Templates and what every page has: language switch, policy of what a page may load, headers.

A page loads from this server only, runs no inline script and has no inline style.
"""

import base64
import re
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, g, make_response, request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from api import auth
from api.viewer.asking import COOKIE, Page, PageQuery, ours
from api.viewer.scene import Face, Region
from api.viewer.show import Line
from api.viewer.texts import Texts

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors "
)
_SYMBOLS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_MANY: Final = (5, 6, 7, 9, 10)
"""From how many cards on a row is drawn closer together."""
_TYPES: Final = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


def _load() -> dict[str, tuple[bytes, str, str]]:
    found = {}
    for entry in files("api.viewer").joinpath("static").iterdir():
        kind = _TYPES.get(entry.name.rpartition(".")[2])
        if kind is not None:
            data = entry.read_bytes()
            tag = base64.urlsafe_b64encode(sha256(data).digest()[:9]).decode()
            found[entry.name] = (data, kind, tag)
    return found


ASSETS: Final = _load()
"""Every file of the page by name: its bytes, its type, and a tag that changes with it."""

_IMPORT: Final = re.compile(r'^import (?:.* from )?"\./(\w+\.js)";$', re.MULTILINE)


def modules(name: str) -> list[str]:
    """Return the scripts that a script is made of, but for itself, so that a browser may ask for all at once."""
    found: list[str] = []
    waiting = [name]
    while waiting:
        for one in _IMPORT.findall(ASSETS[waiting.pop()][0].decode()):
            if one not in found:
                found.append(one)
                waiting.append(one)
    return sorted(found)


environment: Final = Environment(
    loader=PackageLoader("api.viewer"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    auto_reload=False,
    trim_blocks=True,
    lstrip_blocks=True,
)


def suited(text: str) -> Markup:
    """Return a text with every suit's symbol in its colour, as a picture of letters and never as an emoji."""
    safe = str(escape(text))
    for suit, symbol in _SYMBOLS.items():
        safe = safe.replace(symbol, f'<span class="ink {suit}">{symbol}&#xFE0E;</span>')
    return Markup(safe)  # noqa: S704 - escaped above


def crowd(faces: Sequence[Face]) -> str:
    """Return the classes of a row that say how many cards it holds and whether some lie face down."""
    backs = " backs" if any(face.card is None for face in faces) else ""
    return backs + "".join(f" n{many}" for many in _MANY if len(faces) >= many)


environment.filters["suited"] = suited
environment.filters["crowd"] = crowd
environment.globals["asset"] = lambda name: f"/static/{name}?{ASSETS[name][2]}"
environment.globals["modules"] = modules("replay.js")
_parts: Final = environment.get_template("parts.html").module


def region(part: Region, page: Page) -> Markup:
    """Return a part of the table as HTML."""
    found: Markup = getattr(_parts, part.macro)(part.context, page)
    return found


def line(one: Line, page: Page) -> Markup:
    """Return one line of the move list as HTML."""
    found: Markup = getattr(_parts, "line")(one, page)  # noqa: B009 - a macro, made at run time
    return found


def part(template: str, texts: Texts, **context: Any) -> Markup:
    """Return a part of a page as HTML."""
    return Markup(environment.get_template(template).render(t=texts, **context))  # noqa: S704 - escaped there


def page(template: str, asked: PageQuery, texts: Texts, **context: Any) -> Response:
    """Return a whole page, with the headers that every page has."""
    other = "en" if texts.lang == "ja" else "ja"
    parameters = request.args.to_dict() | {"lang": other}
    embed = bool(context.get("embed"))
    text = environment.get_template(template).render(
        t=texts,
        other_lang=other,
        signs=_signs(texts),
        sign_address=_sign_address(),
        switch_language="?" + urlencode(parameters),
        **({"here": "", "embed": False} | context),
    )
    answer = make_response(text, int(context.get("status", 200)))
    answer.headers["Content-Language"] = texts.lang
    # With no referrer at all a browser would send our own forms with the origin "null".
    answer.headers["Referrer-Policy"] = "same-origin"
    answer.headers["Content-Security-Policy"] = POLICY + ("*" if embed else "'none'")
    if asked.lang is not None:
        answer.set_cookie(COOKIE, asked.lang, max_age=31_536_000, httponly=True, samesite="Lax")
    return answer


def _sign_address() -> str:
    """Return where one signs in, with the way back to the game that is looked at."""
    here = ours(request.full_path.removesuffix("?"))
    return f"/sign-in?{urlencode({'next': here})}" if here.startswith("/games/") else "/sign-in"


def _signs(texts: Texts) -> str | None:
    """Return what the link to the session says: who one is, or that one can sign in where there are tokens."""
    token = g.get("token")
    if token is not None:
        return str(token.name)
    return texts["sign.in"] if auth.has_tokens() else None
