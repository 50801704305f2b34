"""Write api/examples.json: `python -m tests.api.make_examples` sends the requests below to a service of its own.

They are sent in their order to a store that holds the shipped games; what takes time elsewhere, such as the
lists, is brought up to date before them.
"""

import re
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec

from api.examples import GAME, JSON, Example
from tests.api import disputing, passes
from tests.api.apps import application
from tests.api.table import FACTS, discard, send_file
from tests.postgres import Database, running_cluster
from tests.projections.store import keep

FILE = Path(__file__).parents[2] / "api" / "examples.json"
HERE = f"/v1/games/{GAME}"
REFEREED = f"/v1/games/{GAME[:-1]}2"
LOO = f"/v1/games/{GAME[:-1]}3"
EVENING = "/v1/games/be4c8fd1-0875-5146-8742-1c714a9b0098"
"""A shipped evening of Lanterloo."""
DISPUTED = f"/v1/games/{disputing.GAME}"
NOWHERE = f"/v1/games/{GAME[:-1]}f"
DRAWN = {"t": "stock_drawn", "v": 1, "seat": 1, "card": "7C"}
STRANGE = discard(1, "KD")
LOO_DEAL: Final = [
    {"t": "shuffled", "v": 1, "deal": 1, "dealer": 2, "method": "by hand", "deck": ["??"] * 52},
    {"t": "ante_paid", "v": 1, "seat": 2, "amount": 3},
    *(
        {"t": "dealt", "v": 1, "seat": seat, "cards": cards.split()}
        for seat, cards in enumerate(("KH 9S 2S", "?? ?? ??", "QH 7D 4C"))
    ),
    {"t": "miss_dealt", "v": 1, "cards": ["??"] * 3},
    {"t": "turn_up", "v": 1, "card": "2H"},
]
STANDS = {"t": "bid", "v": 1, "seat": 0, "choice": "stand", "cards": []}
NOTATION: Final = """\
lanterlog table notation 1
game: rummy500
players: A=Ada, B=Ben, C=Cleo
position 1 dealer C
turn: A
phase: draw
stock: ??*20
pile: 6D 4S QH 4D AC 7S
hand A: 2C 4H 5D 8S JC KD KS
hand B: 3S
hand C: 3D
A take 4S
A meld G 4S 4H 4D
A discard 2C
"""
PLAIN, LINES = "text/plain", "application/x-ndjson"
TOKEN = "ll_" + "0" * 43
"""What a secret is shown as."""
NO_GAME = {"game": "bridge"}

Asked = tuple[str, str, str, Any]

