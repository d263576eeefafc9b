"""The engine of examples/graph, a graph, and a machine that runs graph_checks.py: for tests and scripts/bench-graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from checks import passed, run_checks
from kernels import kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import run
from cpol.runtime.operate import loader
from cpol.runtime.operate.app import build

EXAMPLE = CHECKOUT / "examples" / "graph"
SCRIPT = Path(__file__).parent / "graph_checks.py"
SEED = "1"

Figures = dict[str, dict[str, dict[str, float]]]
"""By workload and arm."""


@dataclass(frozen=True)
class Plan:
    """`limit` in bytes is that of the cgroup; the graph has 16 vertices a page."""

    vertices: int
    limit: int
    hubs: int
    """Pages that may be pinned."""
    workloads: Mapping[str, tuple[str, ...]]
    """Command of the engine, and its words behind the file."""

    @property
    def pages(self) -> int:
        return self.vertices // 16


TEST = Plan(32768, 5 << 20, 500, {"PageRank": ("rank", "4", "0.9"), "random walks": ("walk", "10000", "2")})
"""Takes less than a minute in an emulated machine."""
BENCH = Plan(131072, 16 << 20, 1800, {"PageRank": ("rank", "8", "0.9"), "random walks": ("walk", "60000", "2")})


def make_engine(target: Path) -> None:
    """Build the engine, with libcpol in it."""
    sources = (*sorted(EXAMPLE.glob("*.c")), *build.sources())
    flags = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", f"-I{build.HERE}")
    run([clang(), *flags, *sources, "-o", target, "-lm"])


def make_folder(folder: Path, plan: Plan) -> Path:
    """Fill the machine's exchange folder."""
    folder.mkdir(exist_ok=True)
    make_engine(folder / "graph")
    run([folder / "graph", "make", folder / "edges", str(plan.vertices), SEED])
    for name in ("lfu", "graph"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    told = {"limit": plan.limit, "hubs": plan.hubs, "pages": plan.pages, "workloads": dict(plan.workloads)}
    (folder / "plan.json").write_text(json.dumps(told))
    return folder


def figures_of(folder: Path, module: bool, timeout: float) -> Figures:
    """Run what the folder's plan says on the patched kernel, or on Debian's with the module."""
    kernel, environment = kernel_and_environment("module" if module else "patched")
    results = run_checks(
        kernel, SCRIPT, folder, str(loader.find()), str(folder), environment=environment, timeout=timeout, cpus=1
    )
    passed(results, "graph_reads")
    found: Figures = results["graph_reads"]["figures"]
    return found
