"""Load random policies into a kernel: what the compiler accepts, the verifier must accept."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from checks import run_checks

from cpol.compiler import compile_source
from cpol.compiler.backend import bpf
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.toolchain.process import ToolError
from cpol.kernel import profiles
from cpol.kernel.vm.image import find_image, stock
from cpol.runtime.operate import loader

from .aimed import aimed
from .fallback import why_it_fell_back
from .source import source

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "tests" / "vm" / "sources_checks.py"
CHUNK = 200
"""Policies in a machine."""
SECONDS = 3000
"""A machine's time."""


@dataclass(frozen=True)
class Loaded:
    number: int
    refusal: str | None
    """What the compiler, clang, the loader or the kernel said against it."""
    evicted: int = 0
    fallback: int = 0
    """Pages that the policy evicted, and those that the kernel had to choose."""
    why: str = ""
    """Why the kernel chose more than the policy; empty if it did not."""


@dataclass(frozen=True)
class Glue:
    kernel: Path
    module: Path | None
    profile: str

    @property
    def admits(self) -> bool:
        return "admit" in profiles.load(self.profile).events


def glue(name: str, kernel: Path | None) -> Glue:
    """Return the kernel of a glue (`patched` or `module`), which is built unless it is cached."""
    if name == "patched":
        return Glue(kernel or find_image(None), None, "patched-6.12")
    command = [ROOT / "kernel" / "build-module"]
    built = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    return Glue(kernel or stock(), Path(built.stdout.strip()) / "cache_ext.ko", "module-6.12")


def load_chunk(on: Glue, seed: int, numbers: range) -> list[Loaded]:
    """Compile policies and attach each on one machine."""
    with tempfile.TemporaryDirectory(prefix="cpol-sources-") as scratch:
        folder = Path(scratch)
        refused = [
            Loaded(number, why) for number in numbers if (why := compiled(seed, number, folder, admits=on.admits))
        ]
        environment = {"CPOL_MODULE": str(on.module)} if on.module else {}
        results = run_checks(
            on.kernel, SCRIPT, folder, str(loader.find()), scratch, environment=environment, timeout=SECONDS
        )
    left = set(numbers) - {one.number for one in refused}
    if failure := results["log"].get("failure"):
        refused.append(Loaded(numbers[0], f"the kernel's log after policies {numbers}: {failure}"))
    for number in sorted(left):
        line = results[f"source{number}"]
        figures = line.get("figures", {})
        evicted, fallback = figures.get("evicted", 0), figures.get("fallback", 0)
        refused.append(Loaded(number, line.get("failure"), evicted, fallback, why_it_fell_back(figures)))
    return refused


def compiled(seed: int, number: int, folder: Path, *, admits: bool, at_paths: bool = False) -> str | None:
    """Compile one policy into the folder; return what is against it. `at_paths`: one of aimed.py."""
    text = aimed(number, seed) if at_paths else source(number, seed, admits, simulated=False)[0]
    try:
        policy = compile_source(text, f"source{number}.cpol")
        bpf.compile_policy(policy, folder / f"source{number}.bpf.o")
    except (CompileError, ToolError, bpf.BpfError) as error:
        return str(error)
    return None


def load(on: Glue, seed: int, numbers: range, jobs: int) -> Iterator[Loaded]:
    """Compile and attach policies, `CHUNK` on a machine, `jobs` machines at a time."""
    chunks = [numbers[at : at + CHUNK] for at in range(0, len(numbers), CHUNK)]
    with ProcessPoolExecutor(jobs) as pool:
        for chunk in pool.map(partial(load_chunk, on, seed), chunks):
            yield from chunk
