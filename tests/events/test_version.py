"""The version in the log is the version of the package."""

import tomllib
from pathlib import Path

from events.version import ENGINE


def test_the_engine_names_itself_as_the_package_does() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    assert project["version"] == ENGINE
