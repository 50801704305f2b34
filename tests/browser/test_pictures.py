"""Eight moments compared with approved pictures: where things stand, their shapes and colours, not how letters look.

All text is drawn with blocks of our own, so no font of the machine takes part, controls of the browser are left
out, and both pictures are made small before they are compared. `LANTERLOG_APPROVE=1` writes them anew; then look
at them.
"""

import base64
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.blocks import font
from tests.browser.conftest import OpenPage

APPROVED = Path(__file__).with_name("approved")
MOMENTS = {
    "rummy": ("rummy", "?at=60", 1280, "light"),
    "rummy-seat": ("rummy", "?at=130&seat=2", 1280, "dark"),
    "rummy-call": ("callable_game", "?at={}", 1280, "light"),
    "rummy-melds": ("crowded", "?at={}", 1280, "dark"),
    "rummy-phone": ("rummy", "?at=60", 375, "dark"),
    "loo": ("loo", "?at=66", 1280, "light"),
    "loo-wide": ("loo", "?at=66&seat=3", 1920, "dark"),
    "loo-phone": ("loo", "?at=66", 375, "light"),
}
STYLE = """
@font-face { font-family: Blocks; src: url("/blocks.ttf"); }
*, *::before, *::after { font-family: Blocks !important; animation: none !important; }
input, select { visibility: hidden; }
"""
SMALL = 240
"""Pixels of width of an approved picture."""
APART = 40
"""How far a colour may be from the approved one, of 255, before a point counts as another."""
MOST = 0.003
"""The share of points that may be another."""

_SHRINK = """async ([data, width]) => {
  const picture = new Image();
  picture.src = "data:image/png;base64," + data;
  await picture.decode();
  const canvas = new OffscreenCanvas(width, Math.round(picture.height * width / picture.width));
  const drawn = canvas.getContext("2d");
  drawn.imageSmoothingQuality = "high";
  drawn.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}"""
_DIFFER = """async ([one, other, apart]) => {
  const points = async (data) => {
    const picture = new Image();
    picture.src = "data:image/png;base64," + data;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const drawn = canvas.getContext("2d");
    drawn.drawImage(picture, 0, 0);
    return drawn.getImageData(0, 0, picture.width, picture.height);
  };
  const [a, b] = [await points(one), await points(other)];
  const height = Math.min(a.height, b.height);
  let count = Math.abs(a.height - b.height) * a.width;
  for (let at = 0; at < height * a.width * 4; at += 4) {
    const far = Math.max(...[0, 1, 2].map((part) => Math.abs(a.data[at + part] - b.data[at + part])));
    if (far > apart) count++;
  }
  return count / (a.width * Math.max(a.height, b.height));
}"""


def picture(page: Page) -> str:
    """Return the table of a page in blocks, small, as PNG in base64."""
    page.route("**/blocks.ttf", lambda route: route.fulfill(body=font(), content_type="font/ttf"))
    page.add_style_tag(content=STYLE)
    assert page.evaluate("document.fonts.load('16px Blocks').then(found => found.length)") == 1
    shot = base64.b64encode(page.locator("#table").screenshot(animations="disabled")).decode()
    found: str = page.evaluate(_SHRINK, [shot, SMALL])
    return found


@pytest.fixture
def shown(open_page: OpenPage, request: pytest.FixtureRequest, name: str) -> Page:
    which, query, width, theme = MOMENTS[name]
    game, version = request.getfixturevalue(which)
    options: dict[str, Any] = {"viewport": {"width": width, "height": 1600}, "bypass_csp": True}
    return open_page(f"/games/{game}{query.format(version)}&lang=en", color_scheme=theme, **options)


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_looks_as_approved(shown: Page, name: str):
    found, file = picture(shown), APPROVED / f"{name}.png"
    if os.environ.get("LANTERLOG_APPROVE"):
        file.write_bytes(base64.b64decode(found))
    approved = base64.b64encode(file.read_bytes()).decode()
    differs = shown.evaluate(_DIFFER, [found, approved, APART])
    assert differs <= MOST, f"{name}: {differs:.2%} of the picture is another"


@pytest.mark.parametrize("name", ["rummy-melds"])
@pytest.mark.parametrize(
    "fault",
    [
        ".card::after { display: none; }",
        ".H { --suit: #14161a; --pip: url('spade.svg'); }",
        ".player { padding: 0; }",
        ".place.left { order: 9; grid-area: right; }",
    ],
    ids=["no pips", "hearts are black", "no room", "a seat elsewhere"],
)
def test_a_fault_that_the_eye_would_see_is_seen(shown: Page, name: str, fault: str):
    shown.add_style_tag(content=fault.replace("spade.svg", "/static/spade.svg"))
    approved = base64.b64encode((APPROVED / f"{name}.png").read_bytes()).decode()
    assert shown.evaluate(_DIFFER, [picture(shown), approved, APART]) > MOST
