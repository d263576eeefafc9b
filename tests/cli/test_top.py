"""`cpolc top`: the table and its drawing."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from click.testing import CliRunner
from screens import ends_cleanly

from cpol.cli import rates, top
from cpol.cli.main import cli
from cpol.runtime.operate.loader import LoaderError
from cpol.runtime.operate.loader.rates import interval
from cpol.runtime.operate.loader.statistics import End, Statistics


def statistics(policy: str = "lfu", path: str | None = "/sys/fs/cgroup/web", **numbers: int) -> Statistics:
    return Statistics(7, path, policy, "attached", numbers, (12, 34), ("small", "main"))


def cells(before: list[Statistics], after: list[Statistics], seconds: float = 2.0) -> dict[str, str]:
    """Return the single policy's cells by column."""
    (one,) = after
    earlier = {(other.cgroup, other.policy): other for other in before}
    row = interval(earlier.get((one.cgroup, one.policy)), one, seconds)
    return {column: rates.cell(row, column) for column in rates.HEAD}


def test_rates_ratios_and_sizes() -> None:
    before = statistics(added=100, accessed=10, hits=5, misses=5, evicted=0, refused_dirty=1, refused_busy=0, prog_ns=0)
    after = statistics(
        added=2100, accessed=14, hits=35, misses=15, refaults=4, evicted=8, refused_dirty=3, refused_busy=2, fallback=0,
        prog_ns=20_000_000, owned=512, capacity=2560, adopted=6,
    )  # fmt: skip
    assert cells([before], [after]) == {
        "POLICY": "lfu",
        "ADDED/s": "1,000",
        "ADOPTED/s": "3",
        "ACCESSED/s": "2",
        "HIT%": "75.0",
        "REFAULT/s": "2",
        "EVICTED/s": "4",
        "REFUSED/s": "2",
        "FALLBACK/s": "0",
        "PROGRAMS%": "1.0",
        "OWNED/CAPACITY MiB": "2.0 / 10.0",
        "CGROUP": "/sys/fs/cgroup/web",
        "LISTS (pages)": "small 12, main 34",
    }


def test_statistics_that_the_kernel_lacks() -> None:
    shown = cells([], [statistics()])
    assert {shown[name] for name in rates.HEAD[2:10]} == {"n/a"}
    assert shown["OWNED/CAPACITY MiB"] == "n/a / n/a"
    assert cells([], [statistics(hits=0, misses=0)])["HIT%"] == "-"


def test_time_of_programs_that_is_not_measured() -> None:
    before, after = statistics(added=1, prog_ns=7), statistics(added=900, prog_ns=7)
    assert cells([before], [after])["PROGRAMS%"] == "-"
    assert cells([], [statistics(prog_ns=0)])["PROGRAMS%"] == "-"


def test_policy_attached_or_replaced_between_samples() -> None:
    assert cells([statistics("mru", added=1000)], [statistics(added=10)])["ADDED/s"] == "5"
    assert cells([statistics(added=1000)], [statistics(added=10)])["ADDED/s"] == "5"


def test_overruled_policy_has_its_reason() -> None:
    one = Statistics(7, "/sys/fs/cgroup/web", "lfu", "overruled", {}, reason="cannot-go")
    assert cells([], [one])["POLICY"] == "lfu (overruled: cannot-go)"


def test_policies_that_ended_are_shown_while_they_are_held() -> None:
    ends = [End("watchdog", 64, "rotates", 1000, held) for held in (True, False)]
    one, other = (Statistics(7, "/sys/fs/cgroup/web", "lfu", "ended", {}, end=end) for end in ends)
    shown = rates.table([other], [other, one, statistics("mru", added=4)], 1.0)
    assert len(shown) == 3 and "lfu (ended: watchdog)" in shown[1] and "mru" in shown[2]
    assert rates.table([], [other], 1.0) == ["no policy is attached"]


def test_many_lists_and_control_characters() -> None:
    many = Statistics(7, "/sys/fs/cgroup/\x1b[2J\n", "p", "attached", {}, tuple(range(3000)))
    shown = cells([], [many])
    assert shown["LISTS (pages)"] == "0 0, 1 1, 2 2, 3 3, 4 4, 5 5, 6 6, 7 7, and 2992 more"
    assert shown["CGROUP"] == r"/sys/fs/cgroup/\x1b[2J\x0a"
    assert all(line.isprintable() for line in rates.table([], [many], 1.0))


