"""Settings from the environment: what they become, and how a wrong one is refused."""

from pathlib import Path

import pytest

from api.config import Config, default_home
from events.errors import BadSetting
from events.schema import Roles


def test_without_settings_everything_has_a_default() -> None:
    config = Config.from_environment({})
    assert config == Config(home=default_home())
    assert config.database_url is None
    assert config.roles == Roles("lanterlog_owner", "lanterlog_app", "lanterlog_worker")
    assert config.host == "127.0.0.1"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_database_url_gets_our_driver_and_names_the_role(scheme: str) -> None:
    config = Config.from_environment({"DATABASE_URL": f"{scheme}://ann:p%40ss@db:6543/cards"})
    assert config.database_url == "postgresql+psycopg://ann:p%40ss@db:6543/cards"
    assert config.roles.app == "ann"


def test_a_role_can_be_named_apart_from_its_url() -> None:
    config = Config.from_environment(
        {
            "DATABASE_URL": "postgresql://ann@db/cards",
            "LANTERLOG_APP_ROLE": "cards_app",
            "WORKER_DATABASE_URL": "postgresql://bob@db/cards",
            "LANTERLOG_OWNER_ROLE": "cards_owner",
        }
    )
    assert config.roles == Roles("cards_owner", "cards_app", "bob")


@pytest.mark.parametrize(
    "url", ["mysql://ann:secret@db/cards", "secret", "postgresql://ann:secret@db:port/cards"]
)
def test_a_wrong_url_is_refused_without_telling_its_password(url: str) -> None:
    with pytest.raises(BadSetting, match="DATABASE_URL") as refused:
        Config.from_environment({"DATABASE_URL": url})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("value", ["http", "-1", "65536", "8.5", "٣"])
def test_a_wrong_number_is_refused_with_what_was_expected(value: str) -> None:
    with pytest.raises(BadSetting, match=f"LANTERLOG_PORT is '{value}', expected .* 0 to 65535"):
        Config.from_environment({"LANTERLOG_PORT": value})


def test_numbers_and_folders_are_read() -> None:
    config = Config.from_environment(
        {"LANTERLOG_PORT": "9000", "LANTERLOG_HOME": "games", "LANTERLOG_MAX_BODY": "10"}
    )
    assert (config.port, config.max_body) == (9000, 10)
    assert config.home == Path("games").absolute()
