"""`lanterlog chances` on an archive: which deals it counts, what it says of none, and what it never says."""

import json
from uuid import UUID

import pytest

from tests.api.test_cli import Run, bare, filled, run  # noqa: F401  (fixtures)

pytestmark = pytest.mark.store


def told(run: Run, *words: object) -> dict[str, object]:  # noqa: F811
    found: dict[str, object] = json.loads(run("chances", *words, "--json").out)
    return found


def test_the_whole_archive_is_counted_and_told(filled: Run):  # noqa: F811
    done = filled("chances")
    assert done.code == 0
    assert "60 games" in done.out
    assert "no proof of anything" in done.out
    whole = told(filled)
    assert len(done.rows) >= int(str(whole["tests"]))
    assert whole["games"] == 60
    assert whole["dealer"] is None


def test_filters_narrow_alone_and_together(filled: Run):  # noqa: F811
    one, players = _table(filled)
    assert told(filled, "--only", one)["games"] == 1
    mine = told(filled, players[0])
    assert mine["dealer"] == players[0]
    together = told(filled, players[0], "--with", players[1], "--only", one[:13])
    assert (together["games"], together["dealer"]) == (1, players[0])
    assert told(filled, "--with", UUID(int=5))["games"] == 0
    assert told(filled, "--game", "lanterloo")["games"] == 0
    assert told(filled, "--game", "rummy500")["games"] == 60
    assert told(filled, "--ruleset", "nowhere")["games"] == 0
    ruleset = filled("games").rows[0][2]
    assert told(filled, "--ruleset", ruleset)["games"] == 60
    assert told(filled, "--until", "1999-01-01")["games"] == 0
    assert told(filled, "--since", "1999-01-01", "--until", "2999-12-31")["games"] == 60


def _table(run: Run) -> tuple[str, list[str]]:  # noqa: F811
    game = json.loads(run("games", "--json").out.splitlines()[0])
    return game["game_id"], [one["id"] for one in game["players"]]


def test_of_no_deals_it_is_told_what_it_would_take(filled: Run):  # noqa: F811
    done = filled("chances", "--until", "1999-01-01", "--bias", "0.5")
    assert done.code == 0
    assert "nothing to reckon with yet" in done.out
    assert "rummy500 aces: " in done.out
    assert "lanterloo trumps: " in done.out


@pytest.mark.parametrize(
    "words",
    [
        *(("--bias", bad) for bad in ("0", "nan", "1e-9", "21", "-1", "x")),
        *(("--edge", bad) for bad in ("0", "0.5", "inf")),
        *(("--since", bad) for bad in ("2026-02-31", "yesterday", "")),
    ],
    ids=" ".join,
)
def test_what_cannot_be_asked_is_refused(filled: Run, words: tuple[str, str]):  # noqa: F811
    done = filled("chances", *words)
    assert done.code == 2
    assert "expected" in done.err
