"""Processes that share out work: each takes the next task as soon as it is done with one.

A worker is a fresh interpreter with one pipe to whoever started it. When that one dies, however it does, the
pipe ends and the worker leaves: nothing is left behind.
"""

import gc
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from events.errors import ProjectionError

T = TypeVar("T")
R = TypeVar("R")

Ready = AbstractContextManager[Callable[[T], R]]


def shared(
    count: int, ready: Callable[..., Ready[T, R]], given: Sequence[Any], tasks: Iterable[T]
) -> Iterator[R]:
    """Yield what comes of every task, in the order in which they are done.

    *ready*, a function of a module, is entered once in every worker with what is *given* and gives what does
    one task. With a *count* of 1 all is done here. Errors in a worker are raised here as ProjectionError.
    """
    if count <= 1:
        with ready(*given) as work:
            yield from map(work, tasks)
        return
    crew: _Crew[T, R] = _Crew(count, ready, given)
    try:
        yield from crew.work(iter(tasks))
    finally:
        crew.dismiss()


class _Crew(Generic[T, R]):
    def __init__(self, count: int, ready: Callable[..., Ready[T, R]], given: Sequence[Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._workers = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_serve, args=(theirs, ready, given), daemon=True)
            worker.start()
            theirs.close()
            self._pipes.append(ours)
            self._workers.append(worker)

    def work(self, tasks: Iterator[T]) -> Iterator[R]:
        busy = [pipe for pipe in self._pipes if _hand_out(pipe, tasks)]
        while busy:
            for pipe in wait(busy):
                assert isinstance(pipe, Connection)
                found = _received(pipe)
                if not _hand_out(pipe, tasks):
                    busy.remove(pipe)
                yield found

    def dismiss(self) -> None:
        for pipe in self._pipes:
            pipe.close()
        for worker in self._workers:
            worker.join()


def _hand_out(pipe: Connection, tasks: Iterator[T]) -> bool:
    for task in tasks:
        pipe.send(task)
        return True
    return False


def _received(pipe: Connection) -> Any:
    try:
        found, error = pipe.recv()
    except (EOFError, ConnectionError) as gone:
        raise ProjectionError("a worker process has died") from gone
    if error is not None:
        raise ProjectionError(error)
    return found


def _serve(pipe: Connection, ready: Callable[..., Ready[T, R]], given: Sequence[Any]) -> None:
    """Do tasks until the pipe ends; the life of a worker process."""
    try:
        with ready(*given) as work:
            gc.disable()  # nothing but tasks makes objects here, and a task is over in a moment
            while True:
                pipe.send((work(pipe.recv()), None))
                gc.collect()
    except (EOFError, ConnectionError, KeyboardInterrupt):
        return
    except Exception as error:  # noqa: BLE001 - told to whoever waits for the result, who raises it
        pipe.send((None, f"{type(error).__name__}: {error}"))
