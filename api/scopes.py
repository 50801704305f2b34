"""Scopes: what a token may be good for, and how a view says which one it needs.

Every view says so with `@scopes.needs(...)`; one that does not is refused to everybody, and a test names
it. Pure: knows no request and no database.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar, get_args

import msgspec

F = TypeVar("F", bound=Callable[..., Any])

Scope = Literal["games:read", "games:write", "audit", "export", "metrics", "admin"]
Kind = Literal["read", "write", "audit", "export", "import", "session"]

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Kinds of requests that are counted together when too many are refused."""
_KIND_OF: Final[dict[Scope, Kind | None]] = {
    "games:read": "read",
    "games:write": "write",
    "audit": "audit",
    "export": "export",
    "metrics": "read",
    "admin": "write",
}


class Need(msgspec.Struct, frozen=True):
    """What a view asks of whoever calls it.

    `scope` is None where anybody is answered alike, `kind` None where calls are never too many, `for_all` if
    a token for one game is not enough.
    """

    scope: Scope | None
    kind: Kind | None
    for_all: bool = False


CLOSED: Final = Need("admin", "write")
"""What a view needs that forgot to say."""


def needs(
    scope: Scope | Literal["anyone"], kind: Kind | None = None, *, for_all: bool = False
) -> Callable[[F], F]:
    """Say which scope a view needs, and with which kind of requests its calls are counted.

    `for_all` refuses tokens that are for one game: for what makes games, or takes out many.

    `anyone`: not even looked at who asks, for what tells nothing of any game. `games:read`: everybody may
    call it, and a view must show whoever asks only what `api.access` lets him see.
    """
    need = Need(None, kind) if scope == "anyone" else Need(scope, kind or _KIND_OF[scope], for_all)

    def note(view: F) -> F:
        view.needs = need  # type: ignore[attr-defined]
        return view

    return note


def need_of(view: object) -> Need | None:
    """Return what a view has declared, None if it forgot to."""
    found = getattr(view, "needs", None)
    return found if isinstance(found, Need) else None
