"""The words of the commands that bring games in, show them and take them out."""

from typing import Any

from api.usage import words


def import_(commands: Any) -> None:
    """Add `lanterlog import`."""
    new = words.add(
        commands, "import", "transfer:import_files", "take in files of any known format",
        "lanterlog import game.ndjson", "lanterlog import --check table.txt",
        "lanterlog import --bulk archive.ndjson",
    )  # fmt: skip
    new.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
    new.add_argument("--check", action="store_true", help="store nothing, name the first bad line")
    new.add_argument(
        "--bulk", action="store_true",
        help="for archives of Lanterlog's own: each game for itself, all that hold are stored, those that "
        "are here are passed over",
    )  # fmt: skip
    new.add_argument(
        "--jobs", type=words.version, metavar="N", help="processes of --bulk (default: one a core)"
    )
    words.as_json(new)


def games(commands: Any) -> None:
    """Add `lanterlog games`."""
    new = words.add(
        commands, "games", "games:list_games", "list the games in the store",
        "lanterlog games", "lanterlog games --json | jq .players",
    )  # fmt: skip
    words.as_json(new)


def replay(commands: Any) -> None:
    """Add `lanterlog replay`."""
    new = words.add(
        commands, "replay", "games:replay", "leaf through a game, or show the table at any version",
        "lanterlog replay last", "lanterlog replay 0197 --at 42 --seat B", "lanterlog replay last | less",
    )  # fmt: skip
    new.add_argument("game", metavar="GAME", help=words.GAME)
    new.add_argument("--at", type=words.version, metavar="N", help="show the table at this version")
    new.add_argument("--seat", metavar="S", help="as this seat saw it: 0 to 7, or A to H")
    words.as_json(new)


def audit(commands: Any) -> None:
    """Add `lanterlog audit`."""
    new = words.add(
        commands, "audit", "audits:audit_games", "name every breach of the rules",
        "lanterlog audit last --calls", "lanterlog audit last --report --deal 2", "lanterlog audit --all --ruleset seed --lang ja",
        "lanterlog audit --all --summary --resume audits.ndjson",
    )  # fmt: skip
    new.add_argument("game", nargs="?", metavar="GAME", help=words.GAME)
    new.add_argument("--all", action="store_true", help="every game in the store")
    new.add_argument(
        "--ruleset",
        metavar="R",
        help="judge by this preset, not by the game's own rules; a report puts it beside them",
    )
    new.add_argument(
        "--engine", choices=("recorded", "newest"), default="newest",
        help="judge as the newest version of this program does (default), or as the one that opened the game did",
    )  # fmt: skip
    new.add_argument("--deal", type=words.version, metavar="D", help="this deal only")
    new.add_argument(
        "--report", action="store_true",
        help="of one game all that is needed to rule on it: positions, what was known and legal, scores, the record",
    )  # fmt: skip
    new.add_argument(
        "--from",
        dest="first",
        type=words.version,
        metavar="N",
        help="a report from this version on",
    )
    new.add_argument(
        "--to", dest="last", type=words.version, metavar="N", help="a report up to this version"
    )
    new.add_argument(
        "--calls", action="store_true",
        help='also why each call of "Rummy!" stood or fell, and which were possible and not made',
    )  # fmt: skip
    new.add_argument(
        "--lang", choices=("en", "ja"), default="en", help="English (default) or Japanese"
    )
    new.add_argument(
        "--summary",
        action="store_true",
        help="with --all: by ruleset and by code, not game by game",
    )
    new.add_argument(
        "--resume", metavar="FILE",
        help="with --all: keep each report in FILE, and pass over games that are there as they are now",
    )  # fmt: skip
    new.add_argument(
        "--against", metavar="FILE",
        help="with --all: only what differs from reports that another program wrote with --all --json",
    )  # fmt: skip
    new.add_argument(
        "--jobs", type=words.version, metavar="N", help="processes of --all (default: one a core)"
    )
    words.as_json(new)


