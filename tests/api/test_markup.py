"""Other people's words stay words: names, remarks, claims and whatever an address holds begin no element of a page."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from flask import Flask
from msgspec.structs import replace
from sqlalchemy import Engine

from api.roles import addresses
from events import recorder
from events.chain import text_hash
from events.common import Remarked
from events.formats import Import
from tests.api import disputing, passes
from tests.api.apps import application
from tests.api.passes import Bearer
from tests.api.table import Client, post
from tests.api.test_columns import seal
from tests.api.test_lists import over, project, with_breach
from tests.api.test_volume import games as volume_games
from tests.events.lanterloo import table as loo
from tests.postgres import Cluster, Database

pytestmark = [pytest.mark.store, pytest.mark.http]

WORDS = (
    "<i data-x>",
    '"><i data-x>',
    "'><i data-x>",
    '" data-x="',
    "' data-x='",
    "` data-x=`",
    "</title><i data-x>",
    "</script><i data-x>",
    "</textarea><i data-x>",
    "--><i data-x>",
    "]]><i data-x>",
    "&lt;i data-x&gt;",
    "{{ '<i data-x>' }}",
    "\\u003ci data-x>",
    "♠<i data-x>♠",
    "javascript:alert(1)//<i data-x>",
    "\u2028<i data-x>",
    "＜i data-x＞",
)
"""What would begin an element, an attribute or a script, wherever a page had it as it is."""
SAY = "{0} & {1}"


class Reader(HTMLParser):
    """Reads a page as a browser does, and keeps what should not be there."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.words += " ".join(value or "" for _, value in attrs)
        for name, value in attrs:
            leads = name in ("href", "src", "action", "formaction", "data", "srcdoc")
            runs = leads and (value or "").strip().startswith("javascript:")
            if "data-x" in name or name.startswith("on") or runs:
                self.wrong.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.words += data


def read(text: str) -> Reader:
    found = Reader()
    found.feed(text)
    found.close()
    return found


def markup_of(answer: Any) -> list[str]:
    """Return what of an answer a browser takes for markup: the page, or the parts that its script puts in."""
    if not answer.is_json:
        return [answer.text]
    steps = answer.json.get("steps", ())
    parts = [part for step in steps for part in (step["brief"], *step["regions"].values())]
    return [*parts, *(step["line"] for step in steps if "line" in step)]


def kept(engine: Engine, number: int, words: tuple[str, ...]) -> UUID:
    """Store a game in which all that can be named has such a name, and whoever can speak says it."""
    played: list[Any] = loo.play(number, 3, loo.ruleset("loo3"), deals=2)
    if number % 2:
        played = over(with_breach())
    said = [(bytes([at] * 16), SAY.format(words[0], one)) for at, one in enumerate(words)]
    spoken = [
        Remarked(seat=seat, text=text_hash(salt, text).hex())
        for seat, (salt, text) in enumerate(said)
    ]
    seats = tuple(str(UUID(int=1000 + 3 * number + seat)) for seat in range(3))
    opened = replace(played[0], mode="recorded", seats=seats)
    events = [opened, *spoken, *played[1:]]
    names = dict(zip(opened.seats, words, strict=True))
    remarks = {at + 2: one for at, one in enumerate(said)}
    game = Import(UUID(int=number + 1), events, names, remarks, 1)
    with engine.begin() as conn:
        recorder.import_games(conn, [game], UUID(int=9))
    return game.game_id


def argued(client: Client, game_id: UUID, words: tuple[str, ...]) -> None:
    """Dispute it in such words, and decide in such."""
    claim = {"seat": 0, "versions": [2], "claim": SAY.format(*words), "rules": [], "demanded": []}
    answer = post(client, f"/v1/games/{game_id}/disputes", claim)
    assert answer.status_code == 201, answer.text
    case = disputing.Case(client, answer.json["dispute"]["dispute_id"], 1)
    for act in (
        {"do": "say", "seat": 1, "text": words[1]},
        {"do": "link", "seat": 1, "version": 3, "text": words[2]},
        {"do": "rule", "decision": "rejected", "text": words[0], "facts": [], "adjustments": []},
    ):
        assert case.act(act).status_code == 201


