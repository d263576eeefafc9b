"""Prefetching policies, also hostile ones, leave a neighbour's swapping alone (neighbour_checks.py)."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from checks import Results, passed, run_checks
from kernels import KERNELS, kernel_and_environment
from regimes import SHARE, VM, write
from vm_types import CHECKOUT

from cpol.compiler import compile_file, compile_source
from cpol.compiler.backend import bpf
from cpol.kernel.vm import Disk
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

HOSTILE = {
    "beyond": "for k in 0..63 { prefetch slot p.slots + k * 4294967296  prefetch page p.last + 1 + k }",
    "wild": "for k in 0..63 { prefetch slot random(p.slots) }",
    "foreign": "for k in 0..63 { prefetch slot 1 + random(4096) }",
}
"""Slots and areas that are not there; 64 slots at random at each fault; slots of the neighbour, which has the first."""
STOPPED = 90
"""Percent: a policy that wastes more than that is stopped."""
NEAR = 0.02
"""Largest relative difference of the neighbour's counts, unless its own runs differ by more."""
REPEATS = 3
ORDERS = ("sequential-sequential", "random-stride")
NAME = "a_neighbour_reads_beside"
PAGES, OTHER, ROUNDS = 4096, 2048, 20


def policies(folder: Path) -> list[str]:
    for name, text in HOSTILE.items():
        source = f"policy {name} {{ on prefetch(p) {{ {text} }} }}"
        bpf.compile_policy(compile_source(source, f"{name}.cpol"), folder / f"{name}.bpf.o")
    bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / "leap.cpol"), folder / "leap.bpf.o")
    return ["leap", *HOSTILE]


@pytest.fixture(scope="module", params=KERNELS)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    kernel, environment = kernel_and_environment(request.param)
    folder = tmp_path_factory.mktemp("neighbours")
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["cc", *flags, VM / "touch_array.c", "-o", folder / "touch_array"], check=True)
    plan = {"share": SHARE, "repeats": REPEATS, "runs": [], "policies": policies(folder), "medium": "disk"}
    (folder / "plan.json").write_text(json.dumps(plan))
    source = random.Random(3)
    shuffled = source.sample(range(PAGES), PAGES)
    orders = {
        "least": ([0], [0]),
        "sequential-sequential": (range(PAGES), range(PAGES)),
        "random-stride": (shuffled, [page for begin in range(3) for page in range(begin, PAGES, 3)]),
        "other": (range(OTHER), source.choices(range(OTHER), k=ROUNDS * OTHER)),
    }
    for name, (filled, read) in orders.items():
        write(folder / f"{name}.filled", filled)
        write(folder / f"{name}.read", read)
    with (folder / "swap").open("wb") as file:
        file.truncate(128 << 20)
    words = (str(loader.find()), str(folder), NAME)
    disks = (Disk(folder / "swap"),)
    return run_checks(kernel, VM / "neighbour_checks.py", folder, *words, environment=environment, disks=disks)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("arm", ["leap", *HOSTILE])
def test_the_neighbour_has_the_same_counts(results: Results, order: str, arm: str) -> None:
    """As many faults must read as beside a cgroup without a policy."""
    passed(results, NAME)
    runs: dict[str, list[dict[str, Any]]] = results[NAME]["figures"][order]
    counts = {name: [run["major"] for run in runs[name]] for name in ("none", arm)}
    spread = max(max(some) - min(some) for some in counts.values())
    ours, without = median(counts[arm]), median(counts["none"])
    assert abs(ours - without) <= max(NEAR * without, spread), counts


@pytest.mark.parametrize("order", ORDERS)
def test_hostile_ones_hurt_only_themselves(results: Results, order: str) -> None:
    passed(results, NAME)
    runs: dict[str, list[dict[str, Any]]] = results[NAME]["figures"][order]
    for run in runs["beyond"]:
        assert run["prefetched"] == 0 and run["out_of_range"] > 64 * 40 and not run["exit"], run
    for run in runs["foreign"]:
        assert run["foreign"] > 1000, run
    for run in runs["wild"]:
        assert run["exit"] == "watchdog" and run["code"] > STOPPED, run
