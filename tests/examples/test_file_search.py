"""The file-search demo's parts that need no machine: the report, and the simulation."""

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


def passes(name: str, seconds: float, mib: int, matches: int = 7) -> str:
    """A first pass of 5 s and 100 MiB, then two like the arguments say."""
    first = f"{name}\t1\t5.00\t{100 * MIB}\t7\n"
    return first + "".join(f"{name}\t{number}\t{seconds}\t{mib * MIB}\t{matches}\n" for number in (2, 3))


@pytest.fixture(scope="module")
def report() -> ModuleType:
    spec = importlib.util.spec_from_file_location("file_search_report", EXAMPLE / "report.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_ratios_are_to_the_default_lru_without_the_first_pass(report: ModuleType) -> None:
    lines = (passes("lru", 4.0, 100) + passes("mru", 2.0, 40)).splitlines()
    lru, mru = report.rows(report.read_passes(lines))
    assert (lru.mib, lru.seconds, lru.mib_ratio, lru.seconds_ratio) == (200, 8, 1, 1)
    assert (mru.title, mru.mib, mru.seconds, mru.mib_ratio, mru.seconds_ratio) == ("cpol mru", 80, 4, 0.4, 0.5)


def test_a_pass_that_found_less_is_no_result(report: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"found \[6, 7\]"):
        report.read_passes((passes("lru", 4.0, 100) + passes("mru", 2.0, 40, matches=6)).splitlines())


def test_everything_is_written(report: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "passes.tsv").write_text(passes("lru", 4.0, 100) + passes("mglru", 4.0, 90) + passes("mru", 2.0, 40))
    facts = {"tree_bytes": 100 * MIB, "limit_bytes": 70 * MIB, "disk_bps": 12 * MIB, "passes": 3}
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    report.main(tmp_path / "passes.tsv", tmp_path / "facts.json", tmp_path)
    written = json.loads((tmp_path / "file-search.json").read_text())
    assert [row["name"] for row in written["rows"]] == ["lru", "mglru", "mru"]
    assert (tmp_path / "file-search.png").read_bytes().startswith(b"\x89PNG")
    assert (
        "cpol mru             5.0 s        80      4.0       0.40        0.50         2.00x" in capsys.readouterr().out
    )


def test_the_simulated_search_favours_mru(tmp_path: Path) -> None:
    done = subprocess.run(
        [EXAMPLE / "simulate", tmp_path, "fifo", "mru"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    misses = {line.split()[0]: int(line.split()[3].replace(",", "")) for line in done.stdout.splitlines()[2:]}
    assert misses["fifo"] == 100_000, "FIFO never finds anything again"
    assert misses["mru"] < 40_000, "10,000 to begin with, then 3,000 a pass"
