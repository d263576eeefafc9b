"""The site in Chromium, opened from its files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import SITE, chromium, complaints, opened, overflow, picture

pytestmark = pytest.mark.browser

PAGES = {
    "home": "index.html",
    "policy": "docs/stdlib/s3fifo.html",
    "grammar": "grammar/index.html",
    "benchmarks": "benchmarks/index.html",
    "code": "codes/E0209.html",
}

SCROLLS = "scrollable-region-focusable: "
"""Of wide tables, which Material wraps by a script. Browsers let the keyboard reach what scrolls; axe does not know."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_is_accessible(browser: Any, name: str, width: int, scheme: str) -> None:
    """`opened` sees to it that it asks for no network. What Material does may have moderate faults."""
    with opened(browser, SITE / PAGES[name], viewport={"width": width, "height": 900}, color_scheme=scheme) as page:
        page.wait_for_selector("h1")
        found = complaints(page, ("serious", "critical"))
        assert [each for each in found if not each.startswith(SCROLLS)] == []
        assert overflow(page) <= 0
        picture(page, f"site-{name}-{width}")
        drawings = page.locator("article .drawing svg")
        assert drawings.count() == 0 or all(each.bounding_box()["height"] > 20 for each in drawings.all())


def test_the_search_finds(browser: Any) -> None:
    with opened(browser, SITE / "index.html", viewport={"width": 1400, "height": 900}) as page:
        page.fill("input.md-search__input", "divisor")
        page.wait_for_selector(".md-search-result__item >> text=a divisor that may be zero")


def test_a_policy_opens_in_the_playground(browser: Any) -> None:
    with opened(browser, SITE / "docs/stdlib/mru.html", viewport={"width": 1400, "height": 900}) as page:
        with page.context.expect_page() as opening:
            page.click("text=Try it in the playground")
        tried = opening.value
        tried.set_default_timeout(60_000)
        tried.wait_for_selector("body[data-checked=true]")
        assert tried.input_value("#stdlib") == "mru"


def test_drawings_have_names_and_contrast(browser: Any) -> None:
    with opened(browser, SITE / "docs/stdlib/s3fifo.html", viewport={"width": 1400, "height": 900}) as page:
        assert not [each for each in complaints(page) if "drawing" in each or "<svg" in each]
        names = [each.get_attribute("aria-label") for each in page.locator("article .drawing svg").all()]
        assert len(names) == 2 and all("s3fifo" in name for name in names)
