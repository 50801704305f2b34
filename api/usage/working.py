"""The words of the commands for what goes on behind the log: the worker and the read models."""

from typing import Any

from api.usage import words

MODELS = ("catalogue", "standings", "findings", "all")


def worker(commands: Any) -> None:
    """Add `lanterlog worker`."""
    words.add(
        commands, "worker", "working:worker",
        "seal what is appended and keep the read models, until SIGTERM", "lanterlog worker",
    )  # fmt: skip


def projections(commands: Any) -> None:
    """Add `lanterlog projections` and its own commands."""
    text = "see, rebuild and verify the read models: catalogue, standings, findings"
    group = commands.add_parser(
        "projections", help=text, description=text[0].upper() + text[1:] + "."
    )
    own = group.add_subparsers(metavar="COMMAND", required=True)
    _status(own)
    _rebuild(own)
    _verify(own)


def _status(commands: Any) -> None:
    new = words.add(
        commands, "status", "working:show",
        "tell what waits to be sealed, how far each model is and who keeps it; 1 if one has stopped",
        "lanterlog projections status", "lanterlog projections status --json",
    )  # fmt: skip
    words.as_json(new)


def _rebuild(commands: Any) -> None:
    new = words.add(
        commands, "rebuild", "working:rebuild",
        "make a model anew from the log, beside the one in use, and swap them at once",
        "lanterlog projections rebuild all", "lanterlog projections rebuild findings --jobs 1",
    )  # fmt: skip
    _named(new)


def _verify(commands: Any) -> None:
    new = words.add(
        commands, "verify", "working:verify",
        "compare a model with a fresh fold of the log; 1 if any game differs",
        "lanterlog projections verify all", "lanterlog projections verify standings --json",
    )  # fmt: skip
    _named(new)


def _named(new: Any) -> None:
    new.add_argument("name", metavar="NAME", choices=MODELS, help=", ".join(MODELS))
    new.add_argument(
        "--jobs", type=words.version, metavar="N", help="processes (default: one a core)"
    )
    words.as_json(new)
