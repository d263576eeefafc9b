"""The playground in Chromium, opened from its file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from browser import PLAYGROUND, chromium, complaints, opened, overflow, picture

from cpol.compiler.policies import stdlib_names

pytestmark = pytest.mark.browser

WIDE = {"width": 1400, "height": 900}
NARROW = {"width": 400, "height": 800}

FIFO = """policy fifo {
  list queue
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  test first_goes(capacity: 2) {
    access 1, 2, 3
    expect cache.has(2, 3)
  }
}"""

ENDLESS = """policy slow {
  list queue
  state total: u64 = 0
  on added(f) { place f at tail of queue }
  on accessed(f) { for i in 0..4000 { for j in 0..4000 { total += i * j } } }
  on evict { scan queue from head as f { evict f } }
  test long(capacity: 2) { access 1, 1  expect cache.has(1) }
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@contextmanager
def ready(browser: Any, fragment: str = "", size: dict[str, int] | None = None, **options: Any) -> Iterator[Any]:
    """The page, once cpol has looked at the first policy."""
    with opened(browser, PLAYGROUND, fragment, viewport=size or WIDE, **options) as page:
        settled(page)
        yield page


def settled(page: Any) -> None:
    page.wait_for_selector("body[data-checked][data-state=ready]")


def write(page: Any, text: str) -> None:
    """Put a text into the editor as somebody who pastes it would, and wait for what cpol says of it."""
    page.evaluate("delete document.body.dataset.checked")
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    settled(page)


def text_of(page: Any) -> str:
    return "\n".join(page.locator(".cm-line").all_text_contents())


def test_it_types_and_finds_what_is_wrong(browser: Any) -> None:
    with ready(browser) as page:
        assert page.inner_text("#problems") == "None."
        page.evaluate("delete document.body.dataset.checked")
        page.click(".cm-content")
        page.keyboard.press("Control+a")
        page.keyboard.type("policy p { list queue, queue }", delay=1)
        settled(page)
        assert "queue" in page.inner_text("#problems li.error")
        assert page.locator(".cm-lintRange-error").count() >= 1
        page.click("#problems li >> text=Explain")
        page.wait_for_selector("#problems li pre")
        page.locator("#problems li button >> nth=0").click()
        assert page.evaluate("document.activeElement.className").startswith("cm-content")
        picture(page, "problems-1400")
        assert complaints(page) == []


def test_it_formats(browser: Any) -> None:
    with ready(browser) as page:
        write(page, FIFO.replace("  list queue", "list    queue"))
        page.click("#format")
        page.wait_for_function("document.querySelector('.cm-content').innerText.includes('\\n  list queue')")
        page.keyboard.press("Tab")
        write(page, "policy {")
        page.click("#format")
        settled(page)
        assert text_of(page) == "policy {" and page.locator("#problems li.error").count() == 1


def test_it_runs_tests(browser: Any) -> None:
    with ready(browser) as page:
        write(page, FIFO)
        page.click("#run-tests")
        page.wait_for_function("document.querySelector('#tests-said').textContent === '1 test passed.'")
        write(page, FIFO.replace("cache.has(2, 3)", "cache.has(1)"))
        page.click("#run-tests")
        page.wait_for_function("document.querySelector('#tests-said').textContent === '1 of 1 tests failed.'")
        assert "expect cache.has(1)" in page.inner_text("#test-list li.bad")
        picture(page, "tests-1400")
        assert complaints(page) == []


def test_it_steps_forward_and_back(browser: Any) -> None:
    with ready(browser, "#policy=s3fifo") as page:
        page.click("#tab-steps")
        page.click("#begin")
        page.wait_for_selector("#stepper:not([hidden])")
        last = int(page.get_attribute("#slider", "max"))
        forward = [page.inner_text("#step")]
        for number in range(1, last + 1):
            page.click("#next")
            page.wait_for_function(f"document.querySelector('#where').textContent === '{number} of {last}'")
            forward.append(page.inner_text("#step"))
        assert "expect" in forward[-1] and len(set(forward)) > last // 2
        for number in range(last - 1, -1, -1):
            page.click("#back")
            page.wait_for_function(f"document.querySelector('#where').textContent === '{number} of {last}'")
            assert page.inner_text("#step") == forward[number]


def test_it_draws_what_a_step_changed(browser: Any) -> None:
    with ready(browser) as page:
        write(page, FIFO)
        page.click("#tab-steps")
        page.select_option("#script", label="a trace")
        page.fill("#steps-numbers", "7 8 9")
        page.fill("#steps-capacity", "2")
        page.click("#begin")
        page.wait_for_selector("#stepper:not([hidden])")
        page.locator("#steps").focus()
        for _ in range(2):
            page.keyboard.press("n")
        page.wait_for_selector("#step .folio.new >> text=7")
        assert page.locator(".cm-line.ran").all_text_contents() == ["  on added(f) { place f at tail of queue }"]
        page.keyboard.press("End")
        page.wait_for_function("document.querySelector('#next').getAttribute('aria-disabled') === 'true'")
        assert page.locator("#step .folio b").all_inner_texts() == ["8", "9"]
        picture(page, "steps-1400")
        assert complaints(page) == []


def test_it_draws_curves(browser: Any) -> None:
    with ready(browser, "#policy=lru") as page:
        page.click("#tab-curves")
        page.select_option("#curves-kind", "loop")
        page.fill("#curves-requests", "400")
        page.fill("#curves-pages", "40")
        page.fill("#capacities", "20 40")
        page.fill("#beside", "mru")
        page.click("#simulate")
        page.wait_for_function("document.querySelectorAll('#chart tbody td').length === 6")
        page.wait_for_selector("#progress", state="hidden")
        assert page.locator("#chart th[scope=col]").all_inner_texts() == ["capacity", "lru", "mru", "optimal"]
        cells = page.locator("#chart tbody td").all_inner_texts()
        assert cells[0] == "400 (100.0 %)" and cells[3:] == ["40 (10.0 %)"] * 3
        assert page.locator("#chart polyline").count() == 6  # and those of the legend
        picture(page, "curves-1400")
        assert complaints(page) == []


def test_curves_of_the_standard_library_run_as_native_code(browser: Any) -> None:
    """In Chromium as under node; and the page says what ran how."""

    def simulated() -> str:
        page.click("#simulate")
        page.wait_for_selector("#progress:not([hidden])", state="attached")
        page.wait_for_selector("#progress", state="hidden")
        return str(page.inner_text("#curves-said"))

    with ready(browser, "#policy=lru") as page:
        page.click("#tab-curves")
        page.select_option("#curves-kind", "loop")
        page.fill("#curves-requests", "1000000")
        page.fill("#curves-pages", "1000")
        page.fill("#capacities", "500")
        page.fill("#beside", "mru s3fifo")
        said = simulated()
        print(said)
        assert re.fullmatch(
            r"1000000 requests of 1000 different pages\. "
            r"Native code, [\d.]+ million requests a second: lru, mru, s3fifo\.",
            said,
        )
        assert page.locator("#chart tbody td").all_inner_texts()[0] == "1000000 (100.0 %)"
        picture(page, "curves-native-1400")
        write(page, "// mine\n" + text_of(page))
        assert "1 to 20,000; curves of unchanged policies of the standard library take more" in simulated()
        page.fill("#curves-requests", "2000")
        said = simulated()
        assert "second: mru, s3fifo. Interpreter: lru." in said
        assert page.locator("#chart tbody td").all_inner_texts()[0] == "2000 (100.0 %)"


def test_it_shares_by_its_address(browser: Any) -> None:
    mine = FIFO.replace("fifo", "shared") + "\n// <script>alert(1)</script> \u2713 \U0001f600\n"
    with ready(browser) as page:
        write(page, mine)
        page.click("#share")
        page.wait_for_function("location.hash.startsWith('#p=')")
        fragment = page.evaluate("location.hash")
    with ready(browser, fragment) as page:
        assert text_of(page) == mine
        assert page.inner_text("#stdlib option:checked") == "my own"
    with ready(browser, "#p=damaged!") as page:
        assert "damaged" in page.inner_text("#problems")
    with ready(browser, "#policy=constructor") as page:
        assert "no policy constructor" in page.inner_text("#problems")


def test_it_opens_every_stdlib_policy(browser: Any) -> None:
    with ready(browser) as page:
        for name in stdlib_names():
            page.evaluate("delete document.body.dataset.checked")
            page.select_option("#stdlib", name)
            settled(page)
            assert page.get_attribute("body", "data-checked") == "true", name
            assert page.locator("#problems li.error").count() == 0, name


def test_what_takes_too_long_is_stopped_and_the_text_stays(browser: Any) -> None:
    with ready(browser) as page:
        write(page, ENDLESS)
        assert page.get_attribute("body", "data-checked") == "true"
        page.click("#run-tests")
        page.wait_for_selector("#stop:not([hidden])")
        page.click("#stop")
        page.wait_for_function("document.querySelector('#tests-said').textContent === 'stopped'")
        assert text_of(page) == ENDLESS
        page.wait_for_selector("body[data-state=ready]")
        write(page, FIFO)
        page.click("#run-tests")
        page.wait_for_function("document.querySelector('#tests-said').textContent === '1 test passed.'")


def test_the_keyboard_is_enough(browser: Any) -> None:
    """Tab goes through the page and out of the editor; arrows choose a view; Enter runs; n and b step."""
    with ready(browser) as page:
        page.keyboard.press("Tab")
        seen = []
        for _ in range(40):
            where = page.evaluate("document.activeElement.id || document.activeElement.className.split(' ')[0]")
            seen.append(where)
            if where == "tab-tests":
                break
            page.keyboard.press("Tab")
        assert seen[:3] == ["stdlib", "format", "share"] and "cm-content" in seen and seen[-1] == "tab-tests"
        page.keyboard.press("ArrowRight")
        assert page.get_attribute("#tab-steps", "aria-selected") == "true"
        for _ in range(8):
            if page.evaluate("document.activeElement.id") == "begin":
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("#stepper:not([hidden])")
        page.keyboard.press("n")
        page.wait_for_function("document.querySelector('#where').textContent.startsWith('1 of')")
        page.keyboard.press("b")
        page.wait_for_function("document.querySelector('#where').textContent.startsWith('0 of')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["400", "1400"])
def test_it_fits_and_is_accessible(browser: Any, size: dict[str, int], scheme: str) -> None:
    with ready(browser, "#policy=s3fifo", size, color_scheme=scheme) as page:
        for view in ("tests", "steps", "curves", "help"):
            page.click(f"#tab-{view}")
            if view == "steps":
                page.click("#begin")
                page.wait_for_selector("#stepper:not([hidden])")
                page.click("#last")
                page.wait_for_function("document.querySelector('#next').getAttribute('aria-disabled') === 'true'")
            if view == "curves":
                page.fill("#curves-requests", "300")
                page.click("#simulate")
                page.wait_for_selector("#chart table")
                page.wait_for_selector("#progress", state="hidden")
            assert overflow(page) <= 0, view
            assert complaints(page) == [], view
            picture(page, f"{view}-{size['width']}-{scheme}")