def test_table_of_top_is_aligned() -> None:
    lines = rates.table([], [statistics(added=5), statistics("a_longer_name", None, added=123456)], 1.0)
    assert len(lines) == 3 and lines[0].startswith("CGROUP              POLICY         ADDED/s")
    assert "(cgroup 7)" in lines[2]
    ends = {line.index(cell) + len(cell) for line, cell in zip(lines, ("ADDED/s", " 5", "123,456"), strict=True)}
    assert len(ends) == 1
    assert rates.table([], [], 1.0) == ["no policy is attached"]


def test_batch_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([[statistics(added=number * 10)] for number in range(10)])
    monkeypatch.setattr(top, "read", lambda: next(looks))
    done = CliRunner().invoke(cli, ["top", "--once", "--interval", "0.1"])
    assert done.exit_code == 0 and done.stdout.count("POLICY") == 1 and "\x1b" not in done.stdout
    done = CliRunner().invoke(cli, ["top", "--batch", "3", "--interval", "0.1"])
    assert done.exit_code == 0 and done.stdout.count("POLICY") == 3
    assert CliRunner().invoke(cli, ["top", "--batch", "3", "--once"]).exit_code == 2
    assert CliRunner().invoke(cli, ["top", "--batch", "0"]).exit_code == 2
    assert CliRunner().invoke(cli, ["top", "--interval", "0"]).exit_code == 2


def test_statistics_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> list[Statistics]:
        raise LoaderError("no permission: run it with sudo")

    monkeypatch.setattr(top, "read", fail)
    done = CliRunner().invoke(cli, ["top", "--once"], standalone_mode=False)
    assert str(done.exception) == "no permission: run it with sudo"


LIVE = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for background jobs
if {plain}:
    sys.modules["textual"] = None
from cpol.cli import top
from cpol.runtime.operate.loader.rates import interval
from cpol.runtime.operate.loader.statistics import Statistics
top.read = lambda: [Statistics(7, "/sys/fs/cgroup/web", "lfu", "attached", dict(added=5))]
from cpol.cli.main import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "plain"), [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGINT, False)])
def test_terminal_is_restored(number: signal.Signals, plain: bool) -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-c", LIVE.format(plain=plain), "top", "--interval", "0.1"]
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "100", "LINES": "24"}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        shown, deadline = b"", time.monotonic() + 30
        while shown.count(b"lfu") < 2 and time.monotonic() < deadline:
            shown += os.read(master, 65536)
        process.send_signal(number)
        ends_cleanly(process, master, shown)
    assert (b"pip install textual" in shown) == plain


def test_policies_that_prefetch_have_a_table_of_their_own() -> None:
    counts = {"faults": 100, "cached": 60, "prefetched": 80, "used": 60, "wasted": 4, "late": 2}
    leap = Statistics(7, "/sys/fs/cgroup/web", "leap", "attached", counts, prefetches=True)
    lfu = Statistics(7, "/sys/fs/cgroup/web", "lfu", "attached", {"added": 5})
    before = [replace(leap, numbers={}), lfu]
    lines = top.tables_of(before, [leap, lfu], 2.0)
    blank = lines.index("")
    assert "lfu" in lines[1] and "leap" not in "".join(lines[:blank])
    head, cells = (re.split(r"  +", line) for line in lines[blank + 1 :])
    assert dict(zip(head, cells, strict=True)) == {
        "CGROUP": "/sys/fs/cgroup/web", "PREFETCHES": "leap", "FAULTS/s": "50", "READ/s": "20", "SWAPPED IN/s": "40",
        "ACCURACY%": "75.0", "COVERAGE%": "60.0", "WASTED/s": "2", "LATE/s": "1", "FILE PAGES/s": "-",
        "FILE ACCURACY%": "-", "FILE WASTED/s": "-",
    }  # fmt: skip
    assert top.tables_of([], [leap], 2.0)[0].startswith("CGROUP")
