"""The service under load, through gunicorn: recorders and followers, beside a Flask view that only answers "ok".

Each server is a process of its own on a loopback port, the one of the package with its worker beside it, and
gone when the measurement is over. The clients are the same for both, at the same pace.
"""

import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from typing import Any, Final, TypeAlias

from flask import Flask

from api.bench.group import OURS, Group, Means, Row, Target
from api.bench.http_bad import KINDS, is_refused, send
from api.bench.http_load import FOLLOWERS, PACE, RECORDERS, Took, follow, record
from api.config import Config
from events.errors import BenchError

OK: Final = "flask"
_MOST: Final = 250
"""Milliseconds."""
_PATIENCE: Final = 60.0
_SPAWN: Final = multiprocessing.get_context("spawn")

Pipe: TypeAlias = "Connection[Any, Any]"
Figures: TypeAlias = dict[str, list[float]]


def measure(means: Means) -> list[Row]:
    """Return a row for every kind of request and rank. Raises BenchError for any answer that is not as expected."""
    config, seconds = means.server.config, means.size.load
    means.say("HTTP under load")
    with _served(config, plain=False) as port:
        ours = _loaded(port, seconds)
        means.say("bad input")
        ours |= _bad(port, max(1, round(means.size.seconds * 4)))
    means.say("HTTP, a view that answers ok")
    with _served(config, plain=True) as port:
        plain = _loaded(port, seconds / 4, plain=True)
    return [_row(key, ours, plain) for key in _TITLES]


def _row(key: str, ours: Figures, plain: Figures) -> Row:
    kind, _, rank = key.removeprefix("http_").rpartition("_")
    found = {OURS: ours} | ({OK: plain} if kind in plain else {})
    return Row(
        key,
        "ms",
        {name: _ranked(figures[kind], rank) * 1000 for name, figures in found.items()},
        {},
    )


def _ranked(seconds: Sequence[float], rank: str) -> float:
    if rank == "most" or len(seconds) < 2:
        return max(seconds)
    return statistics.quantiles(seconds, n=100, method="inclusive")[int(rank[1:]) - 1]


def _loaded(port: int, seconds: float, *, plain: bool = False) -> Figures:
    """Return the seconds that appends, looks at the table and news to followers took."""
    with ExitStack() as stack:
        recorders = stack.enter_context(_process(record, port, plain=plain))
        games = _answer(recorders)
        followers = None if plain else stack.enter_context(_process(follow, port, games))
        if followers is not None:
            _answer(followers)
        recorders.send(seconds)
        took: list[Took] = _answer(recorders, seconds)
        found = {
            "append": [one for table in took for one in table.appends],
            "state": [one for table in took for one in table.states],
        }
        if followers is not None:
            followers.send(_last(took))
            found["news"] = _delays(took, _answer(followers))
        return found


def _last(took: Sequence[Took]) -> dict[str, int]:
    """Return the last version of each game."""
    return {game: version for table in took for game, version in sorted(table.sent)}


def _delays(took: Sequence[Took], came: Sequence[dict[tuple[str, int], float]]) -> list[float]:
    """Return how long each act took from its recorder's hand to each follower; all must have come."""
    found = []
    for table in took:
        for which, sent in table.sent.items():
            found += [one[which] - sent for one in came if which in one]
    followed = sum(len(table.sent) * _followers_of(number) for number, table in enumerate(took))
    if len(found) != followed:
        raise BenchError(f"{len(found)} acts came to followers, expected {followed}")
    return found


def _followers_of(table: int) -> int:
    return len(range(table, FOLLOWERS, RECORDERS))


def _bad(port: int, rounds: int) -> Figures:
    """Return the seconds of the slowest answer to each kind of bad input, and of a good one after each."""
    bad: dict[str, float] = {}
    after: list[float] = []
    for _ in range(rounds):
        for name, data in KINDS.items():
            status, seconds = send(port, data)
            if not is_refused(status):
                raise BenchError(f"bad input, {name}, gave {status}")
            bad[name] = max(bad.get(name, 0.0), seconds)
            after.append(_good(port))
    return {"bad": list(bad.values()), "after": after}


