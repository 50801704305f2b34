"""The service as a process of its own, for tests that need a real server."""

import atexit
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from api import db
from api.config import Config
from tests.postgres import scratch
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[1]


@cache
def _empty_store() -> Path:
    """A data folder with a migrated store: as a first start makes it, which takes seconds. To be copied."""
    home = scratch() / f"lanterlog-empty-{uuid4().hex[:12]}"
    home.mkdir(mode=0o755)
    atexit.register(shutil.rmtree, home)
    with db.opened(Config(home=home / "data")):
        return home / "data"


class Served:
    """A running service; its output grows in files.

    Where its folder has no data yet and it is to have a database of its own, it is not started for the *first*
    time unless that is asked for.
    """

    def __init__(
        self,
        home: Path,
        *words: str,
        settings: Mapping[str, str] | None = None,
        first: bool = False,
    ) -> None:
        self.home = home
        if not (first or "DATABASE_URL" in (settings or {}) or (home / "data").exists()):
            command = ["cp", "-a", str(_empty_store()), str(home / "data")]
            subprocess.run(command, check=True, timeout=PATIENCE)
        self.out, self.err = home / "serve.out", home / "serve.err"
        serve = [sys.executable, "-m", "api.cli", "serve", "--port", "0", *words]
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(
                serve,
                stdout=out,
                stderr=err,
                cwd=ROOT,
                env=environment(home) | dict(settings or {}),
                start_new_session=True,
            )

    def links(self) -> list[str]:
        """Wait for the links and return them."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            found = re.findall(r"http://\S+", self.out.read_text())
            if any(link.endswith("/healthz") for link in found):
                return found
            time.sleep(0.05)
        pytest.fail(f"not served: {self.out.read_text()} {self.err.read_text()}")

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)

    def stop(self, number: int) -> int:
        """Send a signal to the whole group, as a terminal does, and return the exit code."""
        os.killpg(self.process.pid, number)
        return self.process.wait(PATIENCE)


def environment(home: Path) -> dict[str, str]:
    ours = {k: v for k, v in os.environ.items() if not k.endswith("DATABASE_URL")}
    return ours | {"LANTERLOG_HOME": str(home / "data")}


def command(
    *words: object, env: Mapping[str, str] | None = None, patience: float = PATIENCE
) -> subprocess.CompletedProcess[str]:
    """Run a command of the program as a process of its own, to its end."""
    return subprocess.run(
        [sys.executable, "-m", "api.cli", *map(str, words)],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=patience,
    )  # fmt: skip


@contextmanager
def running(
    *words: str, env: Mapping[str, str], err: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A command of the program that goes on until the block is left; it says in a file what it has to say."""
    with Path(err or os.devnull).open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "api.cli", *words], cwd=ROOT, env=env, stderr=said
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(PATIENCE)


def children(pid: int) -> list[int]:
    """The processes that a process has begun."""
    begun = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in begun.read_text().split()]


def command_of(pid: int) -> bytes:
    """The words by which a process was begun; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def get(url: str, **headers: str) -> tuple[int, str]:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=PATIENCE)
    connection.request("GET", parts.path or "/", headers=headers)
    answer = connection.getresponse()
    status, text = answer.status, answer.read().decode()
    connection.close()
    return status, text
