"""A table as a client of the HTTP interface has it: opens games, records acts, looks at what comes back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import msgspec

# Flask types an answer's JSON as perhaps none, which every line of every test would have to deny.
Client: TypeAlias = Any
Answer: TypeAlias = Any

DATA = Path(__file__).parents[1] / "data"
CORPUS = DATA / "rummy500-engine-b.ndjson"

FACTS: list[dict[str, Any]] = [
    {"t": "shuffled", "v": 1, "deal": 1, "dealer": 0, "method": "by hand", "deck": ["??"] * 54},
    {"t": "dealt", "v": 1, "seat": 1, "cards": ["AS", "2S", "3S", *["??"] * 10]},
    {"t": "dealt", "v": 1, "seat": 0, "cards": ["KH", "KD", *["??"] * 11]},
    {"t": "upcard_turned", "v": 1, "card": "5H"},
]
"""The beginning of a recorded game whose scribe knows a few cards of each hand."""


class Table:
    """One game and its client."""

    def __init__(self, client: Client, game_id: str, version: int) -> None:
        self.client = client
        self.game_id = game_id
        self.version = version

    @classmethod
    def opened(cls, client: Client, **asked: object) -> "Table":
        """Open a game for two, refereed unless told otherwise."""
        answer = post(client, "/v1/games", {"seats": ["Ann", "Bob"]} | asked)
        assert answer.status_code == 201, answer.text
        return cls(client, answer.json["game_id"], answer.json["version"])

    @classmethod
    def recorded(cls, client: Client) -> "Table":
        """Open a recorded game and write down its first deal."""
        table = cls.opened(client, mode="recorded")
        assert table.record(*FACTS).status_code == 201
        return table

    def path(self, rest: str = "") -> str:
        return f"/v1/games/{self.game_id}{rest}"

    def get(self, rest: str = "", **headers: str) -> Answer:
        return self.client.get(self.path(rest), headers=headers)

    def record(
        self,
        *events: Mapping[str, Any],
        query: str = "",
        key: str | None = None,
        **more: object,
    ) -> Answer:
        """Record events after the version that this table knows of."""
        body = {"events": events, "expected_version": self.version} | more
        headers = {"Idempotency-Key": key or str(uuid4())}
        answer = post(self.client, self.path(f"/events{query}"), body, headers)
        if answer.status_code == 201:
            self.version = answer.json["version"]
        return answer


def post(
    client: Client, path: str, body: object, headers: Mapping[str, str] | None = None
) -> Answer:
    """POST a body as JSON, its keys in the order in which they stand."""
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return client.post(path, data=raw, content_type="application/json", headers=headers)


def send_file(client: Client, data: bytes, query: str = "") -> Answer:
    """POST a file to be imported."""
    return client.post(f"/v1/import{query}", data=data, content_type="application/x-ndjson")


def draw(seat: int) -> dict[str, Any]:
    """A card from the stock, which only the service knows."""
    return {"t": "stock_drawn", "v": 1, "seat": seat, "card": "??"}


def discard(seat: int, card: str) -> dict[str, Any]:
    return {"t": "discarded", "v": 1, "seat": seat, "card": card}
