"""What our HTTP client raises: one tree, made from problem+json.

    ClientError (LanterlogError)
    ├── BadSettings       an address, a token or a request that cannot be sent as it is
    ├── Unreachable       no answer came, however often it was tried
    ├── BadAnswer         an answer came, and is none of this interface: too large, nonsense, a redirect
    ├── CutOff            a stream ended before its trailer; `position` to go on from, if it is known
    └── Problem           the service answered, and the answer is no: status, code, detail, members
        ├── NotThere      no such game, dispute, version, deal, card or address (404)
        ├── NotAllowed    a token or an open table would be needed (401, 403)
        ├── Clash         something else is there already (409)
        │   ├── StaleVersion  another append came first; `current` is the version now
        │   ├── OtherGame     the id that was chosen belongs to another game
        │   └── OtherHead     the game of the file is there and ends otherwise
        ├── Judgements    rules speak against it; `violations` say which (422)
        │   ├── Refused       the table's rules
        │   ├── BadOptions    no table can play by these options
        │   └── NotNow        the dispute as it stands, or who speaks in it
        ├── BadRequest    the request is no good as it was sent (400, 405 to 431, and 422 for what is too much)
        ├── CommandReused the command id stood for another request (422)
        ├── BadFile       a file that was not taken in; `line` and `reason` (422)
        └── Unavailable   too many requests, or the service or its database is down (429, 5xx)
            └── NoStream  games cannot be followed by a stream here, or too many do already

No message holds a token or a header of the request, nor a control character of the answer.
"""

import re
from typing import Any, Final, TypeVar

import msgspec

from api.wire import Judged, RecordAnswer
from events.errors import LanterlogError, as_reason

T = TypeVar("T")


class ClientError(LanterlogError):
    """The root of what the client raises."""


class BadSettings(ClientError):
    """An address, a token or a request that cannot be sent as it is."""


class Unreachable(ClientError):
    """No answer came: the last attempt's reason is the cause."""

    def __init__(self, method: str, path: str, tries: int, reason: str) -> None:
        super().__init__(f"{method} {path}: no answer after {tries} attempts: {printable(reason)}")
        self.method, self.path, self.tries, self.reason = method, path, tries, reason

    def after(self, tries: int) -> "Unreachable":
        """Return the same of an attempt that was not the first."""
        return Unreachable(self.method, self.path, tries, self.reason)


class BadAnswer(ClientError):
    """An answer that no service of this interface gives."""


class CutOff(ClientError):
    """A stream that ended before its trailer, or does not give the hash of its trailer."""

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason)
        self.position = position


class Problem(ClientError):
    """An answer that is no success; `members` are what the problem holds beside code and detail."""

    def __init__(self, status: int, code: str, detail: str, members: dict[str, Any]) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.members = members
        self.retry_after: float | None = None
        """Seconds after which the service says that it is worth another try."""

    @property
    def version(self) -> int | None:
        """The version that the answer names, if it names one."""
        return self._number("version")

    def _number(self, name: str) -> int | None:
        found = self.members.get(name)
        return found if type(found) is int else None


class NotThere(Problem):
    """There is nothing of that kind, or nothing for whoever asks."""


class NotAllowed(Problem):
    """Whoever asks may not do that."""


class Clash(Problem):
    """Something else is there already."""


class StaleVersion(Clash):
    """Another append came first: read on, and decide anew."""

    @property
    def current(self) -> int:
        """The version that the game is at."""
        return self.version or 0


class OtherGame(Clash):
    """The id that was chosen belongs to another game."""


class OtherHead(Clash):
    """The game of the file is there already and ends otherwise."""


class Judgements(Problem):
    """An answer that says which rules speak against what was asked."""

    @property
    def violations(self) -> list[Judged]:
        """The rules broken, each with its sentence if the service made one."""
        told = self.members.get("violations", [])
        if isinstance(told, list):
            told = [{"text": ""} | one if isinstance(one, dict) else one for one in told]
        return decoded(msgspec.json.encode(told), list[Judged])


class Refused(Judgements):
    """A refereed table refuses the act."""

    @property
    def recorded(self) -> RecordAnswer | None:
        """What was put on record all the same: a "Rummy!" that fell."""
        found = self.members.get("recorded")
        if found is None:
            return None
        return decoded(msgspec.json.encode(found), RecordAnswer)


class BadOptions(Judgements):
    """No table can play by these options."""


class NotNow(Judgements):
    """That cannot be done in the dispute as it stands, or not by whoever asks."""


class BadRequest(Problem):
    """The request is no good as it was sent."""


class CommandReused(Problem):
    """The command id stood for another request before."""


class BadFile(Problem):
    """A file of which nothing was taken in."""

    @property
    def line(self) -> int | None:
        """The first bad line."""
        return self._number("line")

    @property
    def reason(self) -> str | None:
        """What is wrong with that line."""
        found = self.members.get("reason")
        return found if isinstance(found, str) else None


class Unavailable(Problem):
    """The service cannot now: too many requests, or it or its database is down."""


class NoStream(Unavailable):
    """Games cannot be followed by a stream here: ask for the events instead."""


_BY_CODE: Final[dict[str, type[Problem]]] = {
    "stale_version": StaleVersion,
    "other_game": OtherGame,
    "other_head": OtherHead,
    "rule": Refused,
    "ruleset": BadOptions,
    "dispute": NotNow,
    "command_reused": CommandReused,
    "too_much": BadRequest,
    "not_storable": BadRequest,
    "bad_file": BadFile,
    "altered_log": BadFile,
    "too_many_streams": NoStream,
    "too_many_own_streams": NoStream,
    "unknown_coding": BadRequest,
}
_BY_STATUS: Final[dict[int, type[Problem]]] = {
    **dict.fromkeys((400, 405, 406, 408, 413, 414, 415, 417, 421, 431), BadRequest),
    401: NotAllowed,
    403: NotAllowed,
    404: NotThere,
    409: Clash,
    429: Unavailable,
}
_CODE: Final = re.compile(r"[a-z_]{1,40}(?:/[A-Z0-9_]{1,60})?")
_LONGEST: Final = 1000
"""Characters of an answer that go into a message."""


def problem_of(status: int, body: bytes) -> Problem:
    """Return the error for an answer that is no success, also one that no service of ours wrote."""
    try:
        told = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        told = {}
    code, detail = told.pop("code", None), told.pop("detail", None)
    if not isinstance(code, str) or _CODE.fullmatch(code) is None:
        code = "unknown"
    if not isinstance(detail, str):
        detail = "no reason given"
    return kind_of(status, code)(status, code, printable(detail), told)


def kind_of(status: int, code: str) -> type[Problem]:
    """Return the class that stands for a code, or for a status whose code is not known."""
    found = _BY_CODE.get(code.partition("/")[0]) or _BY_STATUS.get(status)
    return found or (Unavailable if status >= 500 else Problem)


def printable(text: str) -> str:
    """Return a strange text as it may be shown on a terminal and written into a log."""
    return "".join(c if c.isprintable() else "?" for c in text[:_LONGEST])


def decoded(raw: bytes, kind: type[T]) -> T:
    """Return an answer's JSON as a struct; raise BadAnswer if it is none."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadAnswer(
            f"an answer that is no {_named(kind)}: {printable(as_reason(error))}"
        ) from error


def _named(kind: Any) -> str:
    return getattr(kind, "__name__", None) or str(kind)
