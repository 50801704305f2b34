"""`lanterlog audit --all`: every game of the archive, by as many processes as there are cores.

One snapshot for all of them, a report a game in the order of ids, a tally by ruleset and by code. Reports that
are kept in a file are not made again, so whoever was interrupted starts again with the same file. Judges nothing.
"""

from argparse import Namespace
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from heapq import heappop, heappush
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Engine, select

from api import db
from api.commands import crew, differing, output
from api.commands.audits import as_json, preset
from api.commands.differing import Change
from api.commands.reports import Kept, Line, Tally, Terms, kept_in, read_line
from api.config import Config
from api.engines import rules_of
from events import scan, store
from events.codec import decode_log
from events.errors import CodecError, LanterlogError
from events.games import game_named
from events.schema import games
from projections.audit import audit
from projections.board import LETTERS

CLEAN, FOUND = 0, 1
MOST_EVENTS: Final = 20_000
MOST_GAMES: Final = 500
"""How much one process takes at a time."""
_ASIDE: Final = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

Asked = tuple[UUID, int, bytes]
"""A game with its version and its head."""
Portion = tuple[int, Sequence[Asked]]


class Done(msgspec.Struct, frozen=True):
    """The reports of a portion as lines of JSON, in order; or what is wrong with the game after the last."""

    number: int
    lines: list[bytes]
    wrong: str | None = None


def audit_all(args: Namespace) -> int:
    """Print a report a game or the summary; 1 if any rule was broken."""
    terms = Terms(args.ruleset, args.engine, args.lang)
    tally = Tally()
    jobs = args.jobs or crew.cores()
    with db.opened(Config.from_environment()) as engine, kept_in(args.resume, terms) as kept:
        told = tally.counting(_reports(engine, jobs, terms, kept))
        if args.against is not None:
            return _compare(told, args.against, json=args.json)
        if args.summary:
            for _ in told:
                pass
            _summarize(tally, json=args.json)
        elif args.json:
            for line in told:
                output.line(line.text.decode())
        else:
            columns = ("game", "ruleset", "deals", "events", "breaches", "unchecked", "verdict")
            output.table(columns, (_row(line) for line in told))
    output.say(tally.in_words())
    return FOUND if tally.breaches else CLEAN


def _compare(told: Iterator[Line], name: str, *, json: bool) -> int:
    """Print every finding that only one of two programs has; 1 if there is any."""
    before = differing.read_before(name)
    found = games = compared = 0

    def rows() -> Iterator[Change]:
        nonlocal found, games, compared
        for line in told:
            games += 1
            compared += line.game_id in before
            for change in differing.changes(before, line.text):
                found += 1
                yield change

    if json:
        for change in rows():
            output.as_json(change)
    else:
        output.table(
            ("game", "version", "finding", "seat", "rule", "code", "what"), map(_changed, rows())
        )
    told_of = f"{compared} of {output.count(games, 'game')} compared"
    output.say(f"{output.count(found, 'finding')} differ from {name}, {told_of}")
    return FOUND if found else CLEAN


def _changed(one: Change) -> tuple[object, ...]:
    told = one.told
    what = "new" if one.now else "gone"
    seat = "" if told.seat is None else LETTERS[told.seat]
    return one.game_id, told.version, told.severity, seat, told.rule, told.code, what


def audited(engine: Engine, jobs: int) -> Tally:
    """Audit the archive as it is by so many processes, printing nothing; return what it came to."""
    tally = Tally()
    with kept_in(None, Terms()) as kept:
        for _ in tally.counting(_reports(engine, jobs, Terms(), kept)):
            pass
    return tally


def _reports(engine: Engine, jobs: int, terms: Terms, kept: Kept) -> Iterator[Line]:
    """Yield the report of every game, those that are kept as they stand there."""
    with engine.execution_options(**_ASIDE).connect() as conn:
        asked = _asked(conn, terms)
        fresh = [one for one in asked if not kept.has(one[0], one[2])]
        with (
            closing(_made(conn, engine, jobs, terms, fresh)) as lines,
            output.progress("auditing", len(asked)) as bar,
        ):
            for game_id, _, head in asked:
                line = kept.take(game_id, head) or kept.add(read_line(next(lines)))
                bar.step()
                yield line


