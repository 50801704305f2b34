"""What every part of the client asks with: an address, a struct that the answer is, pages one after the other."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar
from uuid import UUID, uuid4

import msgspec

from api.client_errors import BadAnswer, decoded
from api.client_wire import Query, Retries, Wire

T = TypeVar("T")
P = TypeVar("P")

JSON: Final = "application/json"
ONCE: Final = Retries(attempts=1)
PAGE: Final = 100
"""Rows of a page of a list, as many as there may be."""


class Asking:
    """Part of a client; all parts of one share its wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def _raw(
        self,
        path: str,
        query: Query | None = None,
        *,
        accept: str = JSON,
        retries: Retries | None = None,
    ) -> bytes:
        return self._wire.ask("GET", path, query=query, headers={"Accept": accept}, retries=retries)

    def _get(self, path: str, kind: type[T], query: Query | None = None) -> T:
        return decoded(self._raw(path, query), kind)

    def _post(
        self, path: str, asked: msgspec.Struct, kind: type[T], query: Query | None = None
    ) -> T:
        """Ask for something that changes nothing, or not more if it is asked twice."""
        return self._sent(path, asked, kind, query, {})

    def _command(
        self,
        path: str,
        asked: msgspec.Struct,
        kind: type[T],
        command_id: UUID | None,
        query: Query | None = None,
    ) -> T:
        """Have something done once, however often it has to be sent."""
        key = {"Idempotency-Key": str(command_id or uuid4())}
        return self._sent(path, asked, kind, query, key)

    def _pages(
        self,
        path: str,
        kind: type[P],
        query: Query,
        rows: Callable[[P], tuple[Sequence[T], str | None]],
    ) -> Iterator[T]:
        """Yield the rows of all pages, asking for one when it is needed; *rows* gives a page's, and its cursor."""
        cursor: str | None = None
        while True:
            page = self._get(path, kind, {**query, "cursor": cursor, "limit": PAGE})
            found, following = rows(page)
            yield from found
            if following is None:
                return
            if not found or following == cursor:
                raise BadAnswer(f"a page of {path} that leads nowhere, expected rows and a cursor")
            cursor = following

    def _sent(
        self,
        path: str,
        asked: msgspec.Struct,
        kind: type[T],
        query: Query | None,
        headers: dict[str, str],
    ) -> T:
        raw = self._wire.ask(
            "POST",
            path,
            query=query,
            body=msgspec.json.encode(asked),
            headers={"Content-Type": JSON, "Accept": JSON, **headers},
        )
        return decoded(raw, kind)


def switch(value: bool | None) -> str | None:
    """Return a yes or no as an address has it."""
    return None if value is None else str(value).lower()
