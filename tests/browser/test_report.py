"""The audit report in a real browser: reached from a game, and put on paper."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Site


def with_findings(site: Site) -> str:
    """The game in which most was found."""
    games = site.json("/v1/games?limit=100")["games"]
    found = {
        str(one["game_id"]): len(site.json(f"/v1/games/{one['game_id']}/audits", {})["findings"])
        for one in games
    }
    return max(found, key=lambda game: found[game])


def test_a_games_page_leads_to_its_report_and_back(open_page: OpenPage, site: Site):
    game = with_findings(site)
    page = open_page(f"/games/{game}?lang=ja")
    page.get_by_role("link", name="検証報告").click()
    expect(page.locator("h1")).to_contain_text("検証報告")
    first = page.locator(".breach").first
    expect(first.locator(".position .card").first).to_be_visible()
    outside = "all => all.filter(one => one.querySelector('.card')?.getBoundingClientRect().left < one.getBoundingClientRect().left).length"
    assert page.locator(".position .player").evaluate_all(outside) == 0
    page.locator("select[name=deal]").select_option(index=1)
    page.get_by_role("button", name="表示").click()
    expect(page.locator("main")).to_contain_text("ディール1、")
    page.locator("input[name=to]").fill("9")
    page.get_by_role("button", name="表示").click()
    expect(page.locator("main")).to_contain_text("から9手目")
    page.go_back()
    page.locator(".breach h3 a").first.click()
    page.wait_for_selector("#replay[data-ready]")


def test_on_paper_there_is_nothing_to_press(open_page: OpenPage, site: Site):
    page = open_page(f"/games/{with_findings(site)}/report")
    page.emulate_media(media="print")
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.locator("header.site")).to_be_hidden()
    expect(page.locator(".breach").first).to_be_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
