"""The files for deployment say what the program takes, ask for no more than they need, and pass the linters that are here."""

import re
import shutil
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.config import Config
from api.usage import parser
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "docs" / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name in SERVICES if name != "db"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
KNOWN = {"DATABASE_URL", "WORKER_DATABASE_URL", "MIGRATION_DATABASE_URL"}


def test_there_are_a_service_a_worker_and_their_database() -> None:
    assert sorted(SERVICES) == ["db", "migrate", "serve", "worker"]
    assert SERVICES["db"]["image"] == "postgres:18"
    assert SERVICES["db"]["volumes"] == ["data:/var/lib/postgresql"]
    assert "data" in COMPOSE["volumes"]


@pytest.mark.parametrize("name", SERVICES)
def test_nobody_is_root_or_may_become_it(name: str) -> None:
    service = SERVICES[name]
    assert service["user"] not in {"root", "0", 0}
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert name == "db" or service["read_only"]


def test_only_the_service_has_a_port_and_that_on_loopback() -> None:
    ports = {name: service.get("ports", []) for name, service in SERVICES.items()}
    assert ports.pop("serve") == ["127.0.0.1:8500:8500"]
    assert not any(ports.values())


def test_who_is_given_which_password() -> None:
    given = {
        name: set(re.findall(r"\$\{(\w+_PASSWORD)", str(service["environment"])))
        for name, service in SERVICES.items()
    }
    assert given == {
        "db": {"ADMIN_PASSWORD"},
        "migrate": {"ADMIN_PASSWORD", "APP_PASSWORD", "WORKER_PASSWORD"},
        "serve": {"APP_PASSWORD"},
        "worker": {"APP_PASSWORD", "WORKER_PASSWORD"},
    }
    # Never a default: compose stops where one is missing.
    assert not re.search(r"_PASSWORD(?!:\?\})\W*\}", str(SERVICES))


@pytest.mark.parametrize("name", OURS)
def test_the_program_takes_every_command_and_variable(name: str) -> None:
    program, *words = SERVICES[name]["command"]
    assert program == "lanterlog"
    parser().parse_args(words)
    given = SERVICES[name]["environment"]
    read: set[str] = set()

    class Watched(dict[str, str]):
        def get(self, key: str, default: Any = None) -> Any:
            read.add(key)
            return super().get(key, default)

    Config.from_environment(Watched())
    assert set(given) <= read
    urls = {key: value for key, value in given.items() if key in KNOWN}
    filled = {key: re.sub(r"\$\{\w+:\?\}", "secret", value) for key, value in urls.items()}
    config = Config.from_environment(filled)
    assert (config.roles.app, config.roles.worker) == ("lanterlog_app", "lanterlog_worker")


def test_each_waits_for_what_it_needs_and_tells_how_it_is() -> None:
    assert SERVICES["migrate"]["depends_on"]["db"]["condition"] == "service_healthy"
    for name in ("serve", "worker"):
        needed = SERVICES[name]["depends_on"]["migrate"]["condition"]
        assert needed == "service_completed_successfully"
    assert {name for name in SERVICES if "healthcheck" in SERVICES[name]} == {"db", "serve"}
    grace = int(SERVICES["serve"]["stop_grace_period"].removesuffix("s"))
    assert grace > Config(home=ROOT).grace


def test_the_health_check_is_a_program_that_runs() -> None:
    _, python, flag, program = SERVICES["serve"]["healthcheck"]["test"]
    assert (python, flag) == ("python", "-c")
    compile(program, "healthcheck", "exec")
    assert "/readyz" in program


def test_the_image_holds_what_the_build_needs_and_ends_as_nobody() -> None:
    instructions = [line.split() for line in DOCKERFILE.splitlines() if line and line[0].isupper()]
    for words in instructions:
        if words[0] == "COPY":
            assert all((ROOT / one).exists() for one in words[1:-1]), words
    copied = {one for words in instructions if words[0] == "COPY" for one in words[1:-1]}
    packages = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()} - {"tests"}
    assert packages | {"requirements.lock", "pyproject.toml", "README.md", "LICENSE"} <= copied
    kinds = [words[0] for words in instructions]
    assert instructions[kinds.index("USER")] == ["USER", SERVICES["serve"]["user"]]
    assert kinds.index("USER") < kinds.index("CMD")
    assert "--require-hashes" in DOCKERFILE


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="no hadolint here")
def test_hadolint_finds_nothing() -> None:
    done = subprocess.run(
        ["hadolint", str(DEPLOY / "Dockerfile")],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")


def unit(path: Path) -> list[tuple[str, str]]:
    lines = [line for line in path.read_text().splitlines() if "=" in line and line[0] != "#"]
    return [(key, value) for key, _, value in (line.partition("=") for line in lines)]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_runs_a_command_of_the_program_without_rights(path: Path) -> None:
    RawConfigParser(strict=False).read_string(path.read_text())
    settings = dict(unit(path))
    program, *words = settings["ExecStart"].split()
    assert program.endswith("/bin/lanterlog")
    parser().parse_args(words)
    assert settings["DynamicUser"] == settings["NoNewPrivileges"] == "yes"
    assert settings["ProtectSystem"] == "strict"
    assert settings["CapabilityBoundingSet"] == ""
    assert int(settings["TimeoutStopSec"]) > Config(home=ROOT).grace


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_systemd_takes_a_unit_as_it_is(path: Path, tmp_path: Path) -> None:
    here = tmp_path / path.name
    program = Path(sys.executable).with_name("lanterlog")
    here.write_text(path.read_text().replace("/opt/lanterlog/.venv/bin/lanterlog", str(program)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(here)],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx here")
def test_nginx_takes_its_part_as_it_is(tmp_path: Path) -> None:
    """Certificates apart, which nobody has here: that they are missing is the last thing that it looks at."""
    part = (DEPLOY / "nginx.conf").read_text()
    whole = tmp_path / "nginx.conf"
    plain = re.sub(
        r"443 ssl|^ *ssl_certificate.*\n",
        lambda one: "443" if "4" in one[0] else "",
        part,
        flags=re.MULTILINE,
    )
    whole.write_text(
        f"events {{}}\npid {tmp_path}/pid;\nerror_log stderr;\nhttp {{ access_log off;\n{plain}}}\n"
    )
    done = subprocess.run(
        ["nginx", "-t", "-e", "stderr", "-c", str(whole)],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_proxy_tells_what_the_service_asks_of_it() -> None:
    """The client's address, and nothing that a client put in its place; streams are heard of in time."""
    told = dict(re.findall(r"proxy_set_header (\S+) (\S+);", (DEPLOY / "nginx.conf").read_text()))
    assert told == {
        "Host": "$http_host",
        "X-Forwarded-For": "$remote_addr",
        "X-Forwarded-Proto": "$scheme",
        "X-Request-Id": "$request_id",
    }
    waits = re.search(r"proxy_read_timeout (\d+)s;", (DEPLOY / "nginx.conf").read_text())
    assert waits is not None
    assert int(waits[1]) > 15
