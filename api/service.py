"""The application: what it is made of, and the addresses about the service itself."""

from http import HTTPStatus

from flask import Blueprint, Flask, Response
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.middleware.proxy_fix import ProxyFix

from api import (
    access,
    answers,
    audits,
    compression,
    db,
    exports,
    games,
    guard,
    legal,
    lists,
    moments,
    parsing,
    problems,
    replays,
    session,
    streams,
)
from api.config import Config
from api.poller import Poller
from api.scopes import needs
from api.viewer import pages
from api.wire import NoQuery

bp = Blueprint("service", __name__)


def make_app(config: Config) -> Flask:
    """Return the application over a migrated database, with a pool of its own."""
    app = Flask("lanterlog", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = config.max_body
    app.url_map.strict_slashes = False
    engine = db.engine(config)
    app.extensions["lanterlog"] = access.Service(config, engine)
    app.extensions[streams.KEY] = Poller(engine, config.max_streams)
    if config.proxies:
        near = ProxyFix(app.wsgi_app, x_for=config.proxies, x_proto=config.proxies, x_host=0)
        app.wsgi_app = near  # type: ignore[method-assign]
    compression.register(app)
    guard.register(app, config)
    problems.register(app)
    for part in (
        bp,
        session.bp,
        pages.bp,
        games.bp,
        replays.bp,
        moments.bp,
        streams.bp,
        legal.bp,
        audits.bp,
        lists.bp,
        exports.bp,
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
    """The database answers too."""
    try:
        with access.reading() as conn:
            conn.execute(select(1))
    except SQLAlchemyError:
        return answers.answer({"status": "no database"}, HTTPStatus.SERVICE_UNAVAILABLE)
    return answers.answer({"status": "ok"})


@bp.get("/v1/problems")
@needs("anyone")
def list_problems() -> Response:
    """Every code that an error can have."""
    parsing.query(NoQuery)
    return answers.answer({"problems": problems.described()})
