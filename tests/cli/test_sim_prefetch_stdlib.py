"""The policies of the standard library on the model: each is best where it was made for, and two are the kernel's."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.runtime.simulate.prefetch.regimes import REGIMES

POLICIES = ("none", "default", "swap_vma", "swap_cluster", "leap", "leap_vma", "ladder", "ladder_vma")
MISSED = {
    "sequential/sequential": (4096, 514, 514, 515, 514, 514, 515, 516),
    "sequential/stride": (4096, 4095, 4095, 4096, 517, 518, 522, 522),
    "sequential/ladder": (730, 745, 745, 747, 560, 653, 59, 59),
    "random/sequential": (4020, 519, 519, 4015, 3521, 517, 4020, 537),
    "random/stride": (4014, 4013, 4013, 4011, 3522, 521, 4014, 535),
    "random/ladder": (667, 673, 673, 667, 642, 631, 667, 131),
}
"""Faults that had to read, in the order of POLICIES: 4,096 pages, memory for a fifth of them."""


def objects(*words: str) -> dict[str, dict[str, int]]:
    done = CliRunner().invoke(cli, ["sim", *words, "--json"], prog_name="cpolc")
    assert done.exit_code == 0 and not done.stderr, done.output
    return {row["policy"]: row for row in map(json.loads, done.stdout.splitlines())}


@cache
def regime(name: str) -> dict[str, dict[str, int]]:
    return objects(*POLICIES, "--regime", f"{name}:4096", "--capacity", "0.2")


@pytest.mark.long
@pytest.mark.parametrize("name", REGIMES)
def test_missed(name: str) -> None:
    assert {policy: run["missed"] for policy, run in regime(name).items()} == dict(
        zip(POLICIES, MISSED[name], strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIMES)
def test_swap_vma_is_the_kernels_own(name: str) -> None:
    """The same counts, and not only of faults; of the policy nothing is left to the kernel."""
    policy, kernel = regime(name)["swap_vma"], regime(name)["default"]
    for count in ("faults", "missed", "prefetched", "used", "late", "wasted", "read_bytes"):
        assert policy[count] == kernel[count], count
    assert policy["defaulted"] == 0 < kernel["defaulted"]


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIMES)
def test_swap_cluster_is_the_kernels_own(name: str) -> None:
    """But for the first fault: the kernel begins with four hits, the policy with none."""
    kernel = objects("default", "--kernel", "cluster", "--regime", f"{name}:4096", "--capacity", "0.2")["default"]
    assert abs(regime(name)["swap_cluster"]["missed"] - kernel["missed"]) <= 10


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("sequential/stride", {"leap", "leap_vma", "ladder", "ladder_vma"}),
        ("sequential/ladder", {"ladder", "ladder_vma"}),
        ("random/sequential", {"default", "swap_vma", "leap_vma", "ladder_vma"}),
        ("random/stride", {"leap_vma", "ladder_vma"}),
        ("random/ladder", {"ladder_vma"}),
    ],
)
def test_best_where_it_was_made_for(name: str, best: set[str]) -> None:
    """Of the faults without readahead, the best leave less than 30 %, all others more than 75 %."""
    left = {policy: run["missed"] / regime(name)["none"]["missed"] for policy, run in regime(name).items()}
    assert {policy for policy, share in left.items() if share < 0.3} == best
    assert all(share > 0.75 for policy, share in left.items() if policy not in best), left


@pytest.fixture
def reads(tmp_path: Path) -> Path:
    """Three readers: one from beginning to end, one at random, one at every third page."""
    source = random.Random(1)
    lines = [f"2,2,{page}\n3,3,{source.randrange(4000)}\n4,4,{page * 3}\n" for page in range(1500)]
    path = tmp_path / "reads.csv"
    path.write_text("tid,file,page\n" + "".join(lines))
    return path


@pytest.mark.slow
def test_files(reads: Path) -> None:
    words = ("readahead", "stream", "stride", "none", "default", "--trace", str(reads), "--capacity", "9000")
    runs = objects(*words, "--columns", "thread=tid,file=file,page=page")
    missed = {policy: run["missed"] for policy, run in runs.items()}
    assert missed["none"] > 4000
    assert abs(missed["readahead"] - missed["default"]) <= 2
    assert missed["stride"] < 0.6 * missed["default"] < missed["stream"] <= missed["default"]


def test_policy_of_ones_own_and_its_params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("next.cpol").write_text(
        "policy next {\n  param pages: u32 = 1 in 1..8\n  state others: u64 = 0\n"
        "  on fault(p) { if task.thread != 7 { others += 1 } }\n"
        "  on prefetch(p) { if others == 0 { for k in 1..pages { prefetch page p.page + k } } }\n}\n"
    )
    words = ("next.cpol", "--regime", "sequential/sequential:900", "--capacity", "100", "--assume", "thread=7")
    assert objects(*words)["next"]["missed"] == 450
    assert objects(*words, "--set", "pages=8")["next"]["missed"] == 100
    done = CliRunner().invoke(cli, ["sim", *words[:-2]], prog_name="cpolc")
    assert done.stdout.splitlines()[-1].split()[:3] == ["next", "100", "900"]
    assert done.stderr.startswith(
        "note: next.cpol:4:20: `task.thread`: the sequential/sequential trace has no threads;"
    )


def test_policy_that_only_prefetches_needs_no_other_word(reads: Path) -> None:
    """A trace of objects is an error, which names what is missing."""
    reads.write_text("1,5,100\n2,6,100\n")
    done = CliRunner().invoke(cli, ["sim", "leap", "--trace", str(reads), "--capacity", "9"], prog_name="cpolc")
    assert done.exit_code == 1 and "neither swap faults nor reads of files" in done.stderr
