"""Figures of one process for a monitor, as Prometheus reads them: what was asked, what was stored, what lags.

Every application has a registry of its own. Labels come from the code alone (addresses as they are routed,
methods, statuses, codes of refusals, names of read models): no id, name or card is ever one, so their number
is bounded. Counts only what views say of themselves; asks the database only when a monitor asks, at most
once a second.
"""

import platform
import time
from collections.abc import Iterator
from typing import Final

import structlog
from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool

from api import db
from api.poller import Poller
from api.remembered import Remembered
from events.version import ENGINE
from projections.status import Standing, Status, status

KEY: Final = "lanterlog.metrics"
"""Under which an application keeps its figures."""
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_FRESH: Final = 1.0
"""Seconds for which the database's figures are good."""

_log = structlog.get_logger("lanterlog.metrics")


class Metrics:
    """The figures of one application."""

    def __init__(self, engine: Engine, poller: Poller) -> None:
        self.registry = CollectorRegistry()
        self._count_requests()
        self._count_appends()
        streams = Gauge("lanterlog_streams", "Who follow a game now.", registry=self.registry)
        streams.set_function(lambda: poller.followers)
        places = Gauge("lanterlog_stream_places", "How many may.", registry=self.registry)
        places.set(poller.places)
        info = Info("lanterlog_build", "What runs here.", registry=self.registry)
        info.info({"version": ENGINE, "python": platform.python_version(), "schema": db.head()})
        ProcessCollector(registry=self.registry)
        self.registry.register(_Behind(engine))

    def _count_requests(self) -> None:
        of, where = self.registry, ("endpoint", "method")
        self._requests = Counter(
            "lanterlog_http_requests", "Answers begun.", (*where, "status"), registry=of
        )
        self._seconds = Histogram(
            "lanterlog_http_request_seconds",
            "From the request to the beginning of its answer.",
            where, buckets=_SECONDS, registry=of,
        )  # fmt: skip
        self._problems = Counter(
            "lanterlog_problems", "Errors answered, by their code.", ("code",), registry=of
        )

    def _count_appends(self) -> None:
        of = self.registry
        self._commands = Counter("lanterlog_commands", "Commands stored.", registry=of)
        self._events = Counter("lanterlog_events", "Events stored by commands.", registry=of)
        self._repeated = Counter(
            "lanterlog_commands_repeated", "Commands that had been stored before.", registry=of
        )
        self._conflicts = Counter(
            "lanterlog_conflicts", "Commands refused for their expected version.", registry=of
        )
        self._refusals = Counter(
            "lanterlog_refusals", "Acts that a table refused, by the rule.", ("code",), registry=of
        )

    def count(self, answer: Response) -> Response:
        """Count a request by its answer; what was stored stands in `g.stored`, an error's code in `g.problem`."""
        endpoint = "none" if request.url_rule is None else _endpoint(request.url_rule.rule)
        method = request.method if request.method in _METHODS else "other"
        self._requests.labels(endpoint, method, str(answer.status_code)).inc()
        if "began" in g:
            self._seconds.labels(endpoint, method).observe(time.perf_counter() - g.began)
        if "problem" in g:
            self._count_problem(g.problem)
        if "stored" in g:
            self._count_stored(*g.stored)
        return answer

    def _count_problem(self, code: str) -> None:
        family, _, detail = code.partition("/")
        self._problems.labels(family).inc()
        if family == "stale_version":
            self._conflicts.inc()
        if family == "rule":
            self._refusals.labels(detail).inc()

    def _count_stored(self, events: int, repeated: bool) -> None:
        if repeated:
            self._repeated.inc()
        else:
            self._commands.inc()
            self._events.inc(events)

    def text(self) -> bytes:
        """Return all figures as Prometheus reads them."""
        return generate_latest(self.registry)


def register(app: Flask, engine: Engine, poller: Poller) -> None:
    """Count every request of the application from now on."""
    found = app.extensions[KEY] = Metrics(engine, poller)
    app.after_request(found.count)


def metrics_of(app: Flask) -> Metrics:
    """Return the application's figures."""
    found = app.extensions[KEY]
    assert isinstance(found, Metrics)
    return found


def _endpoint(rule: str) -> str:
    return rule.replace("<uuid:", "<").replace("<int:", "<")


class _Behind(Collector):
    """What only the database and its pool know, asked for when somebody wants it."""

    def __init__(self, engine: Engine) -> None:
        self._pool = engine.pool
        self._engine = db.autocommit(engine)
        self._found = Remembered(self._ask, _FRESH)

    def collect(self) -> Iterator[Metric]:
        """Yield every figure; without a database only that it is not there."""
        assert isinstance(self._pool, QueuePool)
        yield _gauge("lanterlog_pool_in_use", "Connections given out.", self._pool.checkedout())
        found = self._found.get()
        yield _gauge("lanterlog_database_up", "Whether the database answered.", found is not None)
        if found is not None:
            yield from _ledger(found)
            yield from _models(found)

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: what there is depends on the database, which must not be asked at the start."""
        yield from ()

    def _ask(self) -> Status | None:
        try:
            with self._engine.connect() as conn:
                return status(conn)
        except SQLAlchemyError as error:
            _log.warning("figures not read", reason=str(error).partition("\n")[0][:200])
            return None


def _ledger(found: Status) -> Iterator[Metric]:
    waiting = found.waiting
    yield _gauge("lanterlog_ledger_position", "The ledger's last position.", found.position)
    yield _gauge("lanterlog_ledger_lag_events", "Events not sealed yet.", waiting.events)
    yield _gauge("lanterlog_ledger_lag_seconds", "Age of the first of these.", waiting.seconds)
    sealed = found.sealer is not None
    yield _gauge("lanterlog_sealer_at_work", "Whether a worker holds the sealer's lock.", sealed)


def _models(found: Status) -> Iterator[Metric]:
    def each(name: str, text: str, values: dict[str, float]) -> Metric:
        family = GaugeMetricFamily(name, text, labels=("projection",))
        for model, value in values.items():
            family.add_metric([model], value)
        return family

    known: dict[str, Standing] = {one.name: one for one in found.projections if one.wanted}
    yield each(
        "lanterlog_projection_lag_positions", "Positions of the ledger that a read model lacks.",
        {name: one.behind for name, one in known.items()},
    )  # fmt: skip
    yield each(
        "lanterlog_projection_lag_seconds", "For how long a read model has been behind.",
        {name: one.seconds for name, one in known.items()},
    )  # fmt: skip
    yield each(
        "lanterlog_projection_failed", "Whether a read model has stopped on an error.",
        {name: one.failure is not None for name, one in known.items()},
    )  # fmt: skip


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=float(value))
