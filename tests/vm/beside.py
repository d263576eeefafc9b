"""A cgroup without a policy beside policies, good and hostile: the arms, and a machine that runs them.

tests/vm/beside_checks.py measures. tests/vm/test_beside.py holds a few arms to their bounds; tests/bench/neighbours
runs all and writes tables.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from checks import passed, run_checks
from kernels import PATCHED_ONLY, kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.compiler.policies import stdlib_names
from cpol.compiler.toolchain.clang import clang
from cpol.runtime.operate import loader

SOURCES = CHECKOUT / "tests" / "bench" / "neighbour"
KERNEL_TESTS = CHECKOUT / "tests" / "kernel"
SCRIPT = CHECKOUT / "tests" / "vm" / "beside_checks.py"
UNUSED = 100_000
"""Pages that the load leaves a prefetching policy to read for nobody: 390 MiB of the machine's 1 GiB."""
MOST_UNUSED = 1_000_000
MOST_MEMORY = "6G"
"""Of the machine, for as many."""


@dataclass(frozen=True)
class Arm:
    """A policy beside the neighbour."""

    name: str
    source: Path
    about: str
    loader: bool
    """Attached by the loader, as what cpolc compiles; otherwise by tests/kernel/cxrun."""
    words: tuple[str, ...] = ()
    """Options of the loader."""
    limit: int = 8
    """MiB of the policy's cgroup. The load wants more."""
    unused: int = 6_400
    """Pages that the load leaves a prefetching policy to read for nobody."""
    patched_only: bool = False


def hostile(name: str, about: str, source: str = "", **more: Any) -> Arm:
    path = KERNEL_TESTS / source if source else SOURCES / f"{name}.bpf.c"
    if not path.exists():
        path = SOURCES / f"{name}.cpol"
    return Arm(name, path, about, path.suffix == ".cpol", **more)


EMPTY = (
    hostile("empty", "programs that do nothing"),
    hostile("empty_prefetch", "prefetching programs that do nothing"),
)
"""What attaching any policy costs."""
HOSTILE = (
    hostile("unused", "100,000 prefetched pages that nobody reads", limit=480, unused=UNUSED),
    hostile("drops", "drops what it reads and writes, also the neighbour's file"),
    hostile("everything", "asks for all there is, over and over", "prefetch/accepted/everything.bpf.c"),
    hostile("wild_slots", "prefetches 64 slots at random at each fault"),
    hostile("keep_all", "keeps all from swap", "prefetch/accepted/keep_all.bpf.c"),
    hostile("starves", "proposes nothing", "accepted/starves.bpf.c"),
    hostile("rotates", "scans its list to the end, and proposes nothing", "accepted/rotates.bpf.c"),
    hostile("spins", "scans three nested lists to the limit", "accepted/spins.bpf.c"),
    hostile("pins", "pins everything", "accepted/pins.bpf.c"),
    hostile("refuse", "admits nothing", "accepted/refuse.bpf.c", patched_only=True),
    hostile("lists", "16,448 lists", "accepted/lists.bpf.c"),
    hostile("moves", "moves each folio four times at each access, from two processors"),
    hostile("ticks", "asks for a tick in each handler, and in each tick"),
)
MANY_UNUSED = replace(HOSTILE[0], name="unused_million", about="a million of them", limit=4608, unused=MOST_UNUSED)
"""Needs a machine with MOST_MEMORY."""
CHOOSE = {
    "uncached": ("--set", "all=true"),
    "backup": ("--input", "commands=load"),
    "keep_heap": ("--input", "hot=load"),
}
"""Options with which a policy of the stdlib does something with the load."""


def stdlib() -> tuple[Arm, ...]:
    folder = CHECKOUT / "stdlib"
    return tuple(
        Arm(name, folder / f"{name}.cpol", "stdlib", True, CHOOSE.get(name, ()), patched_only=name in PATCHED_ONLY)
        for name in stdlib_names()
    )


def on_mount(arms: tuple[Arm, ...], mount: str) -> tuple[Arm, ...]:
    """The arms that the mount (of kernels.KERNELS) can attach."""
    return tuple(arm for arm in arms if mount == "patched" or not arm.patched_only)


def build(arm: Arm, folder: Path, mount: str) -> None:
    out = folder / f"{arm.name}.bpf.o"
    if arm.source.suffix == ".cpol":
        bpf.compile_policy(compile_file(arm.source), out)
        return
    flags = ["-g", "-O2", "-target", "bpf", "-mcpu=v3", "-Wall", "-Werror"]
    if mount == "patched":
        flags.append("-DADMITS")
    include = (f"-I{KERNEL_TESTS}", f"-I{CHECKOUT / 'runtime' / 'machine' / 'include'}")
    subprocess.run([clang(), *flags, *include, "-c", arm.source, "-o", out], check=True)


def run_arms(
    mount: str, arms: tuple[Arm, ...], folder: Path, rounds: int, reads: int, memory: str = "1G", timeout: float = 1800
) -> dict[str, Any]:
    """Run the arms in one machine of two processors, under QEMU's -icount; return what beside_checks.py found.

    Args:
        mount: one of kernels.KERNELS.
        rounds: of each operation, of 64 pages.
        reads: of the neighbour's workload.
    """
    kernel, environment = kernel_and_environment(mount)
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")
    for name in ("neighbour", "load"):
        subprocess.run(["cc", *flags, "-static", SOURCES / f"{name}.c", "-o", folder / name], check=True)
    subprocess.run(
        ["cc", *flags, KERNEL_TESTS / "cxrun.c", "-o", folder / "cxrun", "-lbpf", "-lelf", "-lz"], check=True
    )
    for arm in arms:
        build(arm, folder, mount)
    plan = {"rounds": rounds, "reads": reads, "arms": [{**asdict(arm), "source": arm.source.name} for arm in arms]}
    (folder / "plan.json").write_text(json.dumps(plan))
    words = (str(loader.find()), str(folder), "beside")
    results = run_checks(
        kernel, SCRIPT, folder, *words, environment=environment, timeout=timeout, memory=memory, accel="icount"
    )
    passed(results, "beside")
    found: dict[str, Any] = results["beside"]["figures"]
    return found
