"""Disputes opened, argued and ruled on the page, by whoever is signed in: what he may, and what he reads if it fails."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Page, Route, expect

from api.config import Config
from api.embedded import running
from api.issuing import create, owner
from api.scopes import Scope
from api.viewer.texts import TEXTS
from tests.api.disputing import CLAIM, DECISION, GAME, RULING, SAMPLE
from tests.browser.conftest import OpenPage, Site, serving

pytestmark = pytest.mark.browser

OWN: list[Scope] = ["games:write", "games:read"]
TOKENS: dict[str, tuple[list[Scope], dict[str, Any]]] = {
    "arbiter": (["admin"], {}),
    "other arbiter": (["admin"], {}),
    "A": (OWN, {"game_id": UUID(GAME), "seat": 0}),
    "B": (OWN, {"game_id": UUID(GAME), "seat": 1}),
    "reader": (["games:read"], {}),
}
Enter = Callable[..., Page]
ENGLISH = TEXTS["en"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A server of this file's own: where there are tokens, not everybody may dispute."""
    with serving() as (found, _):
        yield found


@pytest.fixture(scope="module")
def secrets(site: Site) -> dict[str, str]:
    """The tokens of the people who meet here; the game that they dispute about is brought in before."""
    assert site.home is not None
    site.bring(SAMPLE)
    with running(Config(home=site.home / "data")) as settled, owner(settled) as conn:
        return {
            name: create(conn, name, scopes, **bound)[1] for name, (scopes, bound) in TOKENS.items()
        }


@pytest.fixture
def enter(open_page: OpenPage, secrets: dict[str, str]) -> Enter:
    """Opens the disputed game for somebody who is signed in."""

    def make(who: str, query: str = "?at=105", **options: Any) -> Page:
        page = open_page("/about", **options)
        sign_in(page, secrets[who])
        page.goto(f"/games/{GAME}{query}")
        page.wait_for_selector("#replay[data-ready]")
        return page

    return make


@pytest.fixture
def asks(site: Site, secrets: dict[str, str]) -> Callable[..., Any]:
    """Calls the interface as somebody."""

    def make(who: str, path: str, body: Any = None) -> Any:
        return site.json(path, body, Authorization=f"Bearer {secrets[who]}")

    return make


@pytest.fixture
def opened(asks: Callable[..., Any]) -> str:
    """A dispute that A has opened; its id."""
    return str(asks("A", f"/v1/games/{GAME}/disputes", CLAIM)["dispute"]["dispute_id"])


@pytest.fixture
def doubted(asks: Callable[..., Any]) -> str:
    """A dispute that the arbiter has opened, who may do so as often as he likes; its id."""
    claim = {name: value for name, value in CLAIM.items() if name != "seat"}
    return str(asks("arbiter", f"/v1/games/{GAME}/disputes", claim)["dispute"]["dispute_id"])


def sign_in(page: Page, secret: str) -> None:
    status = page.evaluate(
        """token => fetch("/session", { method: "POST", body: JSON.stringify({ token }),
          headers: { "Content-Type": "application/json" } }).then((answer) => answer.status)""",
        secret,
    )
    assert status == 200


def act(asks: Callable[..., Any], who: str, dispute: str, act: dict[str, Any], after: int) -> None:
    asks(who, f"/v1/disputes/{dispute}/events", {"act": act, "expected_version": after})


def offered(page: Page, dispute: str) -> list[str]:
    found: list[str] = page.locator(f"#d-{dispute} [data-do]").evaluate_all(
        "all => all.map((one) => one.dataset.do)"
    )
    return found


def start(page: Page, dispute: str, do: str) -> None:
    page.locator(f'#d-{dispute} [data-do="{do}"]').click()
    expect(page.locator("#dispute-title")).to_be_focused()


def send(page: Page) -> None:
    page.locator("#dispute-send").click()


def is_done(page: Page) -> None:
    expect(page.locator("#dispute-said")).to_have_text(ENGLISH["dispute.sent"])
    expect(page.locator("#dispute-form")).to_have_count(0)


# ---- from the beginning to the end


