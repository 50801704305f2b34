"""The words of the commands that make, list and revoke tokens."""

from typing import Any

from api.scopes import SCOPES
from api.usage import words


def token(commands: Any) -> None:
    """Add `lanterlog token`."""
    parent = commands.add_parser(
        "token", help="make, list and revoke tokens: who may do what over HTTP"
    )
    below = parent.add_subparsers(metavar="COMMAND", required=True)
    _create(below)
    _list(below)
    _revoke(below)


def _create(commands: Any) -> None:
    new = words.add(
        commands, "create", "tokens:create", "make a token and print its secret, this once",
        "lanterlog token create scribe --scope games:read --scope games:write",
        "lanterlog token create Ann --scope games:read --scope games:write --game last --seat 0",
        "lanterlog token create arbiter --scope admin --expires 1d",
    )  # fmt: skip
    new.add_argument("name", metavar="NAME", help="whose it is, or what for")
    new.add_argument(
        "--scope", action="append", required=True, choices=SCOPES, dest="scopes",
        help="what it is good for; may be given several times",
    )  # fmt: skip
    new.add_argument("--game", metavar="GAME", help=f"only for {words.GAME}")
    new.add_argument(
        "--seat", type=words.seat, metavar="N", help="only for this seat of the game, 0 to 7"
    )
    new.add_argument("--expires", metavar="SPAN", help="30d, 12h or 45m (default: when revoked)")
    words.as_json(new)


def _list(commands: Any) -> None:
    new = words.add(
        commands, "list", "tokens:list_tokens", "list the tokens, with when each was last used",
        "lanterlog token list",
    )  # fmt: skip
    words.as_json(new)


def _revoke(commands: Any) -> None:
    new = words.add(
        commands, "revoke", "tokens:revoke", "end a token, at once and for good",
        "lanterlog token revoke 0197",
    )  # fmt: skip
    new.add_argument("token", metavar="ID", help="its id, or the beginning of it")