def _asked(conn: Connection, terms: Terms) -> list[Asked]:
    """Return the games that have events, by id; raise BadUsage if one cannot be judged on these terms."""
    is_game = games.c.kind == "game"
    for name in conn.execute(select(games.c.game).where(is_game).distinct()).scalars():
        preset(name, terms.ruleset)
    wanted = select(games.c.game_id, games.c.version, games.c.head)
    found = conn.execute(wanted.where(is_game, games.c.version > 0).order_by(games.c.game_id))
    return [(row[0], row[1], row[2]) for row in found]


def _made(
    conn: Connection, engine: Engine, jobs: int, terms: Terms, asked: Sequence[Asked]
) -> Generator[bytes, None, None]:
    """Yield the reports of these games as lines, in order; close it while the snapshot lasts.

    A process that was not needed may still be starting when the last line is there, and wants the snapshot.
    """
    portions = list(enumerate(_portions(asked)))
    if jobs == 1 or len(portions) < 3:
        done: Generator[Done, None, None] = (_audit(conn, terms, portion) for portion in portions)
    else:
        url = engine.url.render_as_string(hide_password=False)
        given = (url, scan.share_snapshot(conn), terms)
        done = crew.spread(_task, iter(portions), jobs, _join, given)
    with closing(done):
        for one in _in_order(done):
            yield from one.lines
            if one.wrong is not None:
                raise CodecError(one.wrong)


def _portions(asked: Sequence[Asked]) -> Iterator[Sequence[Asked]]:
    first = events = 0
    for number, (_, version, _) in enumerate(asked, 1):
        events += version
        if events >= MOST_EVENTS or number - first >= MOST_GAMES:
            yield asked[first:number]
            first, events = number, 0
    if first < len(asked):
        yield asked[first:]


def _in_order(done: Iterator[Done]) -> Iterator[Done]:
    waiting: list[tuple[int, Done]] = []
    next_one = 0
    for one in done:
        heappush(waiting, (one.number, one))
        while waiting and waiting[0][0] == next_one:
            next_one += 1
            yield heappop(waiting)[1]


def _audit(conn: Connection, terms: Terms, portion: Portion) -> Done:
    number, asked = portion
    heads = {game_id: head for game_id, _, head in asked}
    lines: list[bytes] = []
    with crew.uncollected():
        for game_id, game, bodies in store.bodies_of(conn, list(heads)):
            try:
                lines.append(_line(game_id, heads[game_id], game, bodies, terms))
            except LanterlogError as error:
                return Done(number, lines, f"game {game_id}: {error}")
    return Done(number, lines)


def _line(game_id: UUID, head: bytes, game: str, bodies: list[bytes], terms: Terms) -> bytes:
    events = decode_log(game, bodies)
    rules, _ = rules_of(game_named(game), events[0].engine, terms.engine)
    report = audit(rules, events, preset(game, terms.ruleset, events[0].ruleset))
    told = as_json(game_id, report, terms.lang) | {"head": head.hex()}
    return msgspec.json.encode(told)


_JOINED: list[tuple[Connection, Terms]] = []
"""What an auditing process has, which ends with the process."""


def _join(url: str, snapshot: str, terms: Terms) -> None:
    config = Config(database_url=url, home=Path("/"), pool_size=1)
    conn = db.engine(config).execution_options(**_ASIDE).connect()
    scan.use_snapshot(conn, snapshot)
    _JOINED.append((conn, terms))


def _task(portion: Portion) -> Done:
    return _audit(*_JOINED[0], portion)


def _row(line: Line) -> tuple[object, ...]:
    breaches, unchecked = len(line.findings), len(line.unchecked)
    return line.game_id, line.ruleset, line.deals, line.events, breaches, unchecked, line.verdict


def _summarize(tally: Tally, *, json: bool) -> None:
    if json:
        output.as_json(tally)
        return
    columns = ("", "name", "games", "events", "breaches", "unchecked")
    output.table(columns, tally.rows())
