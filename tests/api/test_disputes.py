"""Disputes over HTTP: opened, argued, ruled and appealed, found again, and the scores that follow the ruling."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest

from api import db
from api.scopes import Scope
from api.wire import encode
from events import store
from events.chain import event_hash, inner_hash, text_hash
from events.disputing import MOST_DISPUTES, MOST_SAID
from events.formats.ndjson_lines import microseconds_of
from tests.api import passes
from tests.api.conftest import MakeApp
from tests.api.disputing import CLAIM, DECISION, GAME, RULING, Case, bodies, imported, scores
from tests.api.passes import Bearer
from tests.api.table import Client, Table, post
from tests.postgres import Database

pytestmark = [pytest.mark.store, pytest.mark.http]

APPEAL = {"do": "appeal", "seat": 0, "text": "Eighty-five points came of it."}


@pytest.fixture
def games(client: Client) -> Client:
    return imported(client)


def ruled(client: Client) -> Case:
    case = Case.opened(client)
    assert case.act(RULING).status_code == 201
    return case


def test_a_dispute_goes_from_its_claim_to_the_decision_on_appeal(games: Client):
    case = Case.opened(games)
    assert case.shown()["standing"] == "open"
    assert scores(games)["ruled"] == [173, 561]
    for act in (
        {"do": "say", "seat": 1, "text": "Nobody objected."},
        {"do": "link", "seat": 0, "version": 107},
        {"do": "link", "game_id": GAME, "version": 2, "text": "So it was dealt."},
        {"do": "link", "report": sha256(b"report").hexdigest()},
        RULING,
    ):
        assert case.act(act).status_code == 201
    assert case.shown()["standing"] == "ruled"
    assert scores(games)["ruled"] == [173, 501]
    assert case.act(APPEAL).json["dispute"]["standing"] == "appealed"
    assert scores(games)["ruled"] == [173, 501]
    assert case.act(DECISION).json["dispute"]["standing"] == "final"
    assert case.act({"do": "tag", "tags": ["deep-card"]}).status_code == 201
    assert case.version == 9
    assert scores(games) == {
        "played": [173, 561],
        "ruled": [173, 476],
        "adjusted": [0, -85],
        "winner_played": 1,
        "winner_ruled": None,
        "deals": [
            {"deal": 1, "version": 59, "played": [27, 142], "ruled": [27, 142]},
            {"deal": 2, "version": 98, "played": [41, 82], "ruled": [41, 82]},
            {"deal": 3, "version": 149, "played": [67, 85], "ruled": [67, 0]},
            {"deal": 4, "version": 235, "played": [38, 252], "ruled": [38, 252]},
        ],
        "disputes": [case.dispute_id],
    }


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "Disputed at 105 107: ruled on (dispute {id})."),
        ("ja", "（105 107手目）：裁定済み（異議{id}）。"),
    ],
)
def test_the_report_says_what_is_disputed(games: Client, lang: str, words: str):
    case = ruled(games)
    expected = words.format(id=case.dispute_id)
    told = games.get(f"/v1/games/{GAME}/report", headers={"Accept-Language": lang})
    assert told.json["record"]["text"][-1].endswith(expected)
    assert expected in games.get(f"/games/{GAME}/report?lang={lang}").text


def test_the_page_tells_a_dispute_from_its_claim_to_its_tags(games: Client):
    case = Case.opened(games)
    page = f"/games/{GAME}?lang="
    assert "demanded: P2, deal 3: -85" in " ".join(games.get(f"{page}en").text.split())
    for act in (
        {"do": "say", "seat": 1, "text": "Nobody objected."},
        {"do": "link", "seat": 0, "version": 107},
        {"do": "link", "game_id": GAME, "version": 2, "text": "So it was dealt."},
        {"do": "link", "report": sha256(b"report").hexdigest()},
        RULING,
        APPEAL,
        DECISION,
        {"do": "tag", "tags": ["deep-card", "pile"]},
    ):
        assert case.act(act).status_code == 201
    english, japanese = (games.get(f"{page}{lang}").text for lang in ("en", "ja"))
    for text in (
        CLAIM["claim"],
        "Nobody objected.",
        RULING["text"],
        APPEAL["text"],
        DECISION["text"],
    ):
        assert text in english
        assert text in japanese
    for words in (
        "opened the dispute",
        "said",
        "pointed to evidence",
        "ruled",
        "decided the appeal",
    ):
        assert f"</b> {words}" in english
    for words in (
        "異議を申し立てました",
        "証拠を示しました",
        "不服申立てを裁定しました",
        "先例にしました",
    ):
        assert words in japanese
    assert f"event 2 of game {GAME}" in english
    assert sha256(b"report").hexdigest() in english
    assert "deep-card, pile" in english
    assert english.count("<b>the arbiter</b>") == 5


def test_nothing_of_the_game_changes(games: Client):
    before = games.get(f"/v1/games/{GAME}").json
    ruled(games)
    assert games.get(f"/v1/games/{GAME}").json == before


def test_what_is_shown_can_be_checked(games: Client):
    shown = ruled(games).shown()
    previous = bytes(32)
    lines = shown["events"]
    assert [line["text"] for line in lines] == [CLAIM["claim"], RULING["text"]]
    for version, line in enumerate(lines, 1):
        # The event's own canonical text is what is shown.
        body, salt = encode(line["event"]), bytes.fromhex(line["salt"])
        at = _microseconds(line["recorded_at"])
        dispute, by = UUID(shown["dispute_id"]), UUID(line["recorded_by"])
        previous = event_hash(dispute, version, previous, at, by, inner_hash(salt, body))
        assert previous.hex() == line["hash"]
    assert previous.hex() == shown["head"]
    assert bodies(shown)[0]["head"] == games.get(f"/v1/games/{GAME}").json["head"]


def test_a_text_lies_beside_the_log_with_its_salt(games: Client, database: Database):
    case = Case.opened(games)
    engine = db.engine(database.config)
    with engine.connect() as conn:
        texts = store.texts(conn, UUID(case.dispute_id))
    engine.dispose()
    assert texts[1].text == CLAIM["claim"]
    event = bodies(case.shown())[0]
    assert event["text"] == text_hash(texts[1].salt, texts[1].text).hex()
    assert CLAIM["claim"] not in str(event)


def test_the_same_key_gets_the_same_answer(games: Client, key: dict[str, str]):
    path = f"/v1/games/{GAME}/disputes"
    first, again = (post(games, path, CLAIM, key) for _ in range(2))
    assert (first.json["repeated"], again.json["repeated"]) == (False, True)
    assert first.json["dispute"] == again.json["dispute"]
    other = post(games, path, CLAIM | {"claim": "Another."}, key)
    assert other.json["code"] == "command_reused"
    case = Case(games, first.json["dispute"]["dispute_id"], 1)
    headers = {"Idempotency-Key": str(uuid4())}
    assert case.act(RULING, headers=headers).json["repeated"] is False
    case.version = 1
    assert case.act(RULING, headers=headers).json["repeated"] is True
    assert len(games.get(path).json["disputes"]) == 1


def test_of_two_arbiters_one_is_told(games: Client, make_app: MakeApp):
    case = Case.opened(games)
    clients = [make_app().test_client() for _ in range(4)]

    def rule(client: Any) -> tuple[int, str]:
        answer = Case(client, case.dispute_id, 1).act(RULING)
        return answer.status_code, answer.json.get("code", "")

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(rule, clients))
    assert answers == [(201, ""), *[(409, "stale_version")] * 3]
    assert [body["t"] for body in bodies(case.shown())] == ["dispute_opened", "ruled"]


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (APPEAL, "dispute/WRONG_STANDING"),
        (RULING | {"adjustments": [{"deal": 9, "seat": 1, "points": 5}]}, "dispute/NO_SUCH_DEAL"),
        (RULING | {"decision": "rejected"}, "dispute/REJECTED_AND_ADJUSTED"),
        ({"do": "say", "seat": 5, "text": "?"}, "dispute/NO_SUCH_SEAT"),
        ({"do": "say", "by": str(uuid4()), "text": "?"}, "dispute/NOT_A_PARTY"),
        ({"do": "withdraw", "seat": 1}, "dispute/NOT_THE_OPENER"),
        ({"do": "link"}, "bad_body"),
        ({"do": "link", "version": 0}, "bad_body"),
        ({"do": "link", "version": 999}, "dispute/NO_SUCH_VERSION"),
        ({"do": "link", "game_id": str(uuid4())}, "unknown_game"),
        ({"do": "dance"}, "bad_body"),
    ],
)
def test_what_cannot_be_done_is_refused(games: Client, act: dict[str, Any], code: str):
    case = Case.opened(games)
    answer = case.act(act)
    assert answer.json["code"] == code
    assert case.shown()["version"] == 1


def test_a_refusal_names_its_rule(games: Client):
    answer = ruled(games).act(RULING)
    assert answer.status_code == 422
    assert answer.json["rule"] == "P-2"
    assert answer.json["detail"] == "WRONG_STANDING (P-2): ruled, expected open"


def test_an_appeal_that_is_lost_leaves_the_ruling(games: Client):
    case = ruled(games)
    case.act(APPEAL)
    lost = {"do": "decide", "outcome": "upheld", "text": "Sixty it is."}
    assert case.act(lost | {"decision": "rejected"}).json["code"] == "bad_body"
    decision = case.act(lost).json["dispute"]["decision"]
    assert (decision["on_appeal"], decision["adjustments"]) == (True, RULING["adjustments"])


def test_a_withdrawn_dispute_changes_nothing(games: Client):
    case = Case.opened(games)
    assert case.act({"do": "withdraw", "text": "We agreed."}).json["dispute"]["standing"] == (
        "withdrawn"
    )
    assert case.act(RULING).json["code"] == "dispute/WRONG_STANDING"
    assert scores(games)["adjusted"] == [0, 0]


def test_several_rulings_add_up(games: Client):
    ruled(games)
    other = Case.opened(games, versions=[64], demanded=[])
    other.act(RULING | {"adjustments": [{"deal": 3, "seat": 1, "points": 10}]})
    assert scores(games)["ruled"] == [173, 511]
    assert scores(games)["deals"][2]["ruled"] == [67, 35]


FOUND = {
    "rule=R-6.7": True,
    "rule=V-3a": False,
    "rule=R-6": False,
    "code=DEEP_CARD_UNMELDABLE": True,
    "code=RUN_END": False,
    "words=deep+SIXTY": True,
    "words=deep+eighty": False,
    "words=%25": False,
    "tag=deep-card": True,
    "tag=deep": False,
    "standing=ruled": True,
    "standing=open": False,
    f"game_id={GAME}": True,
    f"game_id={uuid4()}": False,
    "rule=R-6.7&tag=deep-card&words=melded": True,
}


@pytest.fixture
def precedent(games: Client) -> Case:
    case = ruled(games)
    assert case.act({"do": "tag", "tags": ["deep-card"]}).status_code == 201
    return case


def test_decisions_are_found(precedent: Case):
    for asked, expected in FOUND.items():
        found = precedent.client.get(f"/v1/disputes?{asked}").json["disputes"]
        ids = [one["dispute_id"] for one in found]
        assert ids == ([precedent.dispute_id] if expected else []), asked


def test_the_search_goes_page_by_page(games: Client):
    ids = [Case.opened(games).dispute_id for _ in range(3)]
    first = games.get("/v1/disputes?limit=2").json
    second = games.get(f"/v1/disputes?limit=2&cursor={first['next']}").json
    shown = [one["dispute_id"] for one in (*first["disputes"], *second["disputes"])]
    assert (shown, second["next"]) == (sorted(ids), None)
    assert "events" not in first["disputes"][0]


# Who may do what.


def test_each_token_does_what_it_is_for(database: Database, make_app: MakeApp):
    app = make_app()
    client: Client = app.test_client()
    imported(client)

    def bearer(*scopes: Any, **more: Any) -> Bearer:
        return Bearer(app.test_client(), passes.made(database, *scopes, **more))

    ann = bearer("games:read", "games:write", game=GAME, seat=0)
    bob = bearer("games:read", "games:write", game=GAME, seat=1)
    arbiter, other, auditor = bearer("admin"), bearer("admin"), bearer("games:read", "audit")
    unseated = {name: value for name, value in CLAIM.items() if name != "seat"}
    path = f"/v1/games/{GAME}/disputes"
    assert post(client, path, unseated).status_code == 401
    assert post(auditor, path, unseated).status_code == 403
    assert post(bob, path, CLAIM).json["code"] == "dispute/NOT_YOUR_SEAT"
    opened = post(ann, path, unseated).json
    seats = client.get(f"/v1/games/{GAME}").json["players"]
    assert opened["dispute"]["by"] == seats[0]["id"]
    case = Case(ann, opened["dispute"]["dispute_id"], 1)
    assert case.act(RULING).json["code"] == "dispute/ARBITER_NEEDED"
    assert case.act(RULING, auditor).status_code == 403
    assert case.act({"do": "say", "text": "No."}, bob).status_code == 201
    assert case.act(RULING, arbiter).status_code == 201
    assert case.act({"do": "appeal", "text": "No."}, bob).status_code == 201
    assert case.act(DECISION, arbiter).json["code"] == "dispute/OWN_RULING"
    assert case.act(DECISION, other).status_code == 201
    assert case.act({"do": "tag", "tags": ["x"]}, ann).json["code"] == "dispute/ARBITER_NEEDED"


def test_no_player_buries_a_game_under_disputes(database: Database, make_app: MakeApp):
    """Its page, its files and its list hold all that was said: for everybody who opens them."""
    app = make_app()
    client: Client = app.test_client()
    imported(client)
    scopes: tuple[Scope, ...] = ("games:read", "games:write")
    ann, bob = (
        Bearer(app.test_client(), passes.made(database, *scopes, game=GAME, seat=seat))
        for seat in (0, 1)
    )
    scribe = Bearer(app.test_client(), passes.made(database, *scopes))
    arbiter = Bearer(app.test_client(), passes.made(database, "admin"))
    path = f"/v1/games/{GAME}/disputes"
    answers = [post(ann, path, CLAIM, {"Idempotency-Key": f"k{n}"}) for n in range(MOST_DISPUTES)]
    assert {answer.status_code for answer in answers} == {201}
    for who in (ann, scribe):
        refused = post(who, path, CLAIM)
        assert (refused.status_code, refused.json["code"]) == (422, "dispute/TOO_MANY_DISPUTES")
        assert refused.json["rule"] == "P-10"
    assert post(ann, path, CLAIM, {"Idempotency-Key": "k3"}).json["repeated"]
    assert post(bob, path, CLAIM | {"seat": 1}).status_code == 201
    assert post(arbiter, path, CLAIM).status_code == 201
    other = client.get("/v1/games").json["games"]
    elsewhere = next(one["game_id"] for one in other if one["game_id"] != GAME)
    claim = {"seat": 0, "versions": [2], "claim": "Another game."}
    assert post(scribe, f"/v1/games/{elsewhere}/disputes", claim).status_code == 201

    case = Case(ann, answers[0].json["dispute"]["dispute_id"], 1)
    say = {"do": "say", "text": "No."}
    for number in range(MOST_SAID):
        act = say if number % 2 else {"do": "link", "version": 2}
        assert case.act(act).status_code == 201
    assert case.act(say).json["code"] == "dispute/TOO_MUCH_SAID"
    assert case.act({"do": "link", "version": 2}).json["code"] == "dispute/TOO_MUCH_SAID"
    assert case.act(say, bob).status_code == 201
    assert case.act(say | {"seat": 0}, arbiter).status_code == 201
    assert case.act({"do": "withdraw"}).status_code == 201


def test_a_token_for_another_game_is_refused(database: Database, make_app: MakeApp):
    app = make_app()
    client: Client = app.test_client()
    imported(client)
    elsewhere = Table.opened(client).game_id
    case = Case.opened(client)
    stranger = Bearer(client, passes.made(database, "admin", game=elsewhere))
    assert case.act(RULING, stranger).status_code == 403
    assert case.shown(stranger)["standing"] == "open"


def test_a_dispute_is_as_private_as_its_game(database: Database, make_app: MakeApp):
    app = make_app()
    arbiter = Bearer(app.test_client(), passes.made(database, "admin"))
    private = Table.opened(arbiter, visibility="private")
    case = Case.opened(arbiter, private.game_id, versions=[1], demanded=[])
    public: Client = app.test_client()
    assert public.get(f"/v1/disputes/{case.dispute_id}").json["code"] == "unknown_dispute"
    assert public.get(private.path("/disputes")).json["code"] == "unknown_game"
    assert public.get("/v1/disputes").json["disputes"] == []
    assert len(arbiter.get("/v1/disputes").json["disputes"]) == 1
    # Nor can it be read as if it were a game.
    assert arbiter.get(f"/v1/games/{case.dispute_id}").json["code"] == "unknown_game"
    assert arbiter.get(f"/v1/disputes/{private.game_id}").json["code"] == "unknown_dispute"


def _microseconds(text: str) -> int:
    found = microseconds_of(text)
    assert found is not None
    return found
