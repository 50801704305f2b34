"""The words of `lanterlog dispute`: what can be done about a game whose record somebody doubts."""

from argparse import ArgumentParser
from typing import Any, Final

from api.usage import words

_ADJUST: Final = "DEAL:SEAT:POINTS, for example 3:B:-60; may be given more than once"


def dispute(commands: Any) -> None:
    """Add `lanterlog dispute`."""
    group = commands.add_parser("dispute", help="dispute what was recorded, rule, appeal")
    add = group.add_subparsers(metavar="COMMAND", required=True)
    for one in (_open, _say, _link, _withdraw, _rule, _appeal, _decide, _tag, _show, _list):
        one(add)


def _open(commands: Any) -> None:
    new = words.add(
        commands, "open", "disputes:open_dispute", "say that a record is wrong",
        'lanterlog dispute open last --versions 105,107 --seat A --rule R-6.7 --demand 3:B:-85 "He never melded TD."',
    )  # fmt: skip
    new.add_argument("game", metavar="GAME", help=words.GAME)
    new.add_argument("text", metavar="CLAIM", help="what was wrong, and what is demanded")
    new.add_argument(
        "--versions", required=True, metavar="N,N", help="the versions that it is about"
    )
    new.add_argument(
        "--remedy", choices=("adjust", "note", "replay", "void"), default="adjust",
        help="other scores (default), a finding on record, the deal played again, the deal void",
    )  # fmt: skip
    new.add_argument("--demand", action="append", default=[], metavar="D:S:P", help=_ADJUST)
    _rules(new, "a rule that was broken")
    _speaker(new)
    words.as_json(new)


def _say(commands: Any) -> None:
    new = _act(commands, "say", "add a statement", 'lanterlog dispute say last --seat B "No."')
    new.add_argument("text", metavar="TEXT", help="what is said")
    _speaker(new)


def _link(commands: Any) -> None:
    new = _act(
        commands, "link", "point to evidence", "lanterlog dispute link last --seat A --version 107",
        "lanterlog dispute link last --file report.html",
    )  # fmt: skip
    new.add_argument("--text", metavar="TEXT", help="what it shows")
    new.add_argument("--version", type=words.version, metavar="N", help="a version of the game")
    new.add_argument("--game", metavar="GAME", help="another game (with --version: at that one)")
    new.add_argument("--file", metavar="F", help="a file, of which the SHA-256 is kept")
    _speaker(new)


def _withdraw(commands: Any) -> None:
    new = _act(
        commands, "withdraw", "take a dispute back", "lanterlog dispute withdraw last --seat A"
    )
    new.add_argument("--text", metavar="TEXT", help="why")
    _speaker(new)


def _rule(commands: Any) -> None:
    new = _act(
        commands, "rule", "decide, as the arbiter",
        "lanterlog dispute rule last --decision partly --fact 105:DEEP_CARD_UNMELDABLE --rule R-6.7 "
        '--adjust 3:B:-60 "It had to be melded."',
    )  # fmt: skip
    new.add_argument("--decision", choices=("upheld", "partly", "rejected"), required=True)
    _decision(new)


def _appeal(commands: Any) -> None:
    new = _act(
        commands, "appeal", "do not accept the ruling", 'lanterlog dispute appeal last --seat A "."'
    )
    new.add_argument("text", metavar="TEXT", help="why")
    _speaker(new)


def _decide(commands: Any) -> None:
    new = _act(
        commands, "decide", "decide an appeal, as another arbiter",
        'lanterlog dispute decide last --outcome upheld "Sixty it is."',
    )  # fmt: skip
    new.add_argument("--outcome", choices=("upheld", "changed"), required=True)
    new.add_argument(
        "--decision", choices=("upheld", "partly", "rejected"), help="of the claim, if changed"
    )
    _decision(new)


def _tag(commands: Any) -> None:
    new = _act(
        commands, "tag", "make a decision a precedent", "lanterlog dispute tag last deep-card"
    )
    new.add_argument("tags", nargs="+", metavar="TAG", help="lower-case words with hyphens")


def _show(commands: Any) -> None:
    new = words.add(
        commands, "show", "disputes:show", "print a dispute with all that was said",
        "lanterlog dispute show last", "lanterlog dispute show last --lang ja",
    )  # fmt: skip
    new.add_argument("dispute", metavar="DISPUTE", help=words.DISPUTE)
    new.add_argument(
        "--lang", choices=("en", "ja"), default="en", help="English (default) or Japanese"
    )
    words.as_json(new)


def _list(commands: Any) -> None:
    new = words.add(
        commands, "list", "disputes:list_disputes", "find disputes by what was decided",
        "lanterlog dispute list", "lanterlog dispute list --rule R-6.7 --words deep",
    )  # fmt: skip
    new.add_argument("game", nargs="?", metavar="GAME", help=words.GAME)
    new.add_argument("--rule", metavar="R", help="a rule that a decision applies")
    new.add_argument("--code", metavar="C", help="the code of a fact found")
    new.add_argument("--words", metavar="W", help="words that all stand in the reasons")
    new.add_argument("--tag", metavar="T", help="a tag")
    new.add_argument(
        "--standing", choices=("open", "ruled", "appealed", "final", "withdrawn"), metavar="S"
    )
    words.as_json(new)


def _act(commands: Any, name: str, text: str, *examples: str) -> ArgumentParser:
    new = words.add(commands, name, f"disputes:{name}", text, *examples)
    new.add_argument("dispute", metavar="DISPUTE", help=words.DISPUTE)
    words.as_json(new)
    return new


def _speaker(new: ArgumentParser) -> None:
    new.add_argument("--seat", metavar="S", help="for which seat: 0 to 7, or A to H")


def _rules(new: ArgumentParser, text: str) -> None:
    new.add_argument("--rule", action="append", default=[], metavar="R", help=text)


def _decision(new: ArgumentParser) -> None:
    new.add_argument("text", metavar="REASONS", help="why")
    new.add_argument(
        "--fact", action="append", default=[], metavar="N:CODE", help="a breach found at a version"
    )
    new.add_argument(
        "--no-breach", action="append", default=[], metavar="N:CODE", help="what was none"
    )
    _rules(new, "a rule that is applied")
    new.add_argument("--adjust", action="append", default=[], metavar="D:S:P", help=_ADJUST)
    new.add_argument("--by", metavar="ID", help="the arbiter's id, if he has one here")
