"""A disputed game as a client of the HTTP interface has it: the shipped game with breaches, and acts about it."""

from importlib.resources import files
from typing import Any

from tests.api.table import Answer, Client, post, send_file

SAMPLE = files("events.samples").joinpath("delboycodes-three-games.ndjson").read_bytes()
GAME = "3a22c177-e3cc-5d99-b7ae-3e463fc1ac9d"
"""Four deals between two; seat 1 took a card that could not be melded at version 105, in deal 3, and won by 561."""

CLAIM: dict[str, Any] = {
    "seat": 0,
    "versions": [105, 107],
    "claim": "P2 took TD and never melded it; his gain in deal 3 is to go.",
    "rules": ["R-6.7", "V-3a"],
    "demanded": [{"deal": 3, "seat": 1, "points": -85}],
}
RULING: dict[str, Any] = {
    "do": "rule",
    "decision": "partly",
    "text": "The deep card had to be melded at once. Sixty points came of it, no more.",
    "facts": [{"version": 105, "code": "DEEP_CARD_UNMELDABLE"}],
    "rules": ["R-6.7"],
    "adjustments": [{"deal": 3, "seat": 1, "points": -60}],
}
DECISION: dict[str, Any] = {
    "do": "decide",
    "outcome": "changed",
    "decision": "upheld",
    "text": "All that was melded after version 105 rests on the taken pile.",
    "rules": ["R-6.7", "V-3a"],
    "adjustments": [{"deal": 3, "seat": 1, "points": -85}],
}


class Case:
    """One dispute and its client."""

    def __init__(self, client: Client, dispute_id: str, version: int) -> None:
        self.client = client
        self.dispute_id = dispute_id
        self.version = version

    @classmethod
    def opened(cls, client: Client, game: str = GAME, **changes: object) -> "Case":
        answer = post(client, f"/v1/games/{game}/disputes", CLAIM | changes)
        assert answer.status_code == 201, answer.text
        return cls(client, answer.json["dispute"]["dispute_id"], answer.json["version"])

    def act(
        self, act: dict[str, Any], client: Client = None, headers: Any = None, **more: object
    ) -> Answer:
        """Do one act after the version that this case knows of."""
        body = {"act": act, "expected_version": self.version} | more
        path = f"/v1/disputes/{self.dispute_id}/events"
        answer = post(client or self.client, path, body, headers)
        if answer.status_code == 201:
            self.version = answer.json["version"]
        return answer

    def shown(self, client: Client = None) -> Any:
        return (client or self.client).get(f"/v1/disputes/{self.dispute_id}").json


def imported(client: Client) -> Client:
    """Bring the shipped games in."""
    assert send_file(client, SAMPLE).status_code == 201
    return client


def scores(client: Client, game: str = GAME) -> Any:
    return client.get(f"/v1/games/{game}?scores=1").json["scores"]


def bodies(shown: Any) -> list[Any]:
    return [line["event"] for line in shown["events"]]
