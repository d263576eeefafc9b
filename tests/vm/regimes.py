"""Run the six regimes of FetchBPF in a machine: tests/vm/regime_checks.py, with its folder made here."""

from __future__ import annotations

import json
import subprocess
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks import passed, run_checks
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.kernel.vm import Disk
from cpol.runtime.operate import loader
from cpol.runtime.simulate.prefetch.regimes import BEGIN, regime
from cpol.runtime.simulate.prefetch.rows import Touch

VM = CHECKOUT / "tests" / "vm"
SHARE = 0.2
"""Of the array's pages, those that the limit leaves."""
KERNEL = ("none", "vma", "cluster")
"""The kernel alone: without readahead of swap, around the virtual page, around the slot."""

MEDIA = ("disk", "zram", "null_blk")
"""Swap devices: a disk of the machine, compressed memory, memory behind a latency."""
LATENCY_NS = 50_000
"""Of a read from null_blk."""

Figures = dict[str, dict[str, list[dict[str, Any]]]]
"""Counts by regime and arm, one of each repeat."""


@dataclass(frozen=True)
class Plan:
    """What to run in one regime: `arms` are policies, and those of KERNEL."""

    regime: str
    pages: int
    arms: tuple[str, ...]


def make_folder(
    folder: Path, plans: Sequence[Plan], repeats: int, medium: str = "disk", latencies: bool = False
) -> Path:
    """Make the exchange folder of a machine: compiled policies, the program, the orders of its accesses, the plan.

    `medium` is one of MEDIA. `latencies`: take the time of each fault, too.
    """
    folder.mkdir()
    for policy in {arm for plan in plans for arm in plan.arms} - {*KERNEL}:
        rooms = (CHECKOUT / "stdlib", CHECKOUT / "tests" / "bench")
        source = next(file for room in rooms if (file := room / f"{policy}.cpol").exists())
        bpf.compile_policy(compile_file(source), folder / f"{policy}.bpf.o")
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["cc", *flags, VM / "touch_array.c", "-o", folder / "touch_array"], check=True)
    for plan in plans:
        touches = [row.page - BEGIN for row in regime(plan.regime, plan.pages).rows if isinstance(row, Touch)]
        write(folder / f"{plain(plan.regime)}.filled", touches[: plan.pages])
        write(folder / f"{plain(plan.regime)}.read", touches[plan.pages :])
    write(folder / "least.filled", [0])
    write(folder / "least.read", [0])
    runs = [(plain(plan.regime), plan.pages, plan.arms) for plan in plans]
    told = {"share": SHARE, "repeats": repeats, "runs": runs, "medium": medium, "latency_ns": LATENCY_NS}
    (folder / "plan.json").write_text(json.dumps({**told, "latencies": latencies}))
    return folder


def plain(regime: str) -> str:
    """The regime's name as a file's."""
    return regime.replace("/", "-")


def write(path: Path, pages: Sequence[int]) -> None:
    path.write_bytes(array("I", pages).tobytes())


def run_regimes(
    kernel: Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    iops: int = 0,
    bps: int = 0,
    timeout: float = 1800,
    accel: str = "auto",
) -> Figures:
    """Run what the folder's plan says, with one processor.

    `iops`, `bps`: limits of the swap device, by the host's clock. `accel`: with `icount`, seconds on null_blk do not
    depend on the host.
    """
    disk = folder / "swap"
    with disk.open("wb") as file:
        file.truncate(256 << 20)
    results = run_checks(
        kernel,
        VM / "regime_checks.py",
        folder,
        str(loader.find()),
        str(folder),
        environment=environment,
        disks=(Disk(disk, iops=iops, bps=bps),),
        cpus=1,
        timeout=timeout,
        accel=accel,
        boot_seconds=900,
    )
    passed(results, "regimes")
    figures: Figures = results["regimes"]["figures"]
    return figures
