"""An answer as it comes: its bytes, unpacked here, and never more of them than whoever asks can hold.

What is on the other side may be anything: an answer without an end, one that grows a thousandfold when it is
unpacked, one that comes a byte a minute. Each of these ends as a BadAnswer. Sends nothing, retries nothing.
"""

import socket
import time
import zlib
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Final, cast

import httpx
import msgspec

from api.client_errors import BadAnswer, Problem, Unreachable, printable, problem_of

CODINGS: Final = "gzip"
"""What an answer may be packed with; anything else is refused, since it can grow without measure at one go."""
_PIECE: Final = 64 * 1024
_OF_A_PROBLEM: Final = 256 * 1024


class Bounds(msgspec.Struct, frozen=True):
    """How much is taken: bytes of an answer that is held whole, and of a line of one that is not; seconds until
    one that is held whole is there.
    """

    answer: int = 64 * 1024 * 1024
    line: int = 1024 * 1024
    seconds: float = 300.0


class Answer:
    """One answer, to be closed; a context manager."""

    def __init__(
        self,
        response: httpx.Response,
        bounds: Bounds,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._response = response
        self.bounds = bounds
        self._clock = clock
        self._until = clock() + bounds.seconds
        self.status = response.status_code

    def __enter__(self) -> "Answer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._response.close()

    @property
    def is_success(self) -> bool:
        """Whether the answer is what was asked for."""
        return self._response.is_success

    @property
    def kind(self) -> str:
        """The media type, without parameters."""
        return self.header("Content-Type").partition(";")[0].strip().lower()

    def header(self, name: str) -> str:
        """Return a header, empty if there is none."""
        found = self._response.headers.get(name, "")
        assert isinstance(found, str)
        return found

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes as they come, none of them empty; each chunk is small, the whole without bound.

        Raises Unreachable if the connection is lost, BadAnswer for what cannot be unpacked.
        """
        packed = cast("httpx.SyncByteStream", self._response.stream)
        coding = self.header("Content-Encoding").strip().lower()
        if coding not in {"", "identity", CODINGS}:
            raise BadAnswer(f"an answer packed as {printable(coding)[:40]!r}, expected {CODINGS}")
        try:
            yield from _unpacked(packed) if coding == CODINGS else filter(None, packed)
        except httpx.HTTPError as error:
            raise lost(self._response.request, error) from error

    def whole(self) -> bytes:
        """Return all bytes; raise BadAnswer if they are too many, or too long in coming."""
        return self._all(self.bounds.answer)

    def problem(self) -> Problem:
        """Return the error that an answer is which is no success; raise BadAnswer if it leads elsewhere."""
        if 300 <= self.status < 400:
            where = printable(self.header("Location"))[:200]
            raise BadAnswer(
                f"{self.status} to {where!r}, which is not followed: expected an answer"
            )
        return problem_of(self.status, self._all(_OF_A_PROBLEM))

    def hang_up(self) -> None:
        """End the connection under whoever reads in another thread, who then gets a lost connection."""
        stream = self._response.extensions.get("network_stream")
        found = None if stream is None else stream.get_extra_info("socket")
        if isinstance(found, socket.socket):
            try:
                found.shutdown(socket.SHUT_RDWR)
            except OSError:  # it has gone already
                return

    def _all(self, most: int) -> bytes:
        found = bytearray()
        for chunk in self.chunks():
            found += chunk
            if len(found) > most:
                raise BadAnswer(f"an answer of more than {most} bytes, expected a smaller one")
            if self._clock() > self._until:
                limit = self.bounds.seconds
                raise BadAnswer(f"an answer not whole after {limit:g} seconds, expected it sooner")
        return bytes(found)


def lost(request: httpx.Request, error: Exception) -> Unreachable:
    """Return the error for a connection that was lost, or did not come about."""
    return Unreachable(request.method, request.url.path, 1, str(error) or type(error).__name__)


def _unpacked(packed: httpx.SyncByteStream) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        for chunk in packed:
            waiting = chunk
            is_more = True
            while is_more and not unpacker.eof:
                found = unpacker.decompress(waiting, _PIECE)
                waiting = unpacker.unconsumed_tail
                is_more = bool(waiting) or len(found) == _PIECE
                if found:
                    yield found
            if unpacker.unused_data or (unpacker.eof and waiting):
                raise BadAnswer("bytes behind a packed answer, expected its end")
    except zlib.error as error:
        raise BadAnswer(f"an answer that cannot be unpacked: {error}") from error
    if not unpacker.eof:
        raise httpx.RemoteProtocolError("a packed answer that was cut off")
