"""What every test keeps to: nothing waits for ever, so whatever goes wrong is a failure and not a run that hangs."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
WAITING = {"acquire", "join", "wait"}
"""Methods that wait without an end if they are called with nothing."""
RUNNING = {"call", "check_call", "check_output", "run"}
"""Functions of `subprocess` that do so unless they are given a timeout."""
ASKING = {"HTTPConnection": 2, "create_connection": 1, "urlopen": 2}
"""What waits on a socket without an end, and which of its arguments is the end."""


def named(call: ast.Call) -> tuple[str, str]:
    """What a call is of: the name before the last point, if it is a plain one, and the last one."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return owner, name
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return "", name
        case _:
            return "", ""


def is_endless(call: ast.Call) -> bool:
    if any(word.arg == "timeout" for word in call.keywords):
        return False
    owner, name = named(call)
    if name in WAITING:
        return not call.args and not call.keywords
    if name in ASKING:
        return len(call.args) <= ASKING[name]
    if name == "Thread":  # one that still runs at the end holds up the end of the run
        return all(word.arg != "daemon" for word in call.keywords)
    return name == "communicate" or (owner == "subprocess" and name in RUNNING)


def endless(code: str) -> Iterator[int]:
    """The lines at which something may wait for ever."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and is_endless(node):
            yield node.lineno


def test_nothing_waits_for_ever() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}"
        for path in sorted(TESTS.rglob("*.py"))
        for line in endless(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "thread.join()", "process.wait()", "lock.acquire()", "child.communicate('stop')",
        "subprocess.run(['true'], check=True)", "HTTPConnection(place)", "urlopen(link)",
        "socket.create_connection(place)", "threading.Thread(target=work)",
    ],
)  # fmt: skip
def test_what_might_wait_for_ever_is_seen(code: str) -> None:
    assert list(endless(code)) == [1]


@pytest.mark.parametrize(
    "code",
    [
        "', '.join(words)", "thread.join(PATIENCE)", "process.wait(timeout=9)",
        "child.communicate('stop', timeout=9)", "subprocess.run(['true'], timeout=9)",
        "HTTPConnection(place, timeout=9)", "socket.create_connection(place, 9)",
        "threading.Thread(target=work, daemon=True)", "lock.acquire(timeout=9)", "pool.run()",
    ],
)  # fmt: skip
def test_what_ends_by_itself_is_passed_over(code: str) -> None:
    assert list(endless(code)) == []
