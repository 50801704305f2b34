"""What a page's address asks for, and the links that a page gives out: the address is the state.

People count seats from 1; `seat=0` means all hands. Nothing here reads the database.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from flask import request
from msgspec import Meta, field

from api import parsing
from api.lists_wire import By
from api.viewer.texts import TEXTS, Texts
from api.wire import LAST_VERSION, Request, Viewer
from projections.board import LETTERS
from projections.explain import LANGUAGES, Language

COOKIE: Final = "lanterlog_lang"
"""Holds the language chosen by the switch, nothing else."""

Lang = Literal["en", "ja"]
At = Annotated[int, Meta(ge=1, le=LAST_VERSION)]
SeatNumber = Annotated[int, Meta(ge=0, le=8)]


class PageQuery(Request, frozen=True, kw_only=True):
    """What every page can be asked."""

    lang: Lang | None = None


class SignInQuery(PageQuery, frozen=True, kw_only=True):
    """`/sign-in`: `next` is the address of this service, its path first, to which who has signed in goes on."""

    next: Annotated[
        str, Meta(max_length=300, pattern=r"^(?:/(?:[!-.0-\[\]-~][!-\[\]-~]*)?)?\Z")
    ] = ""


class ReplayQuery(PageQuery, frozen=True, kw_only=True):
    """`/games/{id}`: the moment, whose view, nothing of what comes later, without the frame, an act to judge.

    `ruled` shows the scores as ruled, `card` where that card was.
    """

    at: At | None = None
    seat: SeatNumber | None = None
    free: Literal["", "1"] = ""
    embed: Literal["", "1"] = ""
    ruled: Literal["", "1"] = ""
    act: Annotated[str, Meta(max_length=200)] = ""
    card: Annotated[str, Meta(max_length=8)] = ""


Do = Literal["say", "link", "withdraw", "rule", "appeal", "decide", "tag"]
"""What is done in a dispute, as the interface names it."""


class FormQuery(ReplayQuery, frozen=True, kw_only=True):
    """`/games/{id}/disputing`: which form, and in which dispute if it is not a new one."""

    do: Literal["open"] | Do = "open"
    dispute: UUID | None = None


class StepsQuery(ReplayQuery, frozen=True, kw_only=True):
    """`/games/{id}/steps`: a stretch of versions, with the lines of the move list if asked for."""

    first: At = 1
    last: At = 1
    lines: Literal["", "1"] = ""


class ReportPageQuery(ReplayQuery, frozen=True, kw_only=True):
    """`/games/{id}/report`: a deal or a range, another ruleset beside the game's own, whose view, the language.

    What else a link to a moment says (`at`, `free`, `act`) means nothing here.
    """

    deal: Annotated[str, Meta(pattern=r"^[0-9]{0,6}\Z")] = ""
    first: Annotated[str, Meta(pattern=r"^[0-9]{0,10}\Z")] = field(default="", name="from")
    last: Annotated[str, Meta(pattern=r"^[0-9]{0,10}\Z")] = field(default="", name="to")
    ruleset: Annotated[str, Meta(max_length=80)] = ""


class ListPageQuery(PageQuery, frozen=True, kw_only=True):
    """`/`: the filters of the list; empty ones ask for nothing."""

    q: Annotated[str, Meta(max_length=80)] = ""
    game: str = ""
    status: Literal["", "open", "ended"] = ""
    mode: Literal["", "refereed", "recorded"] = ""
    cursor: str = ""


class StandingsPageQuery(PageQuery, frozen=True, kw_only=True):
    """`/standings`: of which game, and what the most of comes first."""

    game: str = ""
    by: By = "wins"
    cursor: str = ""


class FindingsPageQuery(PageQuery, frozen=True, kw_only=True):
    """`/findings`: of which game, and which kind."""

    game: str = ""
    code: Annotated[str, Meta(max_length=80)] = ""
    cursor: str = ""


class ChancesPageQuery(PageQuery, frozen=True, kw_only=True):
    """`/chances`: the filters of `GET /v1/chances`, days in place of moments; empty ones ask for nothing."""

    game: str = ""
    game_id: Annotated[str, Meta(max_length=36)] = ""
    ruleset: Annotated[str, Meta(max_length=200)] = ""
    players: Annotated[str, Meta(max_length=300)] = ""
    dealer: Annotated[str, Meta(max_length=36)] = ""
    since: Annotated[str, Meta(max_length=10)] = ""
    until: Annotated[str, Meta(max_length=10)] = ""
    bias: Annotated[str, Meta(max_length=12)] = ""
    edge: Annotated[str, Meta(max_length=12)] = ""


def ours(address: str) -> str:
    """Return an address if it is one of this service, else nothing: nobody's link leads from here to elsewhere."""
    try:
        return msgspec.convert({"next": address}, SignInQuery).next
    except msgspec.ValidationError:
        return ""


def viewer_of(asked: ReplayQuery) -> Viewer | None:
    """Return the viewer that a page asks for, None for whatever is open."""
    match asked.seat:
        case None:
            return None
        case 0:
            return "all"
        case seat:
            return seat - 1


def chosen(asked: PageQuery) -> Texts:
    """Return the language: what the address says, then the switch used before, then what the browser likes."""
    remembered = request.cookies.get(COOKIE)
    lang: Language
    if asked.lang is not None:
        lang = asked.lang
    elif remembered in LANGUAGES:
        lang = "ja" if remembered == "ja" else "en"
    else:
        lang = parsing.language()
    return TEXTS[lang]


class Page:
    """What the parts of a page share: the words, and links that keep the rest of the address."""

    def __init__(self, game_id: UUID, asked: ReplayQuery, texts: Texts) -> None:
        self.t = texts
        self._path = f"/games/{game_id}"
        given = msgspec.to_builtins(asked)
        self.kept: Mapping[str, str] = {
            name: str(given[name])
            for name in ("seat", "free", "embed", "ruled", "lang")
            if given.get(name)
        } | ({"seat": "0"} if asked.seat == 0 else {})
        self._tail = f"&{urlencode(self.kept)}" if self.kept else ""
        self._at = asked.at

    def link(self, version: int | None) -> str:
        """Return the address of a version, relative to this page."""
        return f"?at={version}{self._tail}"

    def here(self) -> str:
        """Return this moment's address with its path."""
        return f"{self._path}{self.with_()}"

    def canonical(self, version: int) -> str:
        """Return the path of a version as one view sees it, whatever the language and the frame."""
        seat = f"&seat={self.kept['seat']}" if "seat" in self.kept else ""
        return f"{self._path}?at={version}{seat}"

    def with_(self, **changed: Any) -> str:
        """Return this moment's address with some parameters changed; empty ones are left out."""
        given = {"at": self._at} | dict(self.kept) | changed
        return "?" + urlencode(
            {name: value for name, value in given.items() if value not in ("", None)}
        )

    def letter(self, seat: int) -> str:
        """Return a seat's letter in table notation."""
        return LETTERS[seat]

    def hand(self, who: str, count: int) -> str:
        """Return what a hand is called."""
        return self.t.fill("hand.one" if count == 1 else "hand", who=who, count=count)