@pytest.fixture(scope="module")
def site(cluster: Cluster) -> Iterator[tuple[Flask, Bearer, list[UUID]]]:
    """A store full of such words, whoever may see all of it, and its games."""
    with cluster.fresh() as database, application(database.config) as app:
        engine = app.extensions["lanterlog"].engine
        three = [WORDS[at : at + 3] for at in range(0, len(WORDS), 3)]
        games = [kept(engine, number, words) for number, words in enumerate(three)]
        project(database, engine)
        for game_id, words in zip(games, three, strict=True):
            argued(app.test_client(), game_id, words)
        seal(database)
        yield app, arbiter(app, database), games


def arbiter(app: Flask, database: Database) -> Bearer:
    """An arbiter whose token has such a name, too: pages say who one is."""
    return Bearer(app.test_client(), passes.made(database, "admin", name=WORDS[1]))


def pages(app: Flask) -> list[str]:
    """Every address that answers with a page, or with parts of one."""
    found = [one.path for one in addresses(app) if one.method == "GET"]
    return [path for path in found if not path.startswith(("/v1", "/static")) or "html" in path]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_no_page_takes_words_for_its_own(site: tuple[Flask, Bearer, list[UUID]], lang: str):
    app, who, games = site
    seen = ""
    for path in pages(app):
        more = "&first=1&last=99&lines=1" if path.endswith("/steps") else ""
        for game_id in games if "game_id" in path else games[:1]:
            asked = f"{path.replace('<uuid:game_id>', str(game_id))}?lang={lang}{more}"
            answer = who.get(asked)
            if answer.status_code == 400:  # one without a language
                answer = who.get(asked.partition("?")[0], headers={"Accept-Language": lang})
            assert answer.status_code == 200, asked
            for text in markup_of(answer):
                reader = read(text)
                assert reader.wrong == [], (asked, reader.wrong)
                seen += reader.words
    for word in WORDS:
        assert word in seen, word


def test_no_document_of_many_games_takes_words_for_its_own(
    site: tuple[Flask, Bearer, list[UUID]],
):
    _, who, games = site
    data = who.get("/v1/export?format=html").data
    found = volume_of(data)
    assert len(found) == len(games)
    seen = ""
    for text in (data.decode(), *(part for one in found for part in one)):
        reader = read(text)
        assert reader.wrong == []
        seen += reader.words
    for word in WORDS:
        assert word in seen, word


def volume_of(data: bytes) -> list[list[str]]:
    """What its script puts in, of each game."""
    return [[one.shell, *one.data["parts"]] for one in volume_games(data).values()]


def test_no_page_takes_what_is_asked_for_its_own(site: tuple[Flask, Bearer, list[UUID]]):
    """Parameters, ids, headers and cookies: what is refused is shown on a page as well."""
    app, who, games = site
    for path in pages(app):
        asked = path.replace("<uuid:game_id>", str(games[0]))
        names = ["lang", "nothing", *parameters(path)]
        for word in WORDS[:3]:
            told = {
                "Accept-Language": "ja;q=x<i data-x>",
                "Cookie": f"lanterlog_lang={quote(word)}",
            }
            looks = [f"{asked}?{name}={quote(word)}" for name in names]
            looks += [f"{asked}/{quote(word, safe='')}", f"{asked}?{quote(word)}=1"]
            for address in looks:
                answer = who.get(address, headers=told)
                assert answer.status_code < 500, address
                if answer.mimetype == "text/html":
                    assert read(answer.text).wrong == [], address


def parameters(path: str) -> list[str]:
    """Return the parameters that an address knows."""
    found = {
        "/": ("q", "game", "status", "cursor"),
        "/standings": ("game", "by", "cursor"),
        "/findings": ("game", "code", "cursor"),
        "/chances": ("players", "dealer", "ruleset", "since", "bias"),
    }
    return list(found.get(path, ("at", "seat", "act", "card", "from", "ruleset", "embed")))


def test_what_should_not_be_there_would_be_found():
    for word in ("<i data-x>", '<a title="" data-x="">', "<a href=' javascript:1'>", "<b onclick>"):
        assert read(f"<p>{word}</p>").wrong
    assert read("<p>&lt;i data-x></p>").words == "<i data-x>"
