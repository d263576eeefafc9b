"""The parts of the file-search demo that need no machine: report, progress and simulation."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "file-search"
MIB = 1 << 20


def passes(name: str, seconds: float, mib: int, matches: int = 7, cached: int = 60) -> str:
    """Return lines for a first pass of 5 s and 100 MiB, then two passes as the arguments say."""
    first = f"{name}\t1\t5.00\t{100 * MIB}\t7\t{50 * MIB}\n"
    rest = f"{seconds}\t{mib * MIB}\t{matches}\t{cached * MIB}\n"
    return first + "".join(f"{name}\t{number}\t{rest}" for number in (2, 3))


@pytest.fixture(scope="module")
def report() -> ModuleType:
    return load("report")


@pytest.fixture(scope="module")
def progress() -> ModuleType:
    return load("progress")


def load(name: str) -> ModuleType:
    """Load a module of the example."""
    spec = importlib.util.spec_from_file_location(f"file_search_{name}", EXAMPLE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_ratios_leave_out_the_first_pass(report: ModuleType) -> None:
    lines = (passes("lru", 4.0, 100) + passes("mru", 2.0, 40)).splitlines()
    lru, mru = report.rows(report.read_passes(lines))
    assert (lru.mib, lru.seconds, lru.mib_ratio, lru.seconds_ratio) == (200, 8, 1, 1)
    assert (mru.title, mru.mib, mru.seconds, mru.mib_ratio, mru.seconds_ratio) == ("cpol mru", 80, 4, 0.4, 0.5)


def test_optimum_has_the_largest_observed_capacity(report: ModuleType) -> None:
    lines = (passes("lru", 4.0, 100) + passes("mru", 2.0, 45, cached=70)).splitlines()
    best = report.optimum(report.rows(report.read_passes(lines)), 100 * MIB)
    assert (best.pages, best.room, best.passes) == (25_600, 17_920, 3)
    # Two more rounds of a loop: Belady's policy hits 17,919 of 25,599 requests in each.
    assert best.mib == pytest.approx(2 * 100 * (1 - 17_919 / 25_599), abs=0.1)
    assert best.mib_ratio == pytest.approx(best.mib / 200, abs=0.001)


def test_optimum_reads_nothing_if_all_fits(report: ModuleType) -> None:
    rows = report.rows(report.read_passes(passes("lru", 4.0, 100, cached=101).splitlines()))
    assert report.optimum(rows, 100 * MIB).mib == 0


def test_different_match_counts_are_an_error(report: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"found \[6, 7\]"):
        report.read_passes((passes("lru", 4.0, 100) + passes("mru", 2.0, 40, matches=6)).splitlines())


@pytest.mark.slow
def test_report_files_are_written(report: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "passes.tsv").write_text(passes("lru", 4.0, 100) + passes("mglru", 4.0, 90) + passes("mru", 2.0, 40))
    facts = {"tree_bytes": 100 * MIB, "limit_bytes": 70 * MIB, "disk_bps": 12 * MIB, "passes": 3}
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    report.main(tmp_path / "passes.tsv", tmp_path / "facts.json", tmp_path)
    written = json.loads((tmp_path / "file-search.json").read_text())
    assert [row["name"] for row in written["rows"]] == ["lru", "mglru", "mru"]
    printed = capsys.readouterr().out
    assert (tmp_path / "file-search.png").read_bytes().startswith(b"\x89PNG")
    assert "cpol mru                 5.0 s        80      4.0       0.40        0.50         2.00x" in printed
    optimum = written["optimum"]
    assert f"Belady (optimal)                {optimum['mib']:>4.0f}" in printed
    assert "simulated on 25,600 pages x 3 passes with room for 15,360" in printed


def test_progress_shows_policy_pass_and_time_left(progress: ModuleType) -> None:
    seen = progress.Progress(configurations=6, passes=3, guess=6.0)
    assert seen.status(0.0) == "the machine boots, then the first pass, about 2 min left"
    assert seen.take("lru\t1\t8.00\t1048576\t7\t0", 20.0) is None
    assert seen.status(24.0) == "policy 1 of 6, pass 2 of 3, about 2 min left"
    assert seen.take("lru\t2\t4.00\t1048576\t7\t0", 24.0) is None
    assert seen.take("lru\t3\t4.50\t2097152\t7\t0", 29.0) == "    lru      passes 2 to 3:    3 MiB read,   8.5 s"
    assert seen.take("mglru\t1\t1.50\t1048576\t7\t0", 30.0) is None
    # 14 passes of 4.5 s remained 5 s ago.
    assert seen.status(35.0) == "policy 2 of 6, pass 2 of 3, about 60 s left"
    assert seen.status(500.0).endswith("about 10 s left")


def test_progress_forwards_other_lines(progress: ModuleType) -> None:
    seen = progress.Progress(configurations=1, passes=1, guess=6.0)
    assert seen.take("attached fifo", 0.0) == "attached fifo"
    assert seen.take("lru\t1\t8.00\t1048576\t7\t0", 20.0) is not None
    assert seen.status(20.0) == "stopping the machine"


def test_progress_without_a_terminal_prints_lines() -> None:
    line = f"lru\t1\t8.00\t{MIB}\t7\t0\n"
    done = subprocess.run(
        [sys.executable, EXAMPLE / "progress.py", "2", "2", "6", "0"],
        input=line + line.replace("\t1\t", "\t2\t"),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "" and "\r" not in done.stderr
    assert "    lru      passes 2 to 2:    1 MiB read,   8.0 s\n" in done.stderr
    assert "    … policy 2 of 2, pass 1 of 2, about 20 s left\n" in done.stderr


def test_simulated_search_favours_mru() -> None:
    done = subprocess.run(
        [EXAMPLE / "simulate", "fifo", "mru"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    misses = {line.split()[0]: int(line.split()[3].replace(",", "")) for line in done.stdout.splitlines()[2:]}
    assert misses["fifo"] == 100_000, "FIFO never hits"
    assert misses["belady"] < misses["mru"] < 40_000, "10,000 misses in the first pass, then at least 3,000 per pass"
