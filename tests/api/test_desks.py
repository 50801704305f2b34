"""Whoever waits for his client keeps nobody else from work: desks, and threads where the system gives no more of them."""

import threading

import pytest

from api.desks import Desks, Threads
from tests.waiting import PATIENCE, joined, until


def started(work: threading.Thread) -> threading.Thread:
    work.start()
    return work


def test_desks_are_had_in_the_order_of_coming():
    desks, came = Desks(1), list[str]()
    desks.take()

    def work(name: str) -> None:
        desks.take()
        came.append(name)
        desks.leave()

    working = []
    for name in "abc":
        working.append(started(threading.Thread(target=work, args=(name,), daemon=True)))
        until(lambda: len(desks._waiting) == len(working))
    assert came == []
    desks.leave()
    joined(*working)
    assert came == ["a", "b", "c"]
    assert desks._free == 1


def test_who_is_away_leaves_his_desk_and_comes_back_to_it_at_once():
    """Though all are taken by then: they may wait for what he holds."""
    desks = Desks(1)
    desks.take()
    with desks.away():
        desks.take()
    assert desks._free == -1
    third = started(threading.Thread(target=desks.take, daemon=True))
    until(lambda: desks._waiting)
    desks.leave()
    assert third.is_alive()  # two were there at one desk
    desks.leave()
    joined(third)


def test_where_the_system_gives_no_more_threads_those_that_are_there_do_the_work(
    monkeypatch: pytest.MonkeyPatch,
):
    def refused(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    done = threading.Event()
    with Threads(max_workers=3) as threads:
        first = threads.submit(done.wait, PATIENCE)
        with monkeypatch.context() as scarce:
            scarce.setattr(threading.Thread, "start", refused)
            second = threads.submit(lambda: "done")
        assert not second.done()
        done.set()
        assert first.result(PATIENCE)
        assert second.result(PATIENCE) == "done"


def test_where_the_system_gives_no_thread_at_all_that_is_said(monkeypatch: pytest.MonkeyPatch):
    def refused(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with Threads(max_workers=1) as threads, monkeypatch.context() as scarce:
        scarce.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError, match="can't start"):
            threads.submit(done)


def done() -> None: ...