def export(commands: Any) -> None:
    """Add `lanterlog export`."""
    new = words.add(
        commands, "export", "exporting:export_games", "write games to a file",
        "lanterlog export last --format txt", "lanterlog export last --format html -o game.html",
        "lanterlog export --all -o archive.ndjson", "lanterlog export --all --format parquet -o DIR",
        "lanterlog export --since 1200 --format csv -o new.csv", "lanterlog export --all --format html -o games.html",
    )  # fmt: skip
    new.add_argument("game", nargs="?", metavar="GAME", help=words.GAME)
    new.add_argument("--all", action="store_true", help="every game in the store")
    new.add_argument(
        "--since",
        type=words.position,
        metavar="N",
        help="what came after this position of the ledger",
    )
    new.add_argument(
        "--until", type=words.position, metavar="N", help="what came up to this position"
    )
    new.add_argument(
        "--format", choices=("ndjson", "txt", "csv", "html", "parquet"), default="ndjson",
        help="ndjson keeps everything (default), txt is for people, csv and parquet are tables, html is a replay: of many games "
        "in one file (-o F.html), or a file each (-o DIR)",
    )  # fmt: skip
    new.add_argument(
        "--table", choices=("events", "deals", "scores", "findings", "disputes", "rulings"), help="which table as csv (default: events)"
    )  # fmt: skip
    new.add_argument("--lang", choices=("en", "ja"), default="en", help="language of the replay")
    new.add_argument(
        "-o",
        "--output",
        metavar="F",
        help="a file, or a new folder, which appears when it is whole",
    )


def verify(commands: Any) -> None:
    """Add `lanterlog verify`."""
    new = words.add(
        commands, "verify", "transfer:verify",
        "check the hashes of a file, which needs no database, or of the whole store",
        "lanterlog verify archive.ndjson", "lanterlog verify --store --anchors anchors.ndjson",
    )  # fmt: skip
    new.add_argument("file", nargs="?", metavar="FILE", help="a file, or - for standard input")
    new.add_argument("--store", action="store_true", help="every game in the store, and the ledger")
    new.add_argument(
        "--jobs", type=words.version, metavar="N", help="processes (default: one a core)"
    )
    new.add_argument("--anchors", metavar="FILE", help="what `lanterlog anchor -o FILE` wrote")
    words.as_json(new)


def casebook(commands: Any) -> None:
    """Add `lanterlog casebook`."""
    book = commands.add_parser("casebook", help="work with a book of rulings")
    add = book.add_subparsers(metavar="COMMAND", required=True)
    out = words.add(
        add, "export", "cases:export", "write what a dispute's decision found as a case file",
        "lanterlog casebook export last -o ruling.yaml",
    )  # fmt: skip
    out.add_argument("dispute", metavar="DISPUTE", help=words.DISPUTE)
    out.add_argument("-o", "--output", metavar="F", help="a file, which appears when it is whole")
    new = words.add(
        add, "check", "cases:check", "run case files through the rules; needs no database",
        "lanterlog casebook check rulings.yaml",
    )  # fmt: skip
    new.add_argument("files", nargs="+", metavar="FILE", help="YAML, one case a document")
    new.add_argument("-v", "--verbose", action="store_true", help="also those that passed")
    words.as_json(new)


def simulate(commands: Any) -> None:
    """Add `lanterlog simulate`."""
    new = words.add(
        commands, "simulate", "simulating:simulate",
        "let programs play games, into the store, into a file, or at the tables of a service",
        "lanterlog simulate --games 10 --seats 4 --bot greedy",
        "lanterlog simulate --game loo5 --to http://127.0.0.1:8500",
        'lanterlog simulate --seed 7 --ruleset "seed target=1000 go_out=floating" -o games.ndjson',
    )  # fmt: skip
    new.add_argument(
        "--game", choices=("rummy500", "loo5", "loo3", "irish"), default="rummy500",
        help="500 Rummy (default), or Lanterloo: five cards, three, or Irish",
    )  # fmt: skip
    new.add_argument(
        "--games", type=words.version, default=1, metavar="N", help="how many (default 1)"
    )
    new.add_argument("--seats", type=words.seats, default=4, metavar="K", help="2 to 8 (default 4)")
    new.add_argument(
        "--seed", type=words.seed, metavar="S",
        help="makes the same file again, byte by byte (default: any); the store shuffles by itself",
    )  # fmt: skip
    new.add_argument(
        "--bot", choices=("random", "greedy"), default="greedy",
        help="greedy takes what it can (default), random does anything that is legal",
    )  # fmt: skip
    new.add_argument(
        "--ruleset", default="seed", metavar="R", help="a preset's name, then options: see examples"
    )
    new.add_argument(
        "--deals", type=words.version, default=50, metavar="D",
        help="abandon a game that has not ended after so many deals (default 50), or a deal that has no end",
    )  # fmt: skip
    where = new.add_mutually_exclusive_group()
    where.add_argument(
        "-o", "--output", metavar="F",
        help="a file instead of the store, .ndjson or .txt; needs no database",
    )  # fmt: skip
    where.add_argument(
        "--to", metavar="URL",
        help="the tables of a service that shows all cards: one with --open-table, or with an admin's token "
        "in LANTERLOG_TOKEN; needs no database",
    )  # fmt: skip
    words.as_json(new)
