"""The service's end of a connection: how slow the other end may be, and how it is noticed that it is gone."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from api import sockets
from api.sockets import PatientSocket
from tests.waiting import PATIENCE, joined, until

MUCH = b"x" * (16 * 1024 * 1024)
"""More than lies between two ends."""


def send_for_ever(here: PatientSocket, data: bytes) -> None:
    while here._took < 100 * len(MUCH):
        here.sendall(data)


@pytest.fixture
def pair() -> Iterator[tuple[PatientSocket, socket.socket]]:
    """Both ends of a connection, ours first."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        there = socket.socket()
        there.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        there.settimeout(PATIENCE)
        there.connect(listening.getsockname())
        plain, _ = listening.accept()
    with there, PatientSocket.of(plain) as here:
        here.begin()
        here.setblocking(True)
        yield here, there


def test_an_answer_that_is_not_taken_is_given_up(
    pair: tuple[PatientSocket, socket.socket], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sockets, "TAKING", 0.1)
    monkeypatch.setattr(sockets, "PACE", len(MUCH) * 10)
    with pytest.raises(ConnectionResetError):
        pair[0].sendall(MUCH)


def test_time_to_take_an_answer_is_counted_over_all_its_parts(
    pair: tuple[PatientSocket, socket.socket], monkeypatch: pytest.MonkeyPatch
):
    """Whoever takes each part just in time would hold a thread for days."""
    here, there = pair
    monkeypatch.setattr(sockets, "PACE", len(MUCH) * 100)
    part = MUCH[: len(MUCH) // 4]

    def take() -> None:
        with suppress(OSError):  # given up
            while there.recv(65536):
                pass

    reading = threading.Thread(target=take, daemon=True)
    reading.start()
    here.sendall(part)
    here._kept = sockets.TAKING - 0.001
    monkeypatch.setattr(sockets, "PACE", 1e12)
    with pytest.raises(ConnectionResetError):
        send_for_ever(here, part)
    here.close()
    joined(reading)


def test_whoever_stays_and_does_not_read_is_given_up(
    pair: tuple[PatientSocket, socket.socket], monkeypatch: pytest.MonkeyPatch
):
    """And no more waits for him here than what his messages and the system's buffers make."""
    monkeypatch.setattr(sockets, "STAYING", 0.1)
    here, _ = pair
    here.stay()
    said = b": still here\n\n" * 100
    with pytest.raises(ConnectionResetError):
        send_for_ever(here, said)
    assert here._took < 1024 * 1024


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux has it")
def test_whoever_stays_and_answers_no_more_is_given_up_by_the_system(
    pair: tuple[PatientSocket, socket.socket],
):
    here, _ = pair
    here.stay()
    kept = here.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
    assert kept == sockets.STAYING * 1000
    assert here.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 128 * 1024


def test_only_who_waits_for_the_other_end_is_away(pair: tuple[PatientSocket, socket.socket]):
    """So that the work of others goes on, at no price where there is nothing to wait for."""
    here, there = pair
    away, came = threading.Event(), list[bytes]()

    @contextmanager
    def waiting() -> Iterator[None]:
        away.set()
        yield
        came.append(b"back")

    here.waiting = waiting
    there.sendall(b"here")
    until(lambda: here.recv(1, socket.MSG_PEEK))
    away.clear()
    assert here.recv(4) == b"here"
    here.sendall(b"taken at once")
    assert not away.is_set()
    coming = threading.Thread(target=lambda: came.append(here.recv(4)), daemon=True)
    coming.start()
    assert away.wait(PATIENCE)
    there.sendall(b"late")
    joined(coming)
    assert came[-2:] == [b"back", b"late"]
    away.clear()
    sending = threading.Thread(target=lambda: here.sendall(MUCH), daemon=True)
    sending.start()
    assert away.wait(PATIENCE)
    taken = 0
    while taken < len(MUCH) + len(b"taken at once"):
        taken += len(there.recv(1024 * 1024))
    joined(sending)
    assert came[-1] == b"back"


def test_who_stays_is_not_waited_for_like_the_others(pair: tuple[PatientSocket, socket.socket]):
    """His work is over: he is away once and for all, till his next request."""
    here, there = pair
    stayed: list[bool] = []
    here.staying = lambda: stayed.append(here.stays)
    here.waiting = lambda: pytest.fail("away twice")
    here.stay()
    assert stayed == [True]
    here.sendall(b"x" * 1024)
    coming = threading.Timer(0.05, there.sendall, [b"more"])
    coming.start()
    assert here.recv(4) == b"more"
    joined(coming)
    here.begin()
    assert not here.stays


def test_only_an_answer_that_has_begun_is_broken_off(pair: tuple[PatientSocket, socket.socket]):
    """Not the next request on the same connection, which may be an append."""
    here, there = pair
    here.sendall(b"an answer")
    here.begin()
    here.cut()
    there.sendall(b"more")
    assert here.recv(4) == b"more"
    here.sendall(b", begun")
    here.cut()
    found = b""
    while data := there.recv(100):
        found += data
    assert found == b"an answer, begun"
    with pytest.raises(ConnectionResetError):
        here.sendall(b"and gone on with")


def test_who_is_gone_is_seen_and_who_is_silent_is_not_taken_for_gone(
    pair: tuple[PatientSocket, socket.socket],
):
    here, there = pair
    assert not here.is_gone()
    there.sendall(b"GET /more HTTP/1.1\r\n")
    until(lambda: here.is_gone() or here.recv(1, socket.MSG_PEEK))
    assert not here.is_gone()
    there.close()
    here.recv(1000)
    until(here.is_gone)


def test_a_last_word_waits_for_nobody(pair: tuple[PatientSocket, socket.socket]):
    here, there = pair
    saying = threading.Thread(target=lambda: here.say(MUCH), daemon=True)
    saying.start()
    joined(saying)
    there.close()
    here.say(b"more")
