"""The server's log: one line an event on standard error, JSON where nobody looks at a terminal.

No bodies, no parameters, no headers are ever logged: they hold tokens. What looks like one all the same,
in whatever is logged, is masked.
"""

import logging
import sys
from typing import Any, Final

import structlog

from api.tokens import masked

_USUAL: Final = frozenset({"working", "rebuilt"})
"""What a worker tells when all is well."""


def configure(level: int = logging.INFO) -> None:
    """Set up structlog for this process; the last call counts."""
    on_terminal = sys.stderr.isatty()
    renderers: list[Any] = (
        # Plain: the pretty ones print every local variable, hands and later tokens among them.
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if on_terminal
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *renderers,
            _mask,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


class Through(logging.Handler):
    """Takes what other packages log into this log, under the name of their logger."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record as a line of ours; its traceback, if it has one, is part of it."""
        level = min(max(record.levelno // 10 * 10, logging.DEBUG), logging.CRITICAL)
        more = {"exc_info": record.exc_info} if record.exc_info else {}
        structlog.get_logger().log(level, record.getMessage(), source=record.name, **more)


def _mask(_logger: Any, _name: str, line: Any) -> str:
    """The last step: whatever the line holds, a traceback included."""
    return masked(str(line))


def tell(event: str, /, **fields: Any) -> None:
    """Log what a worker has to tell: as a warning unless it is the usual."""
    log = structlog.get_logger()
    if event in _USUAL:
        log.info(event, **fields)
    else:
        log.warning(event, **fields)


def tell_troubles(event: str, /, **fields: Any) -> None:
    """Log it only if it is not the usual."""
    if event not in _USUAL:
        tell(event, **fields)
