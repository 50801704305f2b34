"""Who asks, and what he may do, know and see: the rules of access, in one place.

Whoever's token has the scope that an address needs is asked after as its bearer; where everybody may read,
anybody else is the public. A token never takes anything away. Pure: knows no request and no database
(docs/decisions/0008-tokens.md).
"""

from collections.abc import Callable
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from api.scopes import Need, Scope
from api.tokens import Token
from events.common import Event, GameOpened, Remarked
from events.errors import RequestError
from events.game import Game
from events.records import Head

NOBODY: Final = UUID(int=0)
"""Who recorded it, where there was no token."""

Sight = int | Literal["public", "all"]


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Whoever sent a request, as far as the address that he asks is concerned.

    `token` is his, if it is good for that; `trusted` if there are no tokens at all, so that the server is
    this machine's own; `open_table` if he is, besides, the table.
    """

    scope: Scope | None = "games:read"
    token: Token | None = None
    trusted: bool = False
    open_table: bool = False

    @property
    def identity(self) -> UUID:
        """Who it is that records."""
        return NOBODY if self.token is None else self.token.token_id

    @property
    def reads_private(self) -> bool:
        """Whether he may read every private game."""
        if self.token is None:
            return self.open_table
        return self.token.game_id is None and self.token.has("games:read")

    @property
    def own_game(self) -> UUID | None:
        """The one game that his token is for, if it is for one."""
        return None if self.token is None else self.token.game_id

    def knows(self, head: Head) -> bool:
        """Tell whether he may know that a game is there."""
        if head.kind != "game":
            return False
        return head.visibility != "private" or self.reads_private or self.own_game == head.game_id

    def lists(self, head: Head) -> bool:
        """Tell whether a list shows him a game."""
        shown = head.visibility == "public" or self.reads_private or self.own_game == head.game_id
        return shown and self.knows(head)

    def sight(self, game_id: UUID) -> Sight:
        """Return who he is at a table while a deal is in play."""
        if self.open_table:
            return "all"
        if self.token is None or not self.token.covers(game_id):
            return "public"
        if "admin" in self.token.scopes:
            return "all"
        return "public" if self.token.seat is None else self.token.seat

    def check_covers(self, game_id: UUID) -> None:
        """Refuse more than reading in a game that the token is not for."""
        if self.scope == "games:read" or self.token is None or self.token.covers(game_id):
            return
        raise not_allowed(f"a token for game {self.token.game_id}, expected one for game {game_id}")

    def check_private(self, what: str) -> None:
        """Refuse what would make a private game that he could not read again."""
        if self.reads_private:
            return
        if self.trusted:
            raise RequestError(
                "open_table_needed", f"{what}: expected a service started with --open-table"
            )
        raise not_allowed(f"{what}: expected a token with games:read, too")

    def check_rules(self, what: str) -> None:
        """Refuse what only an arbiter may do, in every game."""
        token = self.token
        if not self.trusted if token is None else "admin" not in token.scopes:
            raise not_allowed(f"{what}: expected a token with admin", scope="admin")

    def check_acts(self, rules: Game[Any, Any], events: list[Event]) -> None:
        """Refuse, by their shape alone, acts that are not those of the token's own seat."""
        seat = None if self.token is None else self.token.seat
        if seat is None:
            return
        for index, event in enumerate(events):
            if getattr(event, "seat", None) != seat or not is_act(rules, event):
                tag = event.__struct_config__.tag
                reason = f"event {index} ({tag}), expected acts of seat {seat} alone"
                raise not_allowed(reason, index=index)


OWNER: Final = Asker(trusted=True, open_table=True)
"""Who uses the command line, and so the database itself."""


def is_act(rules: Game[Any, Any], event: Event) -> bool:
    """Tell whether an event is something that a player does, and not the dealer, the scorer or the scribe.

    Which cards it may name is not asked here: at a refereed table the referee says so, at a recorded one `api.seated`.
    """
    if isinstance(event, GameOpened):
        return False
    found = rules.not_for_clients(event)
    return isinstance(event, Remarked) or all(one.code == "OUTCOME_NAMED" for one in found)


def verdict(
    need: Need, token: Token | None, game_id: UUID | None, are_tokens: Callable[[], bool]
) -> Literal["yes", "as nobody", "token_needed", "not_allowed"]:
    """Return what comes of asking an address, of that game if it names one.

    Let in, let in as the public, or why not. It says nothing of the game, which is not even looked at;
    whether there are tokens at all is only asked where it matters.
    """
    scope = need.scope
    if scope is None or (token is not None and _is_for(token, need, game_id)):
        return "yes"
    if scope == "games:read":
        return "as nobody"
    if token is not None:
        return "not_allowed"
    return "token_needed" if are_tokens() else "yes"


def _is_for(token: Token, need: Need, game_id: UUID | None) -> bool:
    if need.scope is None or not token.has(need.scope):
        return False
    if need.for_all:
        return token.game_id is None
    return game_id is None or token.covers(game_id)


def not_allowed(reason: str, **members: Any) -> RequestError:
    """Return the refusal of what a token is not good for."""
    return RequestError("not_allowed", reason, **members)
