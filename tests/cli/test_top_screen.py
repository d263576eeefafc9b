"""The full-screen view of `cpolc top`."""

from __future__ import annotations

from typing import Any

import pytest
from screens import look, press
from textual.pilot import Pilot
from textual.widgets import DataTable

from cpol.cli import rates
from cpol.cli.errors import CliError
from cpol.cli.screen.top import TopScreen, ending, fitting
from cpol.runtime.operate.loader.rates import intervals
from cpol.runtime.operate.loader.statistics import Statistics

NEVER = 3600.0
"""Seconds between two looks of the view's own."""


def one(cgroup: int, path: str, **numbers: int) -> Statistics:
    return Statistics(cgroup, path, "lfu", "attached", numbers, (12, 34), ("small", "main"))


def readings() -> tuple[list[Statistics], list[Statistics]]:
    before = [one(1, "/sys/fs/cgroup/db", added=0, hits=0, misses=0), one(2, "/sys/fs/cgroup/web", added=0)]
    after = [
        one(1, "/sys/fs/cgroup/db", added=10, hits=3, misses=1, owned=256, capacity=512, prog_ns=0),
        one(2, "/sys/fs/cgroup/web", added=900, hits=1, misses=9, owned=512, capacity=512),
        one(3, "/sys/fs/cgroup/idle"),
    ]
    return before, after


def view() -> TopScreen:
    before, after = readings()
    return TopScreen(lambda: after, before, NEVER)


def order(app: TopScreen) -> list[str]:
    return [row.cgroup.rpartition("/")[2] for row in app.shown]


@pytest.mark.slow
def test_rows_are_sorted_and_added_up() -> None:
    app = view()

    async def script(pilot: Pilot[Any]) -> None:
        await app.sample()
        shown = await press(pilot)
        assert shown[1].split()[:3] == ["CGROUP", "▲", "POLICY"], shown
        assert shown[2].split()[:3] == ["total", "3", "policies"] and "28.6" in shown[2] and "3.0 / 4.0" in shown[2]
        assert order(app) == ["total", "db", "idle", "web"]
        await press(pilot, "r")
        assert order(app) == ["total", "web", "idle", "db"]
        app.sort_by("ADDED/s")
        assert order(app) == ["total", "web", "db", "idle"]
        app.sort_by("HIT%")
        await press(pilot, "r")
        assert order(app) == ["total", "web", "db", "idle"]  # what has no value is the last in both orders
        await press(pilot, "s")
        assert app.by == "EVICTED/s"
        await press(pilot, "S", "S")
        assert app.by == "POLICY"

    look(app, script)


def test_cursor_stays_with_its_policy_and_shows_its_lists() -> None:
    app = view()

    async def script(pilot: Pilot[Any]) -> None:
        await app.sample()
        shown = await press(pilot, "down")
        assert (
            "/sys/fs/cgroup/db" in shown and "lfu: attached" in shown and "pages on lists: small 12, main 34" in shown
        )
        app.sort_by("ADDED/s")
        shown = await press(pilot)
        assert app.query_one(DataTable).cursor_row == 2 and "/sys/fs/cgroup/db" in shown

    look(app, script)


def test_columns_by_width() -> None:
    rows = intervals(*readings(), 1.0)
    assert fitting(rows, 20, "CGROUP") == ("CGROUP",)
    assert fitting(rows, 20, "ADDED/s") == ("CGROUP", "ADDED/s")
    assert fitting(rows, 80, "CGROUP") == ("CGROUP", "POLICY", "HIT%", "EVICTED/s", rates.MEMORY)
    assert fitting(rows, 300, "CGROUP") == rates.HEAD
    assert ending("/sys/fs/cgroup/a/b", 8) == "…oup/a/b"
    app = view()

    async def script(pilot: Pilot[Any]) -> None:
        await app.sample()
        assert "PROGRAMS%" not in (await press(pilot))[1]
        await press(pilot, "a")
        assert app.columns == rates.HEAD and app.query_one(DataTable).virtual_size.width > 80

    look(app, script)


def test_hostile_names() -> None:
    names = ["/sys/fs/cgroup/\x1b[2J[red]\r\n", "/sys/fs/cgroup/[/]\u202e"]
    rows = [Statistics(n, path, "[b]p[/c]", "\x1b[H", {}, (1,), ("[/x]",)) for n, path in enumerate(names)]
    app = TopScreen(lambda: rows, [], NEVER)

    async def script(pilot: Pilot[Any]) -> None:
        await app.sample()
        shown = await press(pilot, "a", "down")
        assert all(line.isprintable() for line in shown)
        text = "\n".join(shown)
        assert r"/sys/fs/cgroup/\x1b[2J[red]\x0d\x0a" in text and r"cgroup/[/]\xe2\x80\xae" in text
        assert "[b]p[/c]" in text and r"\x1b[H" in text and "[/x] 1" in text

    look(app, script, (200, 24))


def test_no_policy_then_one_then_none() -> None:
    _, after = readings()
    looks = iter([[], after[:1], []])
    app = TopScreen(lambda: next(looks), [], NEVER)

    async def script(pilot: Pilot[Any]) -> None:
        for expected in ("no policy is attached", "/sys/fs/cgroup/db", "no policy is attached"):
            await app.sample()
            shown = await press(pilot)
            assert expected in "\n".join(shown), shown
        assert "total" not in "\n".join(shown)

    look(app, script)


def test_statistics_that_fail_end_the_view() -> None:
    def fail() -> list[Statistics]:
        raise CliError("no permission")

    app = TopScreen(fail, [], NEVER)

    async def script(pilot: Pilot[Any]) -> None:
        await app.sample()

    look(app, script)
    assert app.failure is not None and app.failure.message == "no permission"


def test_many_policies_scroll() -> None:
    app = TopScreen(lambda: [one(n, f"/sys/fs/cgroup/{n:03}", added=n) for n in range(300)], [], NEVER)

    async def script(pilot: Pilot[Any]) -> None:
        await app.sample()
        shown = await press(pilot, "ctrl+end")
        assert any(line.startswith(" /sys/fs/cgroup/299") for line in shown), shown
        assert shown[2].startswith(" total"), shown

    look(app, script)
