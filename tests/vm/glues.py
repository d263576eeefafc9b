"""Run policies under the same workloads on both glues, and in the simulator."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from checks import Results, run_checks
from click.testing import CliRunner
from glue_workloads import SECOND_THREAD, WORKLOADS, trace
from kernels import kernel_and_environment
from vm_types import CHECKOUT

from cpol.cli import sim
from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime import loader

VM = CHECKOUT / "tests" / "vm"
BATCH = 32
"""Pages that the kernel asks for at a time."""
SCANNERS = {"get_scan": "scanners"}
"""Inputs that hold the scanning thread, by policy. In the simulator it is thread 1."""

NEAR = 0.02
"""Largest relative difference of two counts, unless the policy is more sensitive than that to its capacity."""
AROUND = 8
"""By so many pages a policy's capacity varies during a run: removed nodes are charged until RCU frees them."""


def make_folder(folder: Path, policies: Iterable[str]) -> Path:
    """Make the exchange folder of a machine: compiled policies, traces and their reader."""
    folder.mkdir()
    for policy in policies:
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{policy}.cpol"), folder / f"{policy}.bpf.o")
    for workload in WORKLOADS:
        (folder / workload).write_bytes(trace(workload).tobytes())
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread")
    subprocess.run(["cc", *flags, VM / "replay_reads.c", "-o", folder / "replay_reads"], check=True)
    return folder


def run_in_kernel(kernel: Path, folder: Path, environment: Mapping[str, str] | None = None) -> Results:
    """Run each policy in `folder` under each workload.

    With one processor and one reader, events come in the same order in each run.
    """
    words = (str(loader.find()), str(folder))
    return run_checks(kernel, VM / "glue_checks.py", folder, *words, environment=environment, cpus=1)


def run_with_module(folder: Path) -> Results:
    """Run the same on the stock kernel with the module."""
    kernel, environment = kernel_and_environment("module")
    return run_in_kernel(kernel, folder, environment)


def simulate(policy: str, workload: str, capacities: Iterable[int], scratch: Path) -> dict[int, int]:
    """Return the misses of a workload by capacity. `scratch` keeps the traces."""
    file = scratch / f"{workload}.csv"
    if not file.exists():  # in the format of Twitter's traces, which has threads
        reads = ((page & ~SECOND_THREAD, page // SECOND_THREAD) for page in trace(workload))
        file.write_text("".join(f"{time},{page},1,1,{thread},get,0\n" for time, (page, thread) in enumerate(reads)))
    words = [policy, "--trace", str(file), "--format", "twitter", "--batch", str(BATCH), "--json"]
    words += ["--capacity", ",".join(map(str, capacities))]
    if policy in SCANNERS:
        words += ["--input", f"{SCANNERS[policy]}=1"]
    done = CliRunner().invoke(sim.command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return {row["capacity"]: row["misses"] for row in map(json.loads, done.stdout.splitlines())}
