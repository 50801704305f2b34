"""`lanterlog chances`: were the cards and scores of many deals such as a well-shuffled pack gives?

Prints figures and says what they cannot say; it passes no judgement on anybody.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection

from api.commands import output
from api.commands.store import connected, count_games
from events import erasure, store
from events.codec import decode_log
from projections.chances import Answer, Question, Tally

Row = tuple[object, ...]

_COLUMNS: Final = ("what", "position", "hands", "seen", "expected", "p", "corrected", "needed")
_NOT_SAID: Final = (
    "Unusual numbers come by chance too, and have many causes: a poor shuffle, a record with gaps, a choice of "
    "games. This is no proof of anything and says nothing about anybody's intentions."
)


def chances(args: Namespace) -> int:
    """Reckon over every game in the store, one after another, and print what was found."""
    with connected() as conn:
        player = None if args.player is None else str(erasure.find_person(conn, args.player))
        answer = _tallied(conn, player).answer(args.bias)
    if args.json:
        output.as_json(answer)
    else:
        _print(answer)
    return 0


def _tallied(conn: Connection, player: str | None) -> Tally:
    tally = Tally(player)
    with output.progress("reckoning", count_games(conn)) as bar:
        for _, game, bodies in store.stream_bodies(conn):
            bar.step()
            tally.add(decode_log(game, bodies))
    return tally


def _print(answer: Answer) -> None:
    output.table(_COLUMNS, _rows(answer.questions))
    deals, unknown = output.count(answer.deals, "deal"), output.count(answer.unknown, "deal")
    output.line(
        f"{deals} in {output.count(answer.games, 'game')}; {unknown} with unknown hands left out"
    )
    if not answer.questions:
        output.line("there is nothing to reckon with yet")
        return
    looked = output.count(len(answer.questions), "number")
    output.line(
        f"{len(answer.unusual)} of {looked} unusual at the level of {answer.level}, corrected for all of them; "
        f"needed: hands to see a bias of {answer.bias:g}"
    )
    output.line(_NOT_SAID)


def _rows(questions: tuple[Question, ...]) -> Iterator[Row]:
    for one in questions:
        mark = " *" if one.is_unusual else ""
        numbers = f"{one.seen:g}" if one.kind != "scores" else f"{one.seen:.1f}"
        place = "dealer" if one.position == 0 else f"dealer+{one.position}"
        yield (
            *(one.kind, place, one.hands, numbers, f"{one.expected:.1f}"),
            *(f"{one.p_value:.3g}", f"{one.corrected:.3g}{mark}"),
            "" if one.needed is None else one.needed,
        )
