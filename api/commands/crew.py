"""Shares work out among processes, a few pieces ahead, so that neither memory nor anybody's patience ends."""

import gc
import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """Return how many processes can run at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(
    task: Callable[[T], R],
    items: Iterator[T],
    jobs: int,
    begin: Callable[..., None],
    given: tuple[Any, ...],
) -> Generator[R, None, None]:
    """Yield what *task* makes of each item, in any order; each process first runs *begin* with *given*.

    Every process has ended when this is exhausted or closed, not when the last item is there.
    """
    with ProcessPoolExecutor(jobs, get_context("spawn"), begin, given) as pool:
        running: set[Future[R]] = {pool.submit(task, item) for item in islice(items, 2 * jobs)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(task, one) for one in islice(items, 2 * jobs - len(running))}
            yield from (one.result() for one in done)


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the search for circles of garbage rest: events and states make none, and many of them are made."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
