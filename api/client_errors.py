"""What our HTTP client raises: one tree, made from problem+json.

    ClientError (LanterlogError)
    ├── Unreachable       no answer came, however often it was tried
    └── Problem           the service answered, and the answer is no: status, code, detail, members
        ├── NotThere      no such game, version, deal or address (404)
        ├── NotAllowed    a token or an open table would be needed (401, 403)
        ├── StaleVersion  another append came first; `current` is the version now (409)
        ├── Refused       the table's rules are against it; `violations` say which (422)
        ├── BadOptions    no table can play by these options; `violations` say why (422)
        ├── CommandReused the command id stood for another request (422)
        ├── BadFile       a file that was not taken in; `line` and `reason` (422)
        └── Unavailable   too many requests, or the service or its database is down (429, 5xx)

No message holds a token or a header of the request.
"""

from typing import Any, Final

import msgspec

from api.wire import Judged, RecordAnswer
from events.errors import LanterlogError


class ClientError(LanterlogError):
    """The root of what the client raises."""


class Unreachable(ClientError):
    """No answer came: the last attempt's reason is the cause."""

    def __init__(self, method: str, path: str, tries: int, reason: str) -> None:
        super().__init__(f"{method} {path}: no answer after {tries} attempts: {reason}")
        self.tries = tries


class Problem(ClientError):
    """An answer that is no success; `members` are what the problem holds beside code and detail."""

    def __init__(self, status: int, code: str, detail: str, members: dict[str, Any]) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.members = members

    @property
    def version(self) -> int | None:
        """The version that the answer names, if it names one."""
        found = self.members.get("version")
        return found if isinstance(found, int) else None


class NotThere(Problem):
    """There is no such game, version, deal or address, or none for whoever asks."""


class NotAllowed(Problem):
    """Whoever asks may not do that."""


class StaleVersion(Problem):
    """Another append came first: read on, and decide anew."""

    @property
    def current(self) -> int:
        """The version that the game is at."""
        return self.version or 0


class Judgements(Problem):
    """An answer that says which rules speak against what was asked."""

    @property
    def violations(self) -> list[Judged]:
        """The rules broken, each with its sentence."""
        return msgspec.convert(self.members.get("violations", []), list[Judged])


class Refused(Judgements):
    """A refereed table refuses the act."""

    @property
    def recorded(self) -> RecordAnswer | None:
        """What was put on record all the same: a "Rummy!" that fell."""
        found = self.members.get("recorded")
        if found is None:
            return None
        return msgspec.json.decode(msgspec.json.encode(found), type=RecordAnswer)


class BadOptions(Judgements):
    """No table can play by these options."""


class CommandReused(Problem):
    """The command id stood for another request before."""


class BadFile(Problem):
    """A file of which nothing was taken in."""

    @property
    def line(self) -> int | None:
        """The first bad line."""
        found = self.members.get("line")
        return found if isinstance(found, int) else None


class Unavailable(Problem):
    """The service cannot now: too many requests, or it or its database is down."""


_BY_CODE: Final[dict[str, type[Problem]]] = {
    "stale_version": StaleVersion,
    "rule": Refused,
    "ruleset": BadOptions,
    "command_reused": CommandReused,
    "bad_file": BadFile,
    "altered_log": BadFile,
}
_BY_STATUS: Final[dict[int, type[Problem]]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotThere,
    429: Unavailable,
}


def problem_of(status: int, body: bytes) -> Problem:
    """Return the error for an answer that is no success, also one that no service of ours wrote."""
    try:
        told = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.MsgspecError:
        told = {}
    code, detail = str(told.pop("code", "unknown")), str(told.pop("detail", "no reason given"))
    kind = _BY_CODE.get(code.partition("/")[0]) or _BY_STATUS.get(status)
    if kind is None:
        kind = Unavailable if status >= 500 else Problem
    return kind(status, code, detail, told)