def test_a_player_disputes_an_event_with_the_keyboard_alone(enter: Enter, asks: Callable[..., Any]):
    page = enter("A", "?at=105&lang=en")
    page.keyboard.press("d")
    expect(page.locator("#dispute-title")).to_be_focused()
    expect(page.locator("#disputing .findings")).to_contain_text("DEEP_CARD_UNMELDABLE")
    claim = f"TD was never melded ({uuid4()})."
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "claim:text":
            break
    page.keyboard.type(claim)
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.seat") == "1":
            break
    page.keyboard.type("-85")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#dispute-send")).to_be_focused()
    page.keyboard.press("Enter")
    is_done(page)
    expect(page.locator(".ruling").filter(has_text=claim)).to_be_visible()
    expect(page.locator("#ticks .dispute")).to_have_count(1)
    expect(page.locator(".legend .dispute")).to_be_visible()
    found = next(
        one for one in asks("A", f"/v1/games/{GAME}/disputes")["disputes"] if one["claim"] == claim
    )
    expect(page.locator(f"#d-{found['dispute_id']}")).to_be_focused()
    assert (found["versions"], found["rules"], found["remedy"]) == ([105], ["R-6.7"], "adjust")
    assert found["demanded"] == [{"deal": 3, "seat": 1, "points": -85}]


@pytest.mark.parametrize(
    ("choice", "versions"),
    [("scoring", [149]), ("other", [105, 107])],
    ids=["the deal's scoring", "several events"],
)
def test_what_is_disputed_can_be_chosen(
    enter: Enter, asks: Callable[..., Any], choice: str, versions: list[int]
):
    page = enter("A")
    page.locator('.findings li[data-at="105"] [data-do]').click()
    page.locator(f'[value="{choice}"]').check()
    if choice == "other":
        page.locator('input[name="versions:ints"]:enabled').fill(
            "107、１０５"
        )  # as one types in Japanese
    claim = str(uuid4())
    page.locator('[name="claim:text"]').fill(claim)
    page.locator('[name="remedy:text"]').select_option("void")
    expect(page.locator('[data-points="demanded"]')).to_be_hidden()
    send(page)
    is_done(page)
    found = asks("A", f"/v1/games/{GAME}/disputes")["disputes"][-1]
    assert (found["claim"], found["versions"], found["remedy"]) == (claim, versions, "void")


def test_an_arbiter_rules_with_the_rule_and_the_finding_before_him(
    enter: Enter, asks: Callable[..., Any], opened: str
):
    page = enter("arbiter", "?at=105&lang=en")
    start(page, opened, "rule")
    form = page.locator("#dispute-form")
    expect(form).to_contain_text(CLAIM["claim"])
    expect(form.locator(".findings")).to_contain_text("P2 took a card")
    rule = form.locator(".rule").first
    rule.locator("summary").click()
    expect(rule.locator("p")).to_contain_text("A deep draw is refused outright")
    form.locator('[name="decision:text"]').select_option("partly")
    form.locator('[data-code="DEEP_CARD_UNMELDABLE"]').select_option("1")
    form.locator('[data-seat="1"]').fill("-60")
    form.locator('[name="text:text"]').fill(RULING["text"])
    send(page)
    is_done(page)
    decided = asks("arbiter", f"/v1/disputes/{opened}")["decision"]
    assert {name: decided[name] for name in ("decision", "facts", "rules", "adjustments")} == {
        "decision": "partly",
        "facts": [{"version": 105, "code": "DEEP_CARD_UNMELDABLE", "breach": True}],
        "rules": ["R-6.7", "V-3a"],
        "adjustments": [{"deal": 3, "seat": 1, "points": -60}],
    }
    expect(page.locator(f"#d-{opened}")).to_contain_text(RULING["text"])
    page.get_by_text("Scores", exact=True).click()
    expect(page.get_by_role("link", name="As ruled")).to_be_visible()