def _good(port: int) -> float:
    begun = time.monotonic()
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/v1/games?limit=1")
    if connection.getresponse().status != 200:
        raise BenchError("a good request after a bad one was not answered")
    connection.close()
    return time.monotonic() - begun


@contextmanager
def _served(config: Config, *, plain: bool) -> Iterator[int]:
    """The port of a server that answers; it has stopped when the block is left."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=serve, args=(theirs, config, plain))
    process.start()
    theirs.close()
    try:
        port = int(_answer(ours))
        _good(port)
        yield port
    finally:
        process.terminate()
        process.join(20)
        if process.is_alive():
            process.kill()
            process.join()


def serve(pipe: Pipe, config: Config, plain: bool) -> None:
    """Be the server, until told to stop; its log goes nowhere."""
    from api.beside import Beside
    from api.loopback import bound, listen
    from api.server import Server

    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())

    class Plain(Server):
        def load(self) -> Flask:
            return _only_ok()

    with bound(config.host, 0) as listening:
        listen(listening)
        pipe.send(listening.getsockname()[1])
        url = config.worker_database_url
        beside = None if plain or url is None else Beside(url)
        (Plain if plain else Server)(config, listening, (), beside).serve()


def _only_ok() -> Flask:
    """An application that answers whatever it is asked."""
    app = Flask("ok")
    app.add_url_rule("/<path:rest>", "ok", lambda rest: "ok", methods=["GET", "POST"])  # noqa: ARG005 - Flask's
    return app


@contextmanager
def _process(work: Any, port: int, *given: Any, **named: Any) -> Iterator[Pipe]:
    """A client process that does this work; its end of the pipe is gone when it is."""
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_work, args=(theirs, work, port, given, named), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        process.join(5)
        if process.is_alive():
            process.kill()
            process.join()


def _work(pipe: Pipe, work: Any, port: int, given: Any, named: Any) -> None:
    try:
        work(pipe, port, *given, **named)
    except (BenchError, OSError) as error:
        pipe.send(BenchError(f"a client failed: {error}"))


def _answer(pipe: Pipe, seconds: float = 0.0) -> Any:
    """Return what a process says; raise BenchError for its error, its end, or its silence."""
    try:
        if not pipe.poll(seconds + _PATIENCE):
            raise BenchError(
                f"a process silent for {seconds + _PATIENCE:.0f} s, expected an answer"
            )
        answer = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise BenchError("a process has ended, expected an answer") from None
    if isinstance(answer, BenchError):
        raise answer
    return answer


_TITLES: Final = {
    "http_append_p50": "append, p50",
    "http_append_p99": "append, p99",
    "http_state_p50": "state of the table, p50",
    "http_state_p99": "state of the table, p99",
    "http_news_p50": "from append to a follower, p50",
    "http_news_p99": "from append to a follower, p99",
    "http_bad_p50": "bad input, the middle kind",
    "http_bad_most": "bad input, the slowest kind",
    "http_after_most": "a good request right after bad input, the slowest",
}
GROUP: Final = Group(
    name="http",
    titles=_TITLES,
    heads={OURS: "Lanterlog", OK: "Flask, ok"},
    steps=3,
    measure=measure,
    needs_server=True,
    targets=(
        Target("http_append_p99", None, _MOST, f"append, p99: at most {_MOST} ms"),
        Target("http_state_p99", None, _MOST, f"state, p99: at most {_MOST} ms"),
    ),
    notes=(
        f"{RECORDERS} recorders: an act every {PACE:g} s each, then the state; {FOLLOWERS} follow by server-sent events.",
        "Any error, or an act that a follower is not told, ends the bench. The worker seals and keeps read models meanwhile.",
        'Flask: a view that answers "ok" to the same recorders on the same server, without followers.',
        f"Bad input: {len(KINDS)} kinds, the slowest answer to each.",
    ),
)
