"""Who may do what, read off the code: `python -m api.roles` prints docs/roles.md.

Every cell is worked out by the very functions that let a request in, and tests/api/test_roles.py asks a
running application for each. Answers no request.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

import msgspec
from flask import Flask

from api.asker import Asker, verdict
from api.config import Config
from api.scopes import CLOSED, Need, Scope, need_of
from api.tokens import Token
from events.records import Head

Cell = Literal["yes", "public", "401", "403"]

GAME: Final = UUID(int=1)
OTHER: Final = UUID(int=2)


class Role(msgspec.Struct, frozen=True):
    """Somebody who asks: with a token that has these scopes, for one game or for a seat of it, or without.

    `state` says what has become of the token; `guarded` whether there is any token at all.
    """

    name: str
    scopes: frozenset[Scope] | None = None
    bound: Literal["no", "game", "seat"] = "no"
    state: Literal["good", "revoked", "expired"] = "good"
    guarded: bool = True

    def token(self, game_id: UUID) -> Token | None:
        """Return the token of this role, bound to that game if it is bound."""
        if self.scopes is None or self.state != "good":
            return None
        return Token(
            token_id=UUID(int=9),
            name=self.name,
            scopes=self.scopes,
            game_id=None if self.bound == "no" else game_id,
            seat=1 if self.bound == "seat" else None,
        )


_ALL_BUT_ADMIN: Final[frozenset[Scope]] = frozenset(
    {"games:read", "games:write", "audit", "export"}
)
ROLES: Final = (
    Role("nobody, no tokens made", guarded=False),
    Role("nobody"),
    Role("games:read", frozenset({"games:read"})),
    Role("games:write", frozenset({"games:write"})),
    Role("audit", frozenset({"audit"})),
    Role("export", frozenset({"export"})),
    Role("metrics", frozenset({"metrics"})),
    Role("one game", _ALL_BUT_ADMIN, bound="game"),
    Role("one seat", _ALL_BUT_ADMIN, bound="seat"),
    Role("admin", frozenset({"admin"})),
    Role("revoked", frozenset({"admin"}), state="revoked"),
    Role("expired", frozenset({"admin"}), state="expired"),
)


class Address(msgspec.Struct, frozen=True):
    """A method and a path of the application, and what it needs."""

    method: str
    path: str
    need: Need

    @property
    def has_game(self) -> bool:
        return "game_id" in self.path


def addresses(app: Flask) -> list[Address]:
    """Return every address of an application, by path."""
    found = [
        Address(method, rule.rule, need_of(app.view_functions[rule.endpoint]) or CLOSED)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    ]
    return sorted(found, key=lambda one: (one.path, one.method))


def cell(address: Address, role: Role, *, own: bool = True) -> Cell:
    """Return what comes of a role asking an address; of a game that its token is for, or of another."""
    need = address.need
    if need.scope is None:
        return "yes"
    if role.state != "good":
        return "401"
    game_id = (GAME if own else OTHER) if address.has_game else None
    match verdict(need, role.token(GAME), game_id, lambda: role.guarded):
        case "as nobody":
            return "public"
        case "token_needed":
            return "401"
        case "not_allowed":
            return "403"
    return "yes"


def asker(role: Role, game_id: UUID = GAME) -> Asker:
    """Return a role as it reads."""
    token = role.token(game_id)
    good = token is not None and token.has("games:read")
    return Asker(token=token if good else None, trusted=not role.guarded)


def page(app: Flask) -> str:
    """Return docs/roles.md."""
    return "\n".join((*_HEAD, *_endpoints(app), *_BETWEEN, *_sights(), "")) + "\n"


_HEAD: Final = (
    "# Who may do what",
    "",
    "Made by `python -m api.roles > docs/roles.md` from what every view declares; each cell is asked of a running",
    "server by the tests. Why it is so: [decision 8](decisions/0008-tokens.md). How tokens are made and sent:",
    "[the HTTP interface](http.md).",
    "",
    "- **yes**: let in, as the bearer of this token (without tokens: as whoever is at this machine).",
    "- **public**: answered as anybody without a token is, with what is public.",
    "- **401**: a token is needed, or this one is no good. **403**: this token is not good for that.",
    "",
    "*One game* and *one seat* are tokens with all scopes but `admin`, bound to a game; the second word of their",
    "cells is for any other game. A private game that one may not know of is a 404, whatever the cell says. A dispute's",
    "game is looked at once the dispute was found: with a token for another game, what writes is a 403 then.",
    "",
)
_BETWEEN: Final = (
    "",
    "What is seen, by whoever may read (an `--open-table` shows nobody everything as well, and only where no",
    "token was ever made):",
    "",
)


def _endpoints(app: Flask) -> Iterator[str]:
    yield _row(("", "needs", *(role.name for role in ROLES)))
    yield _row(["---"] * (2 + len(ROLES)))
    for one in addresses(app):
        scope = "" if one.need.scope is None else f"`{one.need.scope}`"
        cells = (_cells(one, role) for role in ROLES)
        yield _row((f"`{one.method} {one.path}`".replace("uuid:", ""), scope, *cells))


def _cells(address: Address, role: Role) -> str:
    here, elsewhere = (cell(address, role, own=own) for own in (True, False))
    return here if here == elsewhere else f"{here} / {elsewhere}"


def _sights() -> Iterator[str]:
    roles = [role for role in ROLES if role.state == "good"]
    yield _row(("", *(role.name for role in roles)))
    yield _row(["---"] * (1 + len(roles)))
    for visibility in ("unlisted", "private"):
        for what, own in ((f"{visibility} game", False), (f"{visibility} game of the token", True)):
            yield _row((f"{what}: in lists", *(_yes(lists(r, visibility, own=own)) for r in roles)))
            yield _row(
                (f"{what}: by its id", *(_yes(knows(r, visibility, own=own)) for r in roles))
            )
    yield _row(("cards of a deal in play", *(_sight(role, own=False) for role in roles)))
    yield _row(("... in the token's game", *(_sight(role, own=True) for role in roles)))


def knows(role: Role, visibility: str, *, own: bool) -> bool:
    """Tell whether a role may know of a game."""
    return asker(role).knows(_game(visibility, own=own))


def lists(role: Role, visibility: str, *, own: bool) -> bool:
    """Tell whether a list shows a role a game."""
    return asker(role).lists(_game(visibility, own=own))


def _game(visibility: str, *, own: bool) -> Head:
    game_id = GAME if own else OTHER
    return Head(game_id, "game", "rummy500", "recorded", visibility, 1, bytes(32), 0, 0)


def _sight(role: Role, *, own: bool) -> str:
    match asker(role).sight(GAME if own else OTHER):
        case "all":
            return "all"
        case "public":
            return "open ones"
        case _:
            return "its own"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _row(cells: Iterable[str] | Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the page; the application is made over a database that nobody asks."""
    from api import create_app

    config = Config(home=Path("/nonexistent"), database_url="postgresql+psycopg://nobody@/none")
    sys.stdout.write(page(create_app(config)))


if __name__ == "__main__":
    main()
