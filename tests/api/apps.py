"""The application in the test's own process, and the end of all that it began."""

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from api import create_app
from api.config import Config
from tests.api.documented import watch
from tests.waiting import joined


@contextmanager
def application(config: Config) -> Iterator[Flask]:
    """An application, whose connections are closed when the block is left."""
    app = create_app(config)
    watch(app)
    try:
        yield app
    finally:
        end(app)


def end(app: Flask) -> None:
    """Close an application's connections, once nobody asks any more who could give one back that nobody would close."""
    poller = app.extensions["lanterlog.poller"]
    asking = poller._asking
    poller.close()
    if asking is not None:
        joined(asking)
    app.extensions["lanterlog"].engine.dispose()
