"""`lanterlog import` and `verify`: logs into the store, and checked without one."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, cast

import msgspec

from api.commands import output
from events.errors import AlteredFile, AlteredLog, BadUsage, LanterlogError, OtherHead

DONE, ALTERED, NOT_A_LOG = 0, 1, 2
STANDARD: Final = "-"


def import_files(args: Namespace) -> int:
    """Take in files, each whole or not at all; the worst of them decides the exit code."""
    if args.bulk:
        from api.commands import bulk

        return bulk.import_files(args)
    if args.jobs:
        raise BadUsage("--jobs belongs to --bulk")
    from api import db
    from api.config import Config

    with db.opened(Config.from_environment()) as engine:
        return max(_import(engine, name, args) for name in args.files)


def verify(args: Namespace) -> int:
    """Check a file of our own format without any database, or the store."""
    if args.store == bool(args.file):
        raise BadUsage("verify what? expected a FILE or --store")
    if args.store:
        from api.commands.checking import verify_store

        return verify_store(args)
    if args.jobs or args.anchors:
        raise BadUsage("--jobs and --anchors belong to the store, expected --store")
    from events.formats import ndjson

    with (
        refusing(args.file),
        source(args.file) as file,
        output.watched(file, "verifying") as watched,
    ):
        found = ndjson.verify(cast(IO[bytes], watched))
    bad = found.first_bad
    if args.json:
        output.as_json({"file": args.file} | msgspec.structs.asdict(found))
    elif bad is None:
        what = "game" if found.position is None else "part"
        counted = f"{output.count(found.games, what)}, {output.count(found.events, 'event')}"
        stretch = f", positions {found.since} to {found.position}"
        output.line(f"intact: {counted}{'' if found.position is None else stretch}")
    else:
        places = (("line", bad.line), ("version", bad.version), ("game", bad.game_id))
        place = ", ".join(f"{what} {value}" for what, value in places if value is not None)
        output.line(f"altered: {place}: {bad.reason}")
    return DONE if found.ok else ALTERED


def _import(engine: Any, name: str, args: Namespace) -> int:
    from api.access import NOBODY
    from events import recorder
    from events.formats.detect import read_file

    try:
        with (
            source(name) as file,
            output.watched(file, f"reading {name}") as watched,
            engine.connect() as conn,
        ):
            done = recorder.import_games(conn, read_file(cast(IO[bytes], watched)), NOBODY)
            if not args.check:
                conn.commit()
    except (LanterlogError, OSError) as error:
        return _not_imported(name, error, args)
    if args.json:
        output.as_json({"file": name, "stored": not args.check} | msgspec.structs.asdict(done))
    else:
        output.line(_summary(name, done, check=args.check))
    return DONE


def _not_imported(name: str, error: Exception, args: Namespace) -> int:
    """Say why nothing of a file was stored; the next file gets its chance."""
    reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    if args.json:
        line = getattr(error, "line", None)
        output.as_json({"file": name, "stored": False, "error": reason, "line": line})
    output.say(f"lanterlog: {name}: {reason}; nothing of it was stored")
    return ALTERED if isinstance(error, AlteredFile | AlteredLog | OtherHead) else NOT_A_LOG


def _summary(name: str, done: Any, *, check: bool) -> str:
    verb = "would be imported" if check else "imported"
    here = f"{output.count(len(done.present), 'game')} already here"
    if not done.imported and not done.continued:
        return f"{name}: nothing new, {here}"
    grown = f"{output.count(len(done.continued), 'game')} continued"
    new = f"{output.count(len(done.imported), 'game')} {verb}"
    told = [*([new] if done.imported else []), *([grown] if done.continued else [])]
    told[-1] += f" with {output.count(done.events, 'event')}"
    return f"{name}: {', '.join([*told, *([here] if done.present else [])])}"


@contextmanager
def source(name: str) -> Iterator[IO[bytes]]:
    """Open a file, or give standard input for `-`."""
    if name == STANDARD:
        yield sys.stdin.buffer
    else:
        with Path(name).open("rb") as file:
            yield file


@contextmanager
def whole_file(name: str | None) -> Iterator[IO[bytes]]:
    """Give what is written to: a file appears under its name only when it is whole."""
    if name is None or name == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    if path.exists() and not path.is_file():
        with naming(path), path.open("wb") as device:
            yield device
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with naming(path, part):
            with part.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
    finally:
        with suppress(NotADirectoryError):
            part.unlink(missing_ok=True)


@contextmanager
def refusing(name: str) -> Iterator[None]:
    """Let an error name the file that it is about."""
    try:
        with naming(Path(name)):
            yield
    except LanterlogError as error:
        raise BadUsage(f"{name}: {error}") from error


@contextmanager
def naming(path: Path, part: Path | None = None) -> Iterator[None]:
    """Let an error of the system name the file that was asked for: a full disk names none, and *part* nobody knows."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not _is_in(str(error.filename), part):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _is_in(name: str, part: Path | None) -> bool:
    return part is not None and Path(name).is_relative_to(part)