def test_players_speak_point_to_evidence_and_appeal_and_another_arbiter_decides(
    enter: Enter, asks: Callable[..., Any], opened: str
):
    page = enter("B", "?at=106&lang=en")
    assert offered(page, opened) == ["say", "link"]
    start(page, opened, "say")
    page.locator('[name="text:text"]').fill("Nobody objected.")
    send(page)
    is_done(page)
    start(page, opened, "link")
    page.locator('[name="version:int"]:enabled').fill("107")
    send(page)
    is_done(page)
    act(asks, "arbiter", opened, RULING, 3)
    page.reload()
    start(page, opened, "appeal")
    page.locator('[name="text:text"]').fill("Sixty is too much.")
    send(page)
    is_done(page)
    assert [one["event"]["t"] for one in asks("B", f"/v1/disputes/{opened}")["events"]] == [
        "dispute_opened", "statement_added", "evidence_linked", "ruled", "appealed",
    ]  # fmt: skip
    assert "decide" not in offered(enter("arbiter"), opened)  # it is his own ruling
    page = enter("other arbiter", "?at=105&lang=en")
    start(page, opened, "decide")
    expect(page.locator('[name="decision:text"]')).to_be_hidden()
    page.locator('[name="outcome:text"]').select_option("changed")
    page.locator('[name="decision:text"]').select_option("upheld")
    page.locator('#disputing [data-seat="1"]').fill("-85")
    page.locator('[name="text:text"]').fill(DECISION["text"])
    send(page)
    is_done(page)
    start(page, opened, "tag")
    page.locator('[name="tags:tags"]').fill("Deep-Card pile")
    send(page)
    is_done(page)
    found = asks("A", f"/v1/disputes/{opened}")
    assert (found["standing"], found["tags"]) == ("final", ["deep-card", "pile"])
    assert found["decision"]["adjustments"] == [{"deal": 3, "seat": 1, "points": -85}]


def test_who_opened_it_withdraws_it_and_says_nothing(
    enter: Enter, asks: Callable[..., Any], opened: str
):
    page = enter("A", "?at=105&lang=en")
    start(page, opened, "withdraw")
    send(page)
    is_done(page)
    assert asks("A", f"/v1/disputes/{opened}")["standing"] == "withdrawn"
    assert offered(page, opened) == []


# ---- who may not


def test_who_may_not_is_told_what_it_takes_and_sees_no_form(
    open_page: OpenPage, enter: Enter, doubted: str
):
    page = open_page(f"/games/{GAME}?at=105&lang=en")
    expect(page.locator("button[data-do]")).to_have_count(0)
    expect(page.locator(".who-may")).to_contain_text("sign in with a token")
    expect(page.locator(".who-may a")).to_have_attribute(
        "href", re.compile(rf"^/sign-in\?next=/games/{GAME}")
    )
    page = enter("reader", "?at=105&lang=ja")
    expect(page.locator("button[data-do]")).to_have_count(0)
    expect(page.locator(".who-may")).to_have_text(TEXTS["ja"]["dispute.other_token"])
    page.keyboard.press("d")
    page.goto(f"/games/{GAME}/disputing?do=rule&dispute={doubted}")
    expect(page.locator("form")).to_have_count(0)


@pytest.mark.parametrize("query", ["?at=105&embed=1", "?at=50&free=1"], ids=["embedded", "free"])
def test_where_it_is_embedded_nothing_is_offered_and_without_a_future_nothing_is_told(
    enter: Enter, doubted: str, query: str
):
    page = enter("arbiter", query)
    expect(page.locator(f"#d-{doubted}")).to_have_count(0)
    expect(page.locator('[data-do="open"]')).to_have_count(0 if "embed" in query else 2)


# ---- what fails, and what was typed


def filled(page: Page, text: str) -> None:
    """Write a claim into the form for a new dispute."""
    page.locator(".tools [data-do]").click()
    page.locator('[name="claim:text"]').fill(text)


def answers(page: Page, *given: Callable[[Route], None]) -> None:
    """Answer what the form sends with these in turn, and let the server answer what comes after."""
    waiting = list(given)

    def handle(route: Route) -> None:
        if route.request.method == "POST" and waiting:
            waiting.pop(0)(route)
        else:
            route.continue_()

    page.route("**/v1/**", handle)


def problem(status: int, code: str, **headers: str) -> Callable[[Route], None]:
    body = {"status": status, "code": code, "detail": "so and so", "version": 1}
    return lambda route: route.fulfill(status=status, json=body, headers=headers)


