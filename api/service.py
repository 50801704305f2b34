"""The application: what it is made of, and the addresses about the service itself."""

from http import HTTPStatus
from itertools import chain
from typing import Final

from flask import Blueprint, Flask, Response, current_app
from werkzeug.middleware.proxy_fix import ProxyFix

from api import (
    access,
    answers,
    audits,
    chances,
    compression,
    db,
    disputes,
    exports,
    games,
    guard,
    legal,
    lists,
    metrics,
    moments,
    parsing,
    problems,
    reference,
    replays,
    reports,
    session,
    shares,
    streams,
    wire_service,
)
from api.config import Config
from api.poller import Poller
from api.readiness import Readiness, readiness
from api.remedies import REMEDIES
from api.remembered import Remembered
from api.scopes import needs
from api.viewer import pages, reporting, signing
from api.wire import NoQuery

bp = Blueprint("service", __name__)
_READINESS: Final = "lanterlog.readiness"
_FRESH: Final = 1.0
"""Seconds for which an answer about readiness is good."""


def make_app(config: Config) -> Flask:
    """Return the application over a migrated database, with a pool of its own."""
    app = Flask("lanterlog", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = config.max_body
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    engine = db.engine(config)
    app.extensions["lanterlog"] = access.Service.of(config, engine)
    app.extensions[streams.KEY] = poller = Poller(
        engine, config.max_streams, shares.chosen(config).streams
    )
    app.extensions[_READINESS] = Remembered(lambda: readiness(engine), _FRESH)
    if config.proxies:
        near = ProxyFix(app.wsgi_app, x_for=config.proxies, x_proto=config.proxies, x_host=0)
        app.wsgi_app = near  # type: ignore[method-assign]
    compression.register(app)
    metrics.register(app, engine, poller)
    guard.register(app, config)
    problems.register(app)
    for part in (
        bp,
        session.bp,
        pages.bp,
        reporting.bp,
        signing.bp,
        games.bp,
        replays.bp,
        moments.bp,
        streams.bp,
        legal.bp,
        audits.bp,
        disputes.bp,
        reports.bp,
        lists.bp,
        chances.bp,
        exports.bp,
        reference.bp,
    ):
        app.register_blueprint(part)
    return app


@bp.get("/healthz")
@needs("anyone")
def healthz() -> Response:
    """The process answers; asks nobody else, so that a slow database restarts no service."""
    return answers.answer({"status": "ok"})


@bp.get("/readyz")
@needs("anyone")
def readyz() -> Response:
    """The database answers, is migrated, keeps the log append-only, and lets the login do no more than it needs."""
    found: Readiness = current_app.extensions[_READINESS].get()
    checks = {name: list(missing) or "ok" for name, missing in found.missing.items()}
    if found.is_ready:
        return answers.answer({"status": "ok", "checks": checks})
    missing = "; ".join(chain.from_iterable(found.missing.values()))
    return problems.problem("not_ready", missing, checks=checks)


@bp.get("/metrics")
@needs("metrics", for_all=True)
@parsing.produces("text/plain")
def show_metrics() -> Response:
    """Figures of this process and of the store's background work, as Prometheus reads them."""
    text = metrics.metrics_of(current_app).text()
    return Response(text, HTTPStatus.OK, content_type=metrics.CONTENT_TYPE)


@bp.get("/v1/problems")
@needs("anyone")
def list_problems() -> Response:
    """Every code that an error can have."""
    parsing.query(NoQuery)
    found = [
        wire_service.ProblemCode(code, status, title, REMEDIES[code])
        for code, (status, title) in problems.CODES.items()
    ]
    return answers.answer(wire_service.ProblemCodes(found))
