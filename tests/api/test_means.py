"""A database that is there and cannot work now, its disk full, say: the answer asks for another try and tells no more."""

import pytest
from sqlalchemy import text

from tests.api.table import DATA, Client, Table, draw, post, send_file
from tests.postgres import Database, connected

pytestmark = [pytest.mark.store, pytest.mark.http]

STATES = {"disk full": "53100", "no memory": "53200", "a standby": "25006"}
WAYS = {
    "at once": "CREATE TRIGGER out_of_means BEFORE INSERT",
    "at the end": "CREATE CONSTRAINT TRIGGER out_of_means AFTER INSERT",
}
LATER = {"at once": "", "at the end": "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"}


def out_of_means(database: Database, state: str, way: str) -> None:
    """Let every insert of an event fail as PostgreSQL does where it has run out of something."""
    with connected(database.superuser_url) as conn:
        conn.execute(
            text(
                "CREATE FUNCTION lanterlog.out_of_means() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                "RAISE EXCEPTION 'could not extend file \"base/1/2\"' "
                f"USING ERRCODE = '{state}'; END $$"
            )
        )
        conn.execute(
            text(
                f"{WAYS[way]} ON lanterlog.events {LATER[way]} EXECUTE FUNCTION lanterlog.out_of_means()"
            )
        )
        conn.commit()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_what_cannot_be_stored_now_may_be_sent_again(
    client: Client,
    table: Table,
    database: Database,
    capsys: pytest.CaptureFixture[str],
    state: str,
    way: str,
):
    out_of_means(database, state, way)
    file = (DATA / "rummy500-engine-a.ndjson").read_bytes()
    capsys.readouterr()

    answers = [
        table.record(draw(1)),
        post(client, "/v1/games", {"seats": ["Ann", "Bob"]}),
        send_file(client, file),
    ]

    for answer in answers:
        assert (answer.status_code, answer.json["code"]) == (503, "store_unavailable")
        assert answer.headers["Retry-After"]
        assert "base/1/2" not in answer.text
    told = [one for one in capsys.readouterr().out.splitlines() if "out of reach or means" in one]
    assert len(told) == len(answers)
    assert all("could not extend file" in one for one in told)
    assert table.get().json["version"] == table.version
