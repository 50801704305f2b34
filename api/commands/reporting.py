"""`lanterlog audit GAME --report`: one game's breaches with all that is needed to rule on them, as text or JSON.

In a pipe the same lines as on a terminal: a report is for reading.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from api import reported
from api.asker import OWNER
from api.commands import output
from api.reported import Reported
from api.viewing import Eyes
from api.wire import encode
from events import docket
from events.games import game_named
from events.recorder import Log
from projections.correction import DealCorrection
from projections.report import AuditReport, Told
from projections.report_text import Teller
from projections.views import board_of


def report_game(conn: Connection, log: Log, args: Namespace, ruleset: Any) -> bool:
    """Print the report of a game; tell whether nothing was found."""
    game = game_named(log.head.game)
    # The command line has the database itself: nothing can be kept from it.
    eyes = Eyes.of(log.head.game, log.events, "all", OWNER.sight(log.head.game_id))
    imported = reported.import_of(conn, log.head.game_id)
    asked = {"deal": args.deal, "first": args.first, "last": args.last}
    disputes = docket.of_game(conn, log.head.game_id)
    found = reported.reported(log, eyes, imported, disputes, ruleset=ruleset, **asked)
    teller = Teller(args.lang)
    if args.json:
        output.line(encode(reported.answer(found, eyes, teller)).decode())
    else:
        for line in lines(found, teller, game.name):
            output.line(line)
    return not found.report.breaches


def lines(found: Reported, teller: Teller, game: str) -> Iterator[str]:
    """Yield a report as text."""
    told, words = found.report, teller.words
    yield f"{words['title']}{words['colon']}{words[f'game.{game}']} {found.log.head.game_id}"
    yield teller.scope(told)
    yield teller.say("rules", rules=told.ruleset)
    yield f"{words['verdict']}{words['colon']}{teller.verdict(told)}"
    for number, one in enumerate(told.primary, 1):
        yield ""
        yield from _breach(number, one, told, teller)
    if told.unchecked:
        yield ""
        yield words["unchecked"]
        for other in told.unchecked:
            yield f"  {teller.say('event', at=other.version)}{words['colon']}{teller.sentence(other)}"
    yield from _scores(told, teller)
    if told.beside is not None:
        yield ""
        yield words["sides"]
        yield from (f"  {line}" for line in teller.sides(told, told.beside))
        for other in told.beside.findings:
            yield f"    {teller.say('event', at=other.version)}{words['colon']}{teller.sentence(other)}"
    yield ""
    yield words["record"]
    yield from (f"  {line}" for line in reported.record_lines(found, teller))


def _breach(number: int, told: Told, whole: AuditReport, teller: Teller) -> Iterator[str]:
    words, colon = teller.words, teller.words["colon"]
    yield f"{number}. {teller.heading(told)}{colon}{teller.sentence(told.finding)}"
    yield f"   {told.finding.rule} {told.finding.code}"
    yield f"   {words['happened']}{colon}{teller.happened(told)}"
    if told.moment is not None:
        yield f"   {words['before']}{colon.rstrip()}"
        yield from (
            f"     {line}" for line in board_of(told.moment.view, lang=teller.lang).splitlines()
        )
        if told.moment.knowledge is not None:
            yield f"   {teller.say('knew', who=teller.actor(told))}{colon.rstrip()}"
            yield from (f"     {line}" for line in teller.knowledge(told.moment.knowledge))
            acts = words["semicolon"].join(teller.acts(whole, told))
            yield f"   {teller.say('could', who=teller.actor(told))}{colon}{acts}"
        due = teller.due(told)
        if due:
            yield f"   {words['due']}{colon}{' '.join(due)}"
    yield f"   {words['effect']}{colon}{teller.breach_effect(told)}"
    follow = whole.following(told)
    if follow:
        yield f"   {words['follow']}{colon.rstrip()}"
        for one in follow:
            yield f"     {teller.say('event', at=one.finding.version)}{colon}{teller.sentence(one.finding)}"


def _scores(told: AuditReport, teller: Teller) -> Iterator[str]:
    if not told.correction.deals:
        return
    yield ""
    yield teller.words["scores"]
    for deal in told.correction.deals:
        yield f"  {_deal(deal, teller)}"
    words = teller.words
    yield f"  {words['scores.total']}{words['colon']}{teller.total(told.correction)}"


def _deal(deal: DealCorrection, teller: Teller) -> str:
    words = teller.words
    return f"{words['scores.deal']} {deal.deal}{words['colon']}{teller.effect(deal)}"
