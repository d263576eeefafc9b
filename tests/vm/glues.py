"""Run policies under the same workloads on both glues, and in the simulator."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from checks import Results, run_checks
from click.testing import CliRunner
from glue_workloads import CAPACITY, SECOND_THREAD, WORKLOADS, told, trace, write_arrays
from kernels import kernel_and_environment
from vm_types import CHECKOUT

from cpol.cli import sim
from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

VM = CHECKOUT / "tests" / "vm"
PATIENCE = 7200
"""Seconds for all policies on one kernel, on a host that others use."""
BATCH = 32
"""Pages that the kernel asks for at a time."""
NO_KERNEL_MEMORY = "cgroup.memory=nokmem"
"""Makes the capacity the same on both kernels: memory.max, at any time.

Otherwise the kernel charges inodes, nodes of the page cache and nodes of the policy to the cgroup. Their sizes differ
between the kernels, and their number varies during a run.
"""
SCANNERS = {"get_scan": "scanners"}
"""Inputs that hold the scanning thread, by policy. In the simulator it is thread 1."""

NEAR = 0.02
"""Largest relative difference of two counts."""


def near(one: int, other: int) -> bool:
    return abs(one - other) <= NEAR * min(one, other)


def make_folder(folder: Path, policies: Iterable[str]) -> Path:
    """Make the exchange folder of a machine: compiled policies, traces and their reader."""
    folder.mkdir()
    for policy in policies:
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{policy}.cpol"), folder / f"{policy}.bpf.o")
    for workload in WORKLOADS:
        (folder / workload).write_bytes(trace(workload).tobytes())
        write_arrays(workload, folder)
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread")
    subprocess.run(["cc", *flags, VM / "replay_reads.c", "-o", folder / "replay_reads"], check=True)
    return folder


def run_in_kernel(kernel: Path, folder: Path, environment: Mapping[str, str] | None = None) -> Results:
    """Run each policy in `folder` under each workload.

    With one processor and one reader, events come in the same order in each run. The policy has CAPACITY pages.
    """
    words = (str(loader.find()), str(folder))
    return run_checks(
        kernel,
        VM / "glue_checks.py",
        folder,
        *words,
        environment=environment,
        timeout=PATIENCE,
        cpus=1,
        kernel_args=(NO_KERNEL_MEMORY,),
    )


def run_with_module(folder: Path) -> Results:
    """Run the same on the stock kernel with the module."""
    kernel, environment = kernel_and_environment("module")
    return run_in_kernel(kernel, folder, environment)


def simulate(policy: str, workload: str, scratch: Path) -> int:
    """Return the misses of a workload at CAPACITY. `scratch` keeps the traces."""
    file = scratch / f"{workload}.csv"
    if not file.exists():  # in the format of Twitter's traces, which has threads
        reads = ((page & ~SECOND_THREAD, page // SECOND_THREAD) for page in trace(workload))
        file.write_text("".join(f"{time},{page},1,1,{thread},get,0\n" for time, (page, thread) in enumerate(reads)))
        write_arrays(workload, scratch)
    words = [policy, "--trace", str(file), "--format", "twitter", "--batch", str(BATCH), "--json"]
    words += ["--capacity", str(CAPACITY), *told(policy, workload, 0, scratch)]  # all objects are of file 0
    if policy in SCANNERS:
        words += ["--input", f"{SCANNERS[policy]}=1"]
    done = CliRunner().invoke(sim.command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return int(json.loads(done.stdout)["misses"])
