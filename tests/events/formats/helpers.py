"""What the tests of the formats share: the sample logs, and games as if the store had recorded them."""

from hashlib import sha256
from pathlib import Path
from uuid import UUID

from events.chain import NIL_HEAD, event_hash, inner_hash
from events.codec import encode
from events.formats import Import
from events.formats.ndjson import Writer
from events.records import Head, StoredEvent

DATA = Path(__file__).parents[2] / "data"
ENGINE_A = DATA / "rummy500-engine-a.ndjson"
ENGINE_B = DATA / "rummy500-engine-b.ndjson"
RECORDER = UUID("00000000-0000-4000-8000-000000000001")
BEGAN = 1_767_225_600_000_000  # 2026-01-01 UTC


def recorded(
    game: Import,
    events: int | None = None,
    step: int = 1_000_001,
    kind: str = "game",
    visibility: str = "unlisted",
) -> tuple[Head, list[StoredEvent]]:
    """The game with a chain, one event every *step* microseconds, cut after so many events."""
    head, stored = NIL_HEAD, []
    for version, event in enumerate(game.events[:events], 1):
        body = encode(event)
        salt = sha256(game.game_id.bytes + version.to_bytes(4)).digest()[:16]
        at = BEGAN + version * step
        inner = inner_hash(salt, body)
        head = event_hash(game.game_id, version, head, at, RECORDER, inner)
        stored.append(StoredEvent(game.game_id, version, at, RECORDER, salt, head, body))
    at = stored[-1].recorded_at if stored else BEGAN
    version = len(stored)
    mode, name = game.events[0].mode, game.events[0].game
    row = Head(game.game_id, kind, name, mode, visibility, version, head, BEGAN, at)
    return row, stored


def written(games: list[Import], events: int | None = None) -> bytes:
    """A whole file of these games."""
    writer = Writer()
    text = b""
    for game in games:
        head, stored = recorded(game, events)
        texts = {at: text for at, text in game.remarks.items() if at <= len(stored)}
        text += b"".join(writer.game(head, stored, game.names, texts))
    return text + writer.end()


def lines_of_game(path: Path, number: int) -> list[bytes]:
    """One game's lines of a sample log."""
    mark = (f'"game":{number},'.encode(), f'"game":{number}}}'.encode())
    return [line for line in path.read_bytes().splitlines(True) if any(m in line for m in mark)]
