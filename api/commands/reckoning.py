"""`lanterlog chances`: were the cards and scores of many deals such as a well-shuffled pack gives?

Prints figures and says what they cannot say; it passes no judgement on anybody.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from api import reckoned
from api.chances_words import NOTE
from api.commands import output, pick
from api.commands.store import connected
from api.reckoned import Wanted
from events import erasure
from projections.chances import Tally
from projections.chances_told import Answer, Question

Row = tuple[object, ...]

_COLUMNS: Final = ("what", "position", "hands", "seen", "expected", "p", "corrected", "needed")
_PLACES: Final = (
    "places: seats that the position was ahead of, as if neither the position nor who sits there mattered; "
    "both do, so this tells of the game and its players first"
)
_APART: Final = "apart: the same beside what these players and these positions brought when others dealt, in the same games"


def chances(args: Namespace) -> int:
    """Reckon over the games in the store that are wanted, one after another, and print what was found."""
    with connected() as conn:
        wanted = _wanted(conn, args)
        found = reckoned.stored(conn, wanted)
        tally = Tally(None if wanted.dealer is None else str(wanted.dealer), is_whole=True)
        with output.progress("reckoning", len(found)) as bar:
            answer = reckoned.tallied(conn, found, tally, bar.step).answer(args.bias, args.edge)
    if args.json:
        output.as_json(answer)
    else:
        _print(answer)
    return 0


def _wanted(conn: Connection, args: Namespace) -> Wanted:
    def person(name: str) -> UUID:
        return erasure.find_person(conn, name)

    return Wanted(
        game=args.game,
        game_id=None if args.only is None else pick.game_id(conn, args.only),
        ruleset=args.ruleset,
        players=tuple(map(person, args.at_table)),
        dealer=None if args.player is None else person(args.player),
        since=args.since,
        until=args.until,
    )


def _print(answer: Answer) -> None:
    output.table(_COLUMNS, _rows(answer.questions))
    out = f"{output.count(answer.unknown, 'deal')} with unknown hands left out"
    deals, games = output.count(answer.deals, "deal"), output.count(answer.games, "game")
    output.line(f"{deals} in {games}, {answer.scored} with scores; {out}")
    if not answer.questions:
        _print_outlook(answer)
        return
    looked = output.count(answer.tests, "number")
    output.line(
        f"{len(answer.unusual)} of {looked} unusual at the level of {answer.level}, corrected for all of them (Holm)"
    )
    output.line(_needed(answer))
    kinds = {one.kind for one in answer.questions}
    for kind, text in (("places", _PLACES), ("apart", _APART)):
        if kind in kinds:
            output.line(text)
    output.line(NOTE["en"])


def _needed(answer: Answer) -> str:
    return (
        f"needed: hands to see {answer.bias:g} special cards too many a hand, or to be ahead of another seat "
        f"{50 + 100 * answer.edge:g} times in 100, {answer.power:.0%} of the time"
    )


def _print_outlook(answer: Answer) -> None:
    output.line("there is nothing to reckon with yet; a table of four would need so many hands:")
    for one in answer.outlook:
        output.line(f"  {one.game} {one.kind}: {one.needed}")
    output.line(_needed(answer))


def _rows(questions: tuple[Question, ...]) -> Iterator[Row]:
    for one in questions:
        mark = " *" if one.is_unusual else ""
        place = "dealer" if one.position == 0 else f"dealer+{one.position}"
        yield (
            *(one.kind, place, one.hands, f"{one.seen:.12g}", f"{one.expected:z.1f}"),
            *(f"{one.p_value:.3g}", f"{one.corrected:.3g}{mark}"),
            "-" if one.needed is None else one.needed,
        )
