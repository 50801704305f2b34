"""What the program is told from outside, read once, as one frozen struct.

Environment variables only. This file must not connect to anything or touch a folder.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from api.scopes import KINDS
from events.errors import BadSetting
from events.schema import Roles

MEBIBYTE = 1024 * 1024
_LIMIT = re.compile(r"off|[1-9][0-9]{0,8}/(second|minute|hour|day)")
_SHARE = re.compile(r"off|[1-9][0-9]{0,5}")
_SHARED = ("streams", "threads", "connections")


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """Every setting with its default; the database URLs are SQLAlchemy's, for psycopg."""

    database_url: str | None = None
    """The program's login. None: start the PostgreSQL that comes with the program, in `home`."""
    worker_database_url: str | None = None
    migration_database_url: str | None = None
    roles: Roles = Roles()
    home: Path
    host: str = "127.0.0.1"
    port: int = 8500
    open_table: bool = False
    """Whether whoever reaches the port is the table: may see every hand and private games."""
    hosts: tuple[str, ...] = ()
    """Names, besides loopback's, that the service answers to once there are tokens."""
    proxies: int = 0
    """How many proxies in front tell, in X-Forwarded-For and -Proto, who asks and over what."""
    limits: Mapping[str, str] = {}
    """How many requests of a kind, as `count/unit` or `off`, where not the default of `api.limits`."""
    shares: Mapping[str, int | None] = {}
    """How much one asker may hold at the same time, None for all, where not the default of `api.shares`."""
    session_hours: int = 12
    max_body: int = MEBIBYTE
    """Bytes of a request's body, other than an import."""
    max_import: int = 64 * MEBIBYTE
    max_streams: int = 64
    """How many may follow games at the same time; each takes a thread."""
    threads: int = 16
    """How many requests that end by themselves are answered at the same time."""
    grace: int = 10
    """Seconds that requests get to finish once the service is told to stop."""
    pool_size: int = 8
    pooler: bool = False
    """Whether `database_url` leads to a pooler that lends out sessions a transaction at a time, like PgBouncer."""
    statement_timeout: int = 60
    """Seconds, for every statement of the program's own login; with a pooler the role's own setting counts."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Config":
        """Read the settings; raises BadSetting with the variable, its value and what was expected."""
        get = environment.get
        database_url = _url("DATABASE_URL", get("DATABASE_URL"))
        worker_url = _url("WORKER_DATABASE_URL", get("WORKER_DATABASE_URL"))
        return cls(
            database_url=database_url,
            worker_database_url=worker_url,
            migration_database_url=_url("MIGRATION_DATABASE_URL", get("MIGRATION_DATABASE_URL")),
            roles=Roles(
                owner=get("LANTERLOG_OWNER_ROLE") or Roles().owner,
                app=get("LANTERLOG_APP_ROLE") or _login(database_url) or Roles().app,
                worker=get("LANTERLOG_WORKER_ROLE") or _login(worker_url) or Roles().worker,
            ),
            home=Path(get("LANTERLOG_HOME") or default_home()).expanduser().absolute(),
            host=get("LANTERLOG_HOST") or "127.0.0.1",
            port=_number(environment, "LANTERLOG_PORT", 8500, range(65536)),
            open_table=bool(_number(environment, "LANTERLOG_OPEN_TABLE", 0, range(2))),
            hosts=tuple(
                one.strip().lower()
                for one in (get("LANTERLOG_HOSTS") or "").split(",")
                if one.strip()
            ),
            proxies=_number(environment, "LANTERLOG_PROXIES", 0, range(6)),
            limits=_limits(get("LANTERLOG_LIMITS") or ""),
            shares=_shares(get("LANTERLOG_SHARES") or ""),
            session_hours=_number(environment, "LANTERLOG_SESSION_HOURS", 12, range(1, 721)),
            max_body=_number(environment, "LANTERLOG_MAX_BODY", MEBIBYTE, range(1, 2**40)),
            max_import=_number(environment, "LANTERLOG_MAX_IMPORT", 64 * MEBIBYTE, range(1, 2**40)),
            max_streams=_number(environment, "LANTERLOG_MAX_STREAMS", 64, range(1001)),
            threads=_number(environment, "LANTERLOG_THREADS", 16, range(1, 257)),
            grace=_number(environment, "LANTERLOG_GRACE", 10, range(1, 601)),
            pool_size=_number(environment, "LANTERLOG_POOL_SIZE", 8, range(1, 1001)),
            pooler=bool(_number(environment, "LANTERLOG_POOLER", 0, range(2))),
            statement_timeout=_number(
                environment, "LANTERLOG_STATEMENT_TIMEOUT", 60, range(1, 86401)
            ),
        )


def default_home() -> Path:
    """Where the data lie unless LANTERLOG_HOME says otherwise.

    Root's own folder is closed to the user as whom root's PostgreSQL has to run, so root's data lie
    where services keep theirs.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/lanterlog")
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path("~/.local/share").expanduser()) / "lanterlog"


def _url(name: str, value: str | None) -> str | None:
    """The URL with the driver that we use, since a hosting service writes `postgres://` alone."""
    if not value:
        return None
    scheme, _, rest = value.partition("://")
    # The errors do not show the value: it holds a password.
    if scheme not in {"postgres", "postgresql", "postgresql+psycopg"} or not rest:
        raise BadSetting(f"{name} has another scheme, expected postgresql://")
    try:
        return make_url(f"postgresql+psycopg://{rest}").render_as_string(hide_password=False)
    except (ArgumentError, ValueError):
        raise BadSetting(f"{name} is no database URL, expected postgresql://...") from None


def _login(url: str | None) -> str | None:
    return make_url(url).username if url else None


def _limits(text: str) -> Mapping[str, str]:
    """Read `read=600/minute import=off`."""
    found: dict[str, str] = {}
    for word in text.replace(",", " ").split():
        kind, _, limit = word.partition("=")
        if kind not in KINDS or not _LIMIT.fullmatch(limit):
            raise BadSetting(
                f"LANTERLOG_LIMITS has {word!r}, expected e.g. read=600/minute or read=off, of the kinds "
                f"{', '.join(KINDS)}"
            )
        found[kind] = limit
    return found


def _shares(text: str) -> Mapping[str, int | None]:
    """Read `streams=8 threads=off`."""
    found: dict[str, int | None] = {}
    for word in text.replace(",", " ").split():
        kind, _, share = word.partition("=")
        if kind not in _SHARED or not _SHARE.fullmatch(share):
            raise BadSetting(
                f"LANTERLOG_SHARES has {word!r}, expected e.g. streams=8 or streams=off, of {', '.join(_SHARED)}"
            )
        found[kind] = None if share == "off" else int(share)
    return found


def _number(environment: Mapping[str, str], name: str, default: int, allowed: range) -> int:
    value = environment.get(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or int(value) not in allowed:
        raise BadSetting(
            f"{name} is {value!r}, expected a number from {allowed.start} to {allowed.stop - 1}"
        )
    return int(value)