REFUSED: dict[str, tuple[Callable[[Route], None], str, dict[str, Any]]] = {
    "no network": (lambda route: route.abort(), "network", {}),
    "no JSON": (lambda route: route.fulfill(status=502, body="<html>"), "network", {}),
    "session over": (problem(401, "token_needed"), "token_needed", {}),
    "revoked": (problem(401, "bad_token"), "token_needed", {}),
    "forbidden": (problem(403, "not_allowed"), "not_allowed", {}),
    "another origin": (problem(403, "other_origin"), "other_origin", {}),
    "gone": (problem(404, "unknown_game"), "gone", {}),
    "stale": (problem(409, "stale_version"), "stale_version", {}),
    "too long": (problem(413, "body_too_large"), "body_too_large", {}),
    "a field": (problem(400, "bad_body"), "bad_body", {"detail": "so and so"}),
    "standing": (problem(422, "dispute/WRONG_STANDING"), "WRONG_STANDING", {}),
    "not the seat": (problem(422, "dispute/NOT_YOUR_SEAT"), "NOT_YOUR_SEAT", {}),
    "no such deal": (problem(422, "dispute/NO_SUCH_DEAL"), "NO_SUCH_DEAL", {}),
    "other words": (problem(422, "command_reused"), "command_reused", {}),
    "too many": (
        problem(429, "too_many_requests", **{"Retry-After": "7"}),
        "too_many_requests",
        {"seconds": 7},
    ),
    "busy": (problem(503, "store_busy"), "busy", {}),
    "failed": (problem(500, "internal_error"), "busy", {}),
    "unheard of": (problem(418, "teapot"), "other", {"code": "teapot", "detail": "so and so"}),
}
EXPECTED = ("4", "5", "Failed to load resource: net::")


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_error_stands_beside_the_form_and_no_word_is_lost(enter: Enter, lang: str):
    page = enter("A", f"?at=105&lang={lang}", expects=EXPECTED)
    claim = str(uuid4())
    filled(page, claim)
    answers(page, *(answer for answer, _, _ in REFUSED.values()))
    for name, (_, key, values) in REFUSED.items():
        send(page)
        told = TEXTS["ja" if lang == "ja" else "en"].fill(f"refused.{key}", **values)
        error = page.locator("#dispute-error")
        expect(error, name).to_contain_text(told)
        expect(error, name).to_have_attribute("role", "alert")
        expect(page.locator('[name="claim:text"]'), name).to_have_value(claim)
        expect(page.locator("#dispute-send"), name).not_to_have_attribute("aria-disabled", "true")
        expect(error.locator('a[href="/sign-in"]'), name).to_have_count(int(key == "token_needed"))
    send(page)  # the server answers at last
    expect(page.locator(f'[data-part="disputes"] li[id]:has-text("{claim}")')).to_be_focused()


@pytest.mark.parametrize(
    ("field", "value", "key"),
    [
        ("claim:text", " ", "refused.missing"),
        ("versions:ints", "105, x", "refused.wrong"),
        ("versions:ints", "", "refused.missing"),
    ],
    ids=["no words", "no number", "no events"],
)
def test_what_is_missing_or_unreadable_is_told_before_it_is_sent(
    enter: Enter, field: str, value: str, key: str
):
    page = enter("A", "?at=105&lang=en")
    filled(page, "so")
    page.locator('[value="other"]').check()
    page.locator(f'[name="{field}"]:enabled').fill(value)
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.method) if one.method == "POST" else None)
    send(page)
    expect(page.locator("#dispute-error")).to_contain_text(ENGLISH[key].partition("{")[0])
    expect(page.locator(f'[name="{field}"]:enabled')).to_be_focused()
    assert sent == []


def claims(asks: Callable[..., Any], claim: str) -> int:
    found = asks("A", f"/v1/games/{GAME}/disputes")["disputes"]
    return sum(one["claim"] == claim for one in found)


def test_a_double_click_makes_one_dispute(enter: Enter, asks: Callable[..., Any]):
    page = enter("A", "?at=105&lang=en")
    claim = str(uuid4())
    filled(page, claim)
    page.locator("#dispute-send").dblclick()
    is_done(page)
    assert claims(asks, claim) == 1


