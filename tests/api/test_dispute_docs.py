"""The guided example of docs/disputes.md: its commands are run, and print what stands there."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from api.cli import main
from tests.api.conftest import MakeApp
from tests.api.disputing import GAME
from tests.api.table import Client
from tests.postgres import Database
from tests.projections.store import keep, seal

pytestmark = [pytest.mark.store, pytest.mark.http]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "disputes.md"
MADE_UP = re.compile(
    r"0[0-9a-f]{7}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\d \d\d:\d\d"
)


def blocks(page: str) -> list[str]:
    return re.findall(r"^```\n(\$ .*?)^```$", page, re.DOTALL | re.MULTILINE)


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a block with what it printed."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, said) for command, _, said in (part.partition("\n") for part in parts)]


def curl(client: Client, words: list[str], made: dict[str, str]) -> str:
    """What `curl | jq` would print."""
    bar = words.index("|")
    body = words[words.index("-d") + 1] if "-d" in words else None
    path = words[2].removeprefix("localhost:8500")
    for name, value in made.items():
        path = path.replace(f"${name}", value)
    method = "GET" if body is None else "POST"
    answer = client.open(path, method=method, data=body, content_type="application/json")
    if method == "POST" and path.endswith("/disputes"):
        made["D"] = answer.json["dispute"]["dispute_id"]
    return "".join(f"{_jq(answer.json, one)}\n" for one in words[bar + 3].split(","))


def _jq(value: Any, path: str) -> str:
    for name in path.replace("[0]", ".0").split(".")[1:]:
        value = value[int(name)] if name.isdigit() else value[name]
    return json.dumps(value, separators=(",", ":"))


def _spaced(said: str) -> str:
    """What a page shows of lines with tabs."""
    return re.sub(r"[ \t]+$", "", said.replace("\t", "  "), flags=re.MULTILINE)


def test_the_example_is_what_happens(
    make_app: MakeApp,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DATABASE_URL", database.app_url)
    monkeypatch.setenv("MIGRATION_DATABASE_URL", database.superuser_url)
    client: Client = make_app().test_client()
    made = {"GAME": GAME}
    page = written = PAGE.read_text()
    for block in blocks(page):
        new = ""
        for command, _ in commands(block):
            words = shlex.split(command)
            if "/v1/standings" in command:
                seal(database)
                keep(database)
                made["B"] = client.get(f"/v1/games/{GAME}").json["players"][1]["id"]
            if words[0] == "curl":
                said = curl(client, words, made)
                capfd.readouterr()
            else:
                main(words[1:])
                said = capfd.readouterr().out
            new += f"$ {command}\n{_spaced(said)}"
        written = written.replace(block, new)
    assert MADE_UP.sub("*", written) == MADE_UP.sub("*", page)
