"""Chromium for tests that `make test-site` runs, by playwright of build/site/venv."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "build" / "site" / "pictures"
PLAYGROUND = ROOT / "build" / "playground" / "index.html"
SITE = ROOT / "build" / "site" / "html"
AXE = ROOT / "build" / "playground" / "npm" / "node_modules" / "axe-core" / "axe.min.js"
IMPACTS = ("minor", "moderate", "serious", "critical")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser. Its pages are opened from files."""
    packages = os.environ["CPOL_SITE_PACKAGES"]  # scripts/test-site sets it
    if packages not in sys.path:
        sys.path.append(packages)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, path: Path, fragment: str = "", **options: Any) -> Iterator[Any]:
    """A page from a file. At its end: it asked for no network, and no script failed."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(60_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda said: said.type == "error" and wrong.append(f"console: {said.text}"))
    page.on(
        "request",
        lambda request: request.url.startswith(("file:", "data:", "blob:")) or wrong.append(f"asks for {request.url}"),
    )
    page.goto(f"{path.as_uri()}{fragment}")
    yield page
    context.close()
    assert wrong == []


def complaints(page: Any, impacts: Collection[str] = IMPACTS) -> list[str]:
    """What axe says of the accessibility of what the page shows, of these impacts."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8") + ";0")
    found = page.evaluate("rules => axe.run({ runOnly: rules, preload: false })", RULES)
    return [
        f"{each['id']}: {each['help']}: {node['html'][:160]}"
        for each in found["violations"]
        if each["impact"] in impacts
        for node in each["nodes"]
    ]


def overflow(page: Any) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def picture(page: Any, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