# Name, method, address, body.
GAMES: list[Asked] = [
    ("a game to be written down", "POST", "/v1/games", {"seats": ["Ann", "Bob"], "mode": "recorded", "game_id": GAME}),
    ("a refereed game", "POST", "/v1/games", {"seats": ["Ann", "Bob", {"name": "Cyd"}], "game_id": GAME[:-1] + "2", "ruleset": {"preset": "seed", "options": {"jokers_per_pack": 0}}}),
    ("a session of Loo", "POST", "/v1/games", {"seats": ["Ann", "Bob", "Cyd"], "game": "lanterloo", "ruleset": "seed-loo3", "mode": "recorded", "first_dealer": None, "game_id": GAME[:-1] + "3"}),
    ("a game that nobody plays here", "POST", "/v1/games", {"seats": ["Ann", "Bob"], "game": "bridge"}),
    ("an id that is taken", "POST", "/v1/games", {"seats": ["Ann", "Dan"], "mode": "recorded", "game_id": GAME}),
    ("options that contradict", "POST", "/v1/games", {"seats": ["Ann", "Bob"], "ruleset": {"preset": "seed", "options": {"run_two_aces": True, "runs": "around_corner"}}}),
    ("the first deal", "POST", f"{HERE}/events", {"expected_version": 1, "events": FACTS}),
    ("a deal of Loo", "POST", f"{LOO}/events", {"expected_version": 1, "events": LOO_DEAL}),
    ("only tried", "POST", f"{HERE}/events?dry_run=true", {"expected_version": 5, "events": [DRAWN, STRANGE]}),
    ("a turn", "POST", f"{HERE}/events", {"expected_version": 5, "events": [DRAWN, STRANGE]}),
    ("a bid", "POST", f"{LOO}/events", {"expected_version": 8, "events": [STANDS]}),
    ("after somebody else", "POST", f"{HERE}/events", {"expected_version": 5, "events": [DRAWN]}),
    ("without what was seen", "POST", f"{HERE}/events", {"events": [DRAWN]}),
    ("a field too few", "POST", f"{HERE}/events", {"expected_version": 7, "events": [{"t": "stock_drawn", "v": 1, "seat": 1}]}),
    ("out of turn", "POST", f"{REFEREED}/events", {"expected_version": 6, "events": [{"t": "stock_drawn", "v": 1, "seat": 0, "card": "??"}]}),
]  # fmt: skip
READ: list[Asked] = [
    ("games", "GET", "/v1/games?limit=1", None),
    ("games of Loo", "GET", "/v1/games?game=lanterloo&status=ended", None),
    ("a cursor of one's own", "GET", "/v1/games?cursor=abc", None),
    ("a game", "GET", HERE, None),
    ("a game with its scores", "GET", f"{DISPUTED}?scores=true", None),
    ("two events", "GET", f"{HERE}/events?after=5&limit=2", None),
    ("two lines", "GET", f"{HERE}/events?after=5&limit=2", LINES),
    ("the table", "GET", f"{HERE}/state?at=5", None),
    ("a table of Loo", "GET", f"{LOO}/state", None),
    ("a version to come", "GET", f"{HERE}/state?at=99", None),
    ("one step", "GET", f"{HERE}/frames?from=7&to=7", None),
    ("a step of Loo", "GET", f"{EVENING}/frames?from=22&to=22", None),
    ("a stretch to come", "GET", f"{HERE}/frames?from=90", None),
    ("a card", "GET", f"{HERE}/cards/5H", None),
    ("a card that there is not", "GET", f"{HERE}/cards/1H", None),
    ("the course", "GET", f"{HERE}/timeline", None),
    ("the course of Loo", "GET", f"{LOO}/timeline", None),
    ("some acts", "GET", f"{HERE}/legal?limit=2", None),
    ("acts of Loo", "GET", f"{EVENING}/legal?at=21&limit=2", None),
    ("followed", "GET", f"{HERE}/stream?after=5", None),
    ("an audit", "POST", f"{HERE}/audits", {"deal": 1}),
    ("two rulesets", "POST", f"{HERE}/audits", {"beside": "delboycodes", "calls": True}),
    ("an audit of Loo", "POST", f"{EVENING}/audits", {}),
    ("a deal that there is not", "POST", f"{HERE}/audits", {"deal": 7}),
    ("a report", "GET", f"{HERE}/report", None),
    ("a report of a range of Loo", "GET", f"{EVENING}/report?from=230&to=236", None),
    ("a report of no deal", "GET", f"{HERE}/report?deal=7", None),
    ("deals", "GET", f"{EVENING}/deals?limit=2", None),
    ("findings", "GET", f"/v1/findings?game_id={EVENING[-36:]}", None),
    ("players", "GET", "/v1/standings?game=rummy500&by=points&limit=2", None),
    ("players of Loo", "GET", "/v1/standings?game=lanterloo&by=chips&limit=1", None),
    ("chances", "GET", "/v1/chances?game=rummy500&bias=0.5", None),
    ("chances of no game", "GET", f"/v1/chances?game_id={NOWHERE[-36:]}", None),
    *((f"nothing at {end}", "GET", f"{NOWHERE}{end}", None) for end in ("", "/events", "/timeline", "/legal", "/stream", "/deals", "/disputes", "/export.ndjson", "/export.txt", "/export.csv", "/export.html")),
    *((f"no list at {path}", "GET", f"/v1/{path}?page=2", None) for path in ("disputes", "findings", "standings", "problems")),
]  # fmt: skip
DISPUTES: list[Asked] = [
    ("a claim", "POST", f"{DISPUTED}/disputes", disputing.CLAIM),
    ("a claim about what is not there", "POST", f"{DISPUTED}/disputes", disputing.CLAIM | {"versions": [999]}),
    ("evidence", "POST", "DISPUTE/events", {"expected_version": 1, "act": {"do": "link", "version": 105, "text": "Here it was taken."}}),
    ("a statement", "POST", "DISPUTE/events", {"expected_version": 2, "act": {"do": "say", "seat": 1, "text": "I thought the pile was free."}}),
    ("a ruling", "POST", "DISPUTE/events", {"expected_version": 3, "act": disputing.RULING}),
    ("an appeal", "POST", "DISPUTE/events", {"expected_version": 4, "act": {"do": "appeal", "seat": 0, "text": "The melds after it count, too."}}),
    ("the appeal decided", "POST", "DISPUTE/events", {"expected_version": 5, "act": disputing.DECISION}),
    ("words to find it by", "POST", "DISPUTE/events", {"expected_version": 6, "act": {"do": "tag", "tags": ["deep-card"]}}),
    ("after another", "POST", "DISPUTE/events", {"expected_version": 2, "act": {"do": "say", "seat": 1, "text": "Once more."}}),
    ("once it is decided", "POST", "DISPUTE/events", {"expected_version": 7, "act": {"do": "withdraw", "seat": 0}}),
    ("a claim at Loo", "POST", f"{EVENING}/disputes", {"seat": 4, "versions": [234], "claim": "He could have headed the trick with the queen.", "rules": ["L-8.4"]}),
    ("a claim that is taken back", "POST", "DISPUTE/events", {"expected_version": 1, "act": {"do": "withdraw", "seat": 4}}),
    ("a dispute", "GET", "DISPUTE", None),
    ("no dispute", "GET", f"/v1/disputes/{NOWHERE[-36:]}", None),
    ("disputes of a game", "GET", f"{DISPUTED}/disputes", None),
    ("decisions", "GET", "/v1/disputes?rule=R-6.7&limit=1", None),
]  # fmt: skip
FILES: list[Asked] = [
    ("the log", "GET", f"{HERE}/export.ndjson", None),
    ("table notation", "GET", f"{HERE}/export.txt", None),
    ("events as a table", "GET", f"{HERE}/export.csv", None),
    ("a stretch of the archive", "GET", f"/v1/export?game={GAME}", None),
    ("a stretch as a table", "GET", f"/v1/export?format=csv&table=deals&game={EVENING[-36:]}", None),
    ("a stretch as notation", "GET", f"/v1/export?format=txt&game={GAME}", None),
    ("a stretch that ends before it begins", "GET", "/v1/export?since=9&until=3", None),
    ("a file that is only looked at", "POST", "/v1/import?check=true", NOTATION),
    ("a file", "POST", "/v1/import", NOTATION),
    ("a file of nothing known", "POST", "/v1/import", "hello"),
    ("nobody", "GET", "/session", None),
    ("somebody whom nobody knows", "POST", "/session", {"token": TOKEN[:-1] + "1"}),
    ("alive", "GET", "/healthz", None),
    ("ready", "GET", "/readyz", None),
    ("problems", "GET", "/v1/problems", None),
    ("figures", "GET", "/metrics", None),
    ("somebody", "POST", "/session", {"token": TOKEN}),
    ("the end of a session", "DELETE", "/session", None),
    *((f"no picture at {path}", "GET", path, "image/png") for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/session")),
    ("no body at /session", "DELETE", "/session", "https://evil.example"),
]  # fmt: skip
REQUESTS = [*GAMES, *READ, *DISPUTES, *FILES]


def sent(database: Database, app: Any) -> list[Example]:
    """Send all of them, in order, and return them with their answers."""
    client = app.test_client()
    for name in ("delboycodes-three-games.ndjson", "evening-of-loo.txt"):
        data = files("events.samples").joinpath(name).read_bytes()
        assert send_file(client, data).status_code == 201
    found: list[Example] = []
    for name, method, path, given in REQUESTS:
        if name in (READ[0][0], FILES[0][0]):
            keep(database)
        found.append(_sent(database, client, found, (name, method, path, given)))
    return found


def _sent(database: Database, client: Any, before: list[Example], asked: Asked) -> Example:
    name, method, path, given = asked
    if path.startswith("DISPUTE"):
        opened = [
            one for one in before if one.endpoint == "disputes.open_dispute" and one.status == 201
        ]
        path = path.replace("DISPUTE", f"/v1/disputes/{opened[-1].answer['dispute']['dispute_id']}")
    headers, body, kind = _request(method, given)
    secret = passes.made(database, "games:read").secret if body == {"token": TOKEN} else ""
    data = body.encode() if isinstance(body, str) else msgspec.json.encode(body)
    answer = client.open(
        path, method=method, data=None if body is None else data.replace(TOKEN.encode(), secret.encode() or TOKEN.encode()),
        headers=headers, content_type=None if body is None else kind,
    )  # fmt: skip
    endpoint = client.application.url_map.bind("localhost").match(path.partition("?")[0], method)[0]
    text = _text(answer, endpoint)
    is_json = answer.mimetype.endswith("json") and answer.mimetype != LINES
    return Example(
        name=name, endpoint=endpoint, method=method, path=path, headers=headers, body=body, sends=kind,
        status=answer.status_code, answer=(answer.json if is_json else text) or None,
        gives=JSON if is_json or not text else answer.mimetype,
    )  # fmt: skip


def _request(method: str, given: Any) -> tuple[dict[str, str], Any, str]:
    """Return the headers, the body and its type; what a GET is given is the type that it accepts."""
    if method == "GET":
        return {} if given is None else {"Accept": given}, None, JSON
    if method == "DELETE":
        return {} if given is None else {"Origin": given}, None, JSON
    return {}, given, PLAIN if isinstance(given, str) else JSON


def _text(answer: Any, endpoint: str) -> str:
    """Return a text, of a stream that goes on only its beginning."""
    if endpoint == "streams.follow" and answer.status_code == 200:
        try:
            return b"".join(islice(answer.response, 3)).decode()
        finally:
            answer.close()
    return str(answer.text)


def told(example: Example) -> bytes:
    """Return an answer without what is made up anew each time."""
    from tests.api.twins import masked

    answer = example.answer
    text = masked(answer.encode() if isinstance(answer, str) else msgspec.json.encode(answer))
    return re.sub(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", b"<id>", text)


def main() -> None:
    """Send them to a new store, and write what came."""
    with (
        running_cluster("own") as cluster,
        cluster.fresh() as database,
        application(database.config) as app,
    ):
        found = sent(database, app)
    lines = b",\n".join(map(msgspec.json.encode, found))
    FILE.write_bytes(b"[\n" + lines + b"\n]\n")


if __name__ == "__main__":
    main()
