"""What to do about each code that an error can have, for clients; and docs/problems.md, the table of all of them.

`python -m api.remedies > docs/problems.md` writes the page; a test holds it to the code.
"""

import sys
from collections.abc import Iterator
from typing import Final

from api.problems import CODES

REMEDIES: Final[dict[str, str]] = {
    "bad_request": "Send what HTTP/1.1 is: most often a header or a length is broken.",
    "bad_json": "Send one JSON value in UTF-8, no key twice, no NaN, no number of thousands of digits.",
    "bad_body": "Mend the field that `detail` names; `/openapi.json` has the shape.",
    "bad_event": "Write the event `index` with every field of its shape, as `detail` shows it.",
    "bad_query": "Mend the parameter that `detail` names, or leave it out.",
    "bad_cursor": "Begin at the first page; send `next` unchanged, to the same list in the same order.",
    "token_in_url": "Revoke the token, make another, send it in the header `Authorization`.",
    "bad_idempotency_key": "Send 1 to 200 visible ASCII characters without a comma, once: a UUID does.",
    "expected_version_missing": "Send the version that you saw as `expected_version`.",
    "token_needed": "Send `Authorization: Bearer ll_...`.",
    "bad_token": "Send a token that holds, or none for what is public.",
    "not_allowed": "Use a token with the scope, or for the game and seat, that `detail` names.",
    "other_origin": "Write from a program, or from this service's own pages.",
    "open_table_needed": "Use a seat's token, or let the service run as an open table.",
    "not_found": "Look the address up in `/openapi.json`; ids have hyphens and no braces.",
    "unknown_game": "Check the id; a private game needs a token that may read it.",
    "unknown_dispute": "Check the id; it follows its game in who may see it.",
    "unknown_version": "Ask for 1 to `version`; after a restore begin again there.",
    "unknown_deal": "Ask for a deal that `/deals` lists.",
    "unknown_card": "Write rank and suit, `7H`, `TD`, `7H'` for the second pack, `X1` for a joker.",
    "method_not_allowed": "Use a method that the header `Allow` names.",
    "not_acceptable": "Accept a type that `detail` names, or send no `Accept`.",
    "too_slow": "Send it again, faster; what did not come whole was not looked at.",
    "stale_version": "Read what is new up to `version`, then decide again; without a change of mind send it with that version.",
    "other_game": "Choose another `game_id`: this one was opened with other seats or rules.",
    "other_head": "Keep both: compare the file with the game here; one of the two was continued or altered.",
    "game_full": "Open another game.",
    "body_too_large": "Send less at once: events in several commands, an archive in several files.",
    "address_too_long": "Shorten the parameters.",
    "wrong_media_type": "Send the type that `detail` names, in UTF-8, not compressed.",
    "expectation_failed": "Leave the header `Expect` out.",
    "wrong_host": "Ask by a loopback name, or have this name put into `LANTERLOG_HOSTS`.",
    "rule": "Choose another act: `violations` say all that speaks against this one, `/legal` what may be done.",
    "dispute": "Look at `standing` and at whose turn it is in the dispute; `violations` say what is in the way.",
    "ruleset": "Change the options that `violations` name.",
    "command_reused": "Take a new key for every command; the old one keeps its first answer.",
    "too_much": "Narrow it: one game, one player, a shorter time.",
    "not_storable": "Leave out what `detail` names, such as a NUL in a text.",
    "bad_file": "Mend the line `line`, for the reason in `reason`; `?check=1` tries without storing.",
    "altered_log": "Get the file from where it was written: the chain breaks at `version`.",
    "too_many_requests": "Wait as many seconds as `Retry-After` says; `RateLimit-*` tells before it comes to that.",
    "too_many_connections": "Close connections that are not needed, or keep one and ask over it.",
    "too_many_own_streams": "End a stream of yours, or ask for `/events?after=` now and then.",
    "headers_too_large": "Send fewer or shorter headers.",
    "internal_error": "Tell whoever runs the service the request id; asking again may do.",
    "unknown_coding": "Send the body chunked or with a length, in no other coding.",
    "too_many_streams": "Ask for `/events?after=` now and then, or try again after `Retry-After`.",
    "too_many_at_once": "Try again after `Retry-After` seconds.",
    "store_busy": "Send the same again after `Retry-After` seconds.",
    "connection_lost": "Send the same again with the same `Idempotency-Key`: it is done once, however often it comes.",
    "store_unavailable": "Try again after `Retry-After` seconds; nothing was stored.",
    "not_ready": "Look at `checks`: each names what is missing.",
}  # fmt: skip

_HEAD: Final = """\
# What can be wrong

Made by `python -m api.remedies > docs/problems.md` from what the program can answer; `GET /v1/problems` gives the same to
programs, and [the HTTP interface](http.md) says how errors look. `rule`, `ruleset` and `dispute` are families: the code
goes on with the first rule broken, `rule/NOT_YOUR_TURN`, and `violations` lists all of them with their sentences. A code never changes
its meaning; new ones may come, so a program goes by the status where it does not know the code.

| code | status | meaning | what to do |
|---|---|---|---|"""


def page() -> str:
    """Return docs/problems.md."""
    return "\n".join([_HEAD, *_rows(), ""])


def _rows() -> Iterator[str]:
    for code, (status, title) in CODES.items():
        yield f"| `{code}` | {status} | {title} | {REMEDIES[code]} |"


def main() -> None:
    """Print the page."""
    sys.stdout.write(page())


if __name__ == "__main__":
    main()
