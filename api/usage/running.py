"""The words of the commands that run the service and measure it."""

from typing import Any

from api.usage import words


def serve(commands: Any) -> None:
    """Add `lanterlog serve`."""
    new = words.add(
        commands, "serve", "serving:serve", "serve the HTTP interface until Ctrl-C",
        "lanterlog serve", "lanterlog serve --port 8123 --samples",
    )  # fmt: skip
    new.add_argument("--host", help="a loopback address (default: LANTERLOG_HOST or 127.0.0.1)")
    new.add_argument(
        "--port", type=words.port, help="0 takes any free one (default: LANTERLOG_PORT or 8500)"
    )
    new.add_argument(
        "--samples", action="store_true", help="load the sample games, if the store has none"
    )
    new.add_argument(
        "--open-table", action="store_true",
        help="whoever reaches the port is the table: may ask for every hand, and for private games",
    )  # fmt: skip
    new.add_argument(
        "--worker", action="store_true",
        help="run a worker beside it also with a DATABASE_URL (without one there always is one)",
    )  # fmt: skip


def migrate(commands: Any) -> None:
    """Add `lanterlog migrate`."""
    new = words.add(
        commands, "migrate", "serving:migrate", "bring the database's schema up to date",
        "lanterlog migrate", "MIGRATION_DATABASE_URL=postgresql://... lanterlog migrate --check",
    )  # fmt: skip
    new.add_argument("--check", action="store_true", help="change nothing; 1 if anything differs")


def bench(commands: Any) -> None:
    """Add `lanterlog bench`."""
    new = words.add(
        commands, "bench", "measuring:bench",
        "measure the store, the rules, audits and the service, each beside something else",
        "lanterlog bench --quick", "lanterlog bench --only audit --json",
    )  # fmt: skip
    # The options of `api.bench.add_arguments`, which would load all that it measures with.
    new.add_argument("--quick", action="store_true", help="a rough run, in a few seconds")
    new.add_argument("--large", action="store_true", help="let the archive grow to 10^7 events")
    new.add_argument("--markdown", action="store_true", help="print the tables for a page")
    new.add_argument(
        "--only", action="append", metavar="GROUP",
        help="one group of measures (store, archive, audit, rules, http); may be repeated",
    )  # fmt: skip
    words.as_json(new)
