"""What a fresh clone promises: every package ships, the locks are whole, name no address, and agree with one another."""

import re
import tomllib
from pathlib import Path

import pytest

from events.version import ENGINE

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ["requirements.lock", "requirements-dev.lock", "requirements-bench.lock"]


def pins(lock: str) -> dict[str, str]:
    text = (ROOT / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, flags=re.MULTILINE))


def wanted(extra: str | None = None) -> set[str]:
    project = PROJECT["project"]
    lines = project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    return {re.split(r"[^A-Za-z0-9._-]", line)[0].lower() for line in lines}


def test_a_game_records_the_version_that_the_project_has() -> None:
    assert PROJECT["project"]["version"] == ENGINE


def test_every_package_of_the_code_is_listed() -> None:
    folders = ["events", "projections", "api", "migrations"]
    markers = [marker for folder in folders for marker in (ROOT / folder).rglob("__init__.py")]
    found = {".".join(marker.parent.relative_to(ROOT).parts) for marker in markers}

    assert sorted(found) == PROJECT["tool"]["setuptools"]["packages"]


def test_every_folder_of_code_is_a_package() -> None:
    for folder in ("events", "projections", "api", "migrations", "tests"):
        for module in (ROOT / folder).rglob("*.py"):
            assert (module.parent / "__init__.py").exists(), f"no __init__.py beside {module}"


def test_every_other_file_among_the_code_is_package_data() -> None:
    data = PROJECT["tool"]["setuptools"]["package-data"]
    for package in PROJECT["tool"]["setuptools"]["packages"]:
        folder = ROOT.joinpath(*package.split("."))
        shipped = {path for pattern in data.get(package, []) for path in folder.glob(pattern)}
        others = {path for path in folder.iterdir() if path.is_file() and path.suffix != ".py"}
        assert others <= shipped, f"not shipped with {package}: {sorted(others - shipped)}"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address_and_no_folder(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")

    assert not re.search(r"://|(?<![\w.])/\w|--(index|extra|find|trusted)", text)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_of_a_lock_has_hashes_and_holds_on_every_python(lock: str) -> None:
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    requirements = [line for line in lines if line and line[0] not in " #"]

    assert len(requirements) > 20
    for line in requirements:
        assert re.fullmatch(r"[a-z0-9-]+==\S+ \\", line), f"not a bare, hashed pin: {line!r}"


@pytest.mark.parametrize(
    ("lock", "extra"),
    [
        ("requirements.lock", None),
        ("requirements-dev.lock", "dev"),
        ("requirements-bench.lock", "bench"),
    ],
)
def test_a_lock_holds_what_the_project_asks_for(lock: str, extra: str | None) -> None:
    assert (wanted() | wanted(extra)) <= pins(lock).keys()


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_the_larger_locks_contain_the_one_that_running_needs(lock: str) -> None:
    assert pins("requirements.lock").items() <= pins(lock).items()
