"""What `bench-regimes --timed` measures: the times of faults, and the shares that it makes of counts."""

from __future__ import annotations

import subprocess
import sys
from array import array
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
VM = HERE.parent / "vm"
KERNEL = {"major": 20, "seconds": 1.0, "sectors": 800, "swap_ra": 100, "swap_ra_hit": 80}
EMPTY = {**KERNEL, "prefetched": 0, "used": 0}
POLICY = {**KERNEL, "prefetched": 50, "used": 40}
NOTHING_AHEAD = {**KERNEL, "swap_ra": 0, "swap_ra_hit": 0}


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    sys.path.insert(0, str(VM))
    loader = SourceFileLoader("bench_regimes", str(HERE / "regimes"))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("run", "accuracy", "coverage"),
    [(KERNEL, 0.8, 0.8), (EMPTY, 0.8, 0.8), (POLICY, 0.8, 40 / 60), (NOTHING_AHEAD, None, 0)],
)
def test_accuracy_and_coverage(
    bench: ModuleType, run: dict[str, float], accuracy: float | None, coverage: float
) -> None:
    told = bench.medians([run])
    assert told["accuracy"] == accuracy and told["coverage"] == pytest.approx(coverage)


def test_a_figure_is_the_median_of_the_runs(bench: ModuleType) -> None:
    runs = [{**KERNEL, "major": major, "latency_us": {"p50": major / 10}} for major in (30, 10, 20)]
    told = bench.medians(runs)
    assert told["major"] == 20 and told["latency_us"] == {"p50": 2}


@pytest.mark.slow
def test_the_longest_accesses_are_the_faults(tmp_path: Path) -> None:
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["cc", *flags, VM / "touch_array.c", "-o", tmp_path / "touch_array"], check=True)
    (tmp_path / "order").write_bytes(array("I", range(512)).tobytes())
    words = [str(tmp_path / "touch_array"), "512", str(tmp_path / "order"), str(tmp_path / "order")]
    plain = subprocess.run(words, input="\n", capture_output=True, text=True, check=True).stdout.splitlines()
    assert plain[0] == "filled" and len(plain) == 2
    timed = subprocess.run([*words, "latencies"], input="\n", capture_output=True, text=True, check=True)
    filled, counts, latencies = timed.stdout.splitlines()
    assert filled == "filled" and len(counts.split()) == 3
    mean, *percentiles = map(int, latencies.split())
    assert len(percentiles) == 8 and percentiles == sorted(percentiles) and mean >= 0
    (tmp_path / "twice").write_bytes(array("I", [*range(512), 0]).tobytes())
    done = subprocess.run(
        [*words[:-1], str(tmp_path / "twice"), "latencies"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "twice" in done.stderr
