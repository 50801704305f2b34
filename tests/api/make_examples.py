"""Write api/examples.json: `python -m tests.api.make_examples` sends the requests below to a service of its own."""

from pathlib import Path
from typing import Any

import msgspec

from api.examples import GAME, Example
from tests.api.apps import application
from tests.api.table import FACTS, discard
from tests.postgres import running_cluster

FILE = Path(__file__).parents[2] / "api" / "examples.json"
HERE = f"/v1/games/{GAME}"
DRAWN = {"t": "stock_drawn", "v": 1, "seat": 1, "card": "7C"}
STRANGE = discard(1, "KD")

# Name, method, address, body.
REQUESTS: list[tuple[str, str, str, Any]] = [
    ("a game to be written down", "POST", "/v1/games", {"seats": ["Ann", "Bob"], "mode": "recorded", "game_id": GAME}),
    ("a refereed game", "POST", "/v1/games", {"seats": ["Ann", "Bob", {"name": "Cyd"}], "game_id": GAME[:-1] + "2", "ruleset": {"preset": "seed", "options": {"jokers_per_pack": 0}}}),
    ("a session of Loo", "POST", "/v1/games", {"seats": ["Ann", "Bob", "Cyd"], "game": "lanterloo", "ruleset": "seed", "mode": "recorded", "game_id": GAME[:-1] + "3"}),
    ("the first deal", "POST", f"{HERE}/events", {"expected_version": 1, "events": FACTS}),
    ("only tried", "POST", f"{HERE}/events?dry_run=true", {"expected_version": 5, "events": [DRAWN, STRANGE]}),
    ("a turn", "POST", f"{HERE}/events", {"expected_version": 5, "events": [DRAWN, STRANGE]}),
    ("games", "GET", "/v1/games?limit=1", None),
    ("a game", "GET", HERE, None),
    ("two events", "GET", f"{HERE}/events?after=5&limit=2", None),
    ("the table", "GET", f"{HERE}/state?at=5", None),
    ("one step", "GET", f"{HERE}/frames?from=7&to=7", None),
    ("a card", "GET", f"{HERE}/cards/5H", None),
    ("the course", "GET", f"{HERE}/timeline", None),
    ("some acts", "GET", f"{HERE}/legal?limit=2", None),
    ("an audit", "POST", f"{HERE}/audits", {"deal": 1}),
    ("two rulesets", "POST", f"{HERE}/audits", {"beside": "delboycodes", "calls": True}),
    ("deals", "GET", f"{HERE}/deals", None),
    ("findings", "GET", f"/v1/findings?game_id={GAME}", None),
    ("players", "GET", "/v1/standings?by=points&limit=2", None),
    ("chances", "GET", "/v1/chances?game=rummy500&bias=0.5", None),
    ("nobody", "GET", "/session", None),
    ("alive", "GET", "/healthz", None),
]  # fmt: skip


def sent(client: Any) -> list[Example]:
    """Send all of them, in order, and return them with their answers."""
    found = []
    for name, method, path, body in REQUESTS:
        data = None if body is None else msgspec.json.encode(body)
        answer = client.open(
            path, method=method, data=data, content_type="application/json" if data else None
        )
        endpoint = client.application.url_map.bind("localhost").match(
            path.partition("?")[0], method
        )[0]
        found.append(
            Example(
                name=name, endpoint=endpoint, method=method, path=path, body=body,
                status=answer.status_code, answer=answer.json,
            )
        )  # fmt: skip
    return found


def main() -> None:
    """Send them to a new store, and write what came."""
    with (
        running_cluster("own") as cluster,
        cluster.fresh() as database,
        application(database.config) as app,
    ):
        found = sent(app.test_client())
    lines = b",\n".join(map(msgspec.json.encode, found))
    FILE.write_bytes(b"[\n" + lines + b"\n]\n")


if __name__ == "__main__":
    main()
