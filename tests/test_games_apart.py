"""Nothing that the games share knows which game it is about; only a few files do, and they are named here."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.usage import parser
from events.games import TABLES

ROOT = Path(__file__).parents[1]
SHARED = ("events", "projections", "api", "api/commands", "api/usage")
# Who knows both games: their rules, their views, how each is told in words, and what a client reads of each.
KNOW_BOTH = {
    "api/client_types.py",
    "events/games.py",
    "projections/views.py",
    "projections/telling.py",
    "projections/words_en.py",
    "projections/words_ja.py",
}
OF_A_GAME = re.compile(r"\b(rummy500|lanterloo)(_\w+)?\b")


def shared_files() -> Iterator[Path]:
    for folder in SHARED:
        for path in sorted((ROOT / folder).glob("*.py")):
            named = path.relative_to(ROOT).as_posix()
            if named not in KNOW_BOTH and not OF_A_GAME.match(path.stem):
                yield path


def games_imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            modules = [node.module or "", *(f"{node.module}.{one.name}" for one in node.names)]
        elif isinstance(node, ast.Import):
            modules = [one.name for one in node.names]
        else:
            continue
        yield from (name for name in modules if OF_A_GAME.search(name))


def test_no_shared_file_imports_a_game() -> None:
    found = {str(path): list(games_imported(path)) for path in shared_files()}
    assert len(found) > 60
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("table", TABLES)
def test_every_table_can_be_asked_for(table: str) -> None:
    """The words of the command are written out, so that `--help` need not load the rules."""
    assert parser().parse_args(["simulate", "--game", table]).game == table
