"""docs/client.md says what happens: its examples are run, and print what stands below them."""

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Engine

from api import client
from events.formats import ndjson
from tests.api.conftest import MakeApp
from tests.postgres import Database
from tests.projections.store import keep, take_in
from tests.served import ROOT

pytestmark = [pytest.mark.store, pytest.mark.http]

TEXT = (ROOT / "docs" / "client.md").read_text()
CARDS = re.compile(r"\b[2-9TJQKA][SHDC]\b")


def examples() -> Iterator[tuple[str, str]]:
    """Pieces of Python, and what they print."""
    found = re.findall(r"```python\n(.*?)```\n+(?:```\n(.*?)```)?", TEXT, re.DOTALL)
    assert len(found) == 3
    yield from found


def test_the_examples_print_what_they_say(
    make_app: MakeApp,
    database: Database,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    app, real = make_app(open_table=True), client.Client
    take_in(engine)
    monkeypatch.setattr(
        client, "Client", lambda url: real(url, transport=httpx.WSGITransport(app=app))
    )
    monkeypatch.chdir(tmp_path)
    for code, expected in examples():
        keep(database)
        said = StringIO()
        with redirect_stdout(said):
            exec(compile(code, "docs/client.md", "exec"), {})
        lines = [one for one in said.getvalue().splitlines() if "[info" not in one]
        assert CARDS.sub("..", "\n".join(lines)) == CARDS.sub("..", expected.strip())
    with (tmp_path / "archive.ndjson").open("rb") as file:
        assert ndjson.verify(file).ok
