"""Signing in on the page: a token opens a session, a wrong one does not, and signing out ends it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Site, serving
from tests.served import command, environment


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A server of this file's own: once there is a token, nobody may write without one."""
    with serving() as (found, _):
        yield found


@pytest.fixture(scope="module")
def secret(site: Site) -> str:
    assert site.home is not None
    scopes = ("--scope", "games:read", "--scope", "games:write")
    made = command("token", "create", "Ann", *scopes, env=environment(site.home))
    assert made.returncode == 0, made.stderr
    return re.search(r"ll_\S+", made.stdout)[0]  # type: ignore[index]


def test_a_token_opens_a_session_and_signing_out_ends_it(open_page: OpenPage, secret: str):
    page = open_page("/")
    page.get_by_role("link", name="Sign in").click()
    page.locator("input[name=token]").fill(secret)
    page.locator("main form button").click()
    expect(page).to_have_url(re.compile(r"/$"))
    page.get_by_role("link", name="Ann").click()
    expect(page.locator("main")).to_contain_text("signed in as Ann")
    assert page.evaluate("document.cookie") == ""
    assert secret not in page.content()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_a_wrong_token_is_refused_and_not_shown_again(open_page: OpenPage, secret: str):
    page = open_page("/sign-in", java_script_enabled=False, expects="422")
    page.locator("input[name=token]").fill(secret[:-3] + "xyz")
    page.locator("main form button").click()
    expect(page.get_by_role("alert")).to_contain_text("wrong, revoked or expired")
    assert secret[:-3] not in page.content()


def test_whoever_has_no_token_may_not_import(open_page: OpenPage, secret: str):
    page = open_page("/", java_script_enabled=False, expects="401")
    page.locator("textarea").fill("game: rummy500")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("main")).to_contain_text("token")
