"""Audits from stored bytes to report, on one core, beside decoding alone: simulated games of every form, and corpora.

No database. Figures are CPU time, the best round: what another process takes from this one is no part of it.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from api.bench.group import OURS, Group, Means, Row, Target
from api.bench.tables import FORMS, logs
from events.codec import decode_log, encode
from events.formats.detect import read_file
from events.games import game_named
from projections.audit import audit

DECODING: Final = "decoding"
_CORPORA: Final = Path(__file__).parents[2] / "tests" / "data"
_LEAST: Final = 100_000
_FEW: Final = 6
"""Games whose calls are explained."""


class Shelf(msgspec.Struct, frozen=True):
    """Logs of one game as they are stored."""

    game: str
    bodies: list[list[bytes]]

    @property
    def events(self) -> int:
        """How many there are in all."""
        return sum(map(len, self.bodies))


def measure(means: Means) -> list[Row]:
    """Return a row for every form, for each corpus that is there, and for calls explained."""
    rows, size = [], means.size
    for form in FORMS:
        means.say(f"audit, simulated {form}")
        shelf = _shelf(FORMS[form].game, logs(form, size.scripts))
        rows.append(_row(f"audit_{form}", shelf, size.rounds))
    for name in ("a", "b"):
        means.say(f"audit, corpus {name}")
        rows += [_row(f"corpus_{name}", shelf, size.rounds) for shelf in _corpus(name)]
    means.say("calls explained")
    few = _shelf(FORMS["rummy500"].game, logs("rummy500", min(size.scripts, _FEW)))
    return [*rows, _row("calls_rummy500", few, size.rounds, calls=True)]


def _shelf(game: str, games: list[list[Any]]) -> Shelf:
    return Shelf(game, [[encode(event) for event in events] for events in games])


def _corpus(name: str) -> Iterator[Shelf]:
    """Yield the games of another program's file, nothing where the program was installed without its tests."""
    path = _CORPORA / f"rummy500-engine-{name}.ndjson"
    if path.exists():
        with path.open("rb") as stream:
            yield _shelf("rummy500", [list(one.events) for one in read_file(stream)])


def _row(key: str, shelf: Shelf, rounds: int, *, calls: bool = False) -> Row:
    game = game_named(shelf.game)

    def whole() -> None:
        for bodies in shelf.bodies:
            audit(game, decode_log(shelf.game, bodies), calls=calls)

    def decoding() -> None:
        for bodies in shelf.bodies:
            decode_log(shelf.game, bodies)

    work = {OURS: whole, DECODING: decoding}
    found = {name: [_rate(one, shelf.events) for _ in range(rounds)] for name, one in work.items()}
    return Row(key, "events/s", {name: max(rates) for name, rates in found.items()}, found)


def _rate(work: Callable[[], None], events: int) -> float:
    begun = time.process_time()
    work()
    return events / max(time.process_time() - begun, 1e-9)


_AUDITS: Final = {f"audit_{form}": f"audit, simulated {form}" for form in FORMS}
_OTHERS: Final = {
    "corpus_a": "audit, corpus of engine A",
    "corpus_b": "audit, corpus of engine B",
}
GROUP: Final = Group(
    name="audit",
    titles={**_AUDITS, **_OTHERS, "calls_rummy500": "audit, calls explained"},
    heads={OURS: "Lanterlog", DECODING: "decoding alone"},
    steps=len(FORMS) + 3,
    measure=measure,
    targets=tuple(
        Target(key, None, _LEAST, f"{title}: at least {_LEAST:,} events/s")
        for key, title in (_AUDITS | _OTHERS).items()
    ),
    notes=("Audits: decoded and audited from stored bytes, CPU time of one process, best round.",),
)
