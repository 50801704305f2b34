"""How people reach Lanterlog: the HTTP service and the `lanterlog` command.

Importing this package loads no web framework: `lanterlog verify` needs none.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from api.config import Config


def create_app(config: "Config") -> "Flask":
    """Return the WSGI application over a migrated database; `config.database_url` must be set."""
    from api.service import make_app

    return make_app(config)