def test_what_is_sent_again_since_the_answer_was_lost_counts_once(
    enter: Enter, asks: Callable[..., Any]
):
    page = enter("A", "?at=105&lang=en", expects=EXPECTED)
    claim = str(uuid4())
    filled(page, claim)

    def lose(route: Route) -> None:
        assert route.fetch().status == 201  # it arrives, and its answer does not
        route.abort()

    answers(page, lose, lose)
    send(page)
    expect(page.locator("#dispute-error")).to_have_text(ENGLISH["refused.network"])
    send(page)
    expect(page.locator("#dispute-error")).to_have_text(ENGLISH["refused.network"])
    page.locator('[name="claim:text"]').fill(f"{claim} and more")
    send(page)  # with other words it is another dispute, and that is asked first
    expect(page.locator("#dispute-error")).to_have_text(ENGLISH["refused.command_reused"])
    expect(page.locator('[data-part="disputes"]')).to_contain_text(claim)
    page.locator('[name="claim:text"]').fill(claim)
    assert claims(asks, claim) == 1
    page.locator("#dispute-form [data-close]").click()


def test_who_comes_second_is_told_sees_why_and_may_send_again(
    enter: Enter, asks: Callable[..., Any], opened: str
):
    page = enter("A", "?at=105&lang=en", expects="409")
    start(page, opened, "say")
    page.locator('[name="text:text"]').fill("What I have to say.")
    act(asks, "B", opened, {"do": "say", "text": "Before you."}, 1)
    send(page)
    expect(page.locator("#dispute-error")).to_have_text(ENGLISH["refused.stale_version"])
    expect(page.locator(f"#d-{opened}")).to_contain_text("said and done (2)")
    expect(page.locator('[name="text:text"]')).to_have_value("What I have to say.")
    send(page)
    is_done(page)
    assert asks("A", f"/v1/disputes/{opened}")["version"] == 3


def test_whose_session_is_over_signs_in_elsewhere_and_sends_what_he_wrote(
    enter: Enter, asks: Callable[..., Any], secrets: dict[str, str]
):
    page = enter("A", "?at=105&lang=en", expects="401")
    claim = str(uuid4())
    filled(page, claim)
    page.context.clear_cookies()
    send(page)
    expect(page.locator("#dispute-error")).to_contain_text(ENGLISH["refused.token_needed"])
    with page.context.expect_page() as opening:
        page.locator("#dispute-error a").click()
    other = opening.value
    other.locator("input[name=token]").fill(secrets["A"])
    other.locator("main form button").click()
    expect(other.get_by_role("link", name="A", exact=True)).to_be_visible()
    send(page)
    is_done(page)
    assert claims(asks, claim) == 1


def test_words_in_a_form_are_not_replaced_by_another_form(enter: Enter, opened: str):
    page = enter("A", "?at=105&lang=en")
    filled(page, "half a sentence")
    page.keyboard.press("Escape")
    page.locator(f'#d-{opened} [data-do="say"]').click()
    expect(page.locator("#dispute-said")).to_have_text(ENGLISH["dispute.other_words"])
    expect(page.locator('[name="claim:text"]')).to_have_value("half a sentence")
    page.locator("#on").click()
    expect(page.locator("#at")).to_have_value("106")
    expect(page.locator('[name="claim:text"]')).to_have_value("half a sentence")
    page.locator("#dispute-form [data-close]").click()
    expect(page.locator("#dispute-form")).to_have_count(0)


def test_a_form_for_what_can_no_longer_be_done_is_not_had(
    enter: Enter, asks: Callable[..., Any], opened: str
):
    page = enter("A", "?at=105&lang=en")
    act(asks, "arbiter", opened, RULING, 1)
    page.locator(f'#d-{opened} [data-do="withdraw"]').click()
    expect(page.locator("#disputing")).to_contain_text(ENGLISH["dispute.changed"])
    expect(page.locator(f"#d-{opened}")).to_contain_text(RULING["text"])
    assert offered(page, opened) == ["appeal"]


# ---- for everybody


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_form_fits_a_phone_and_every_field_has_a_name(enter: Enter, doubted: str, width: int):
    page = enter("arbiter", "?at=105&lang=ja", viewport={"width": width, "height": 800})
    start(page, doubted, "rule")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    fields = page.locator("#dispute-form :is(input, select, textarea):visible")
    assert fields.count() >= 7
    unnamed = fields.evaluate_all("all => all.filter(one => !one.labels.length).map(o => o.name)")
    assert unnamed == []
    small = page.locator("#dispute-form :is(button, input, select):visible").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height < 43).map(o => o.outerHTML)"
    )
    assert small == []
