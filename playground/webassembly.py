"""Compiles the stdlib's policies that evict, and the optimum, to WebAssembly: a module each, which needs nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from bridge.native import OPTIMAL, SEED

from cpol.compiler import comm
from cpol.compiler.backend.c import generate
from cpol.compiler.backend.host import NATIVE
from cpol.compiler.policies import STDLIB, stdlib_names
from cpol.compiler.stages import run
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.runtime.machine.settings.assumed import NOTHING

HERE = Path(__file__).resolve().parent / "wasm"
TRACES = INCLUDE.parents[1] / "simulate" / "traces"

TARGET = "--target=wasm32-wasi"
FLAGS = (
    TARGET, "-std=gnu11", "-O3", "-mbulk-memory", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-nostdlib",
    *("-isystem", HERE / "libc", "-I", HERE, "-I", INCLUDE, "-I", INCLUDE / "cpol", "-I", NATIVE, "-I", TRACES),
    f"-DPAGE_COMM={comm.number(NOTHING.comm)}ull", f"-DPAGE_STEP={NOTHING.step}", f"-DPAGE_SEED={SEED}",
    "-Wl,--no-entry,--export-dynamic,--strip-all",
)  # fmt: skip


def sources() -> Iterator[tuple[str, str]]:
    """Names, and the C of each."""
    yield OPTIMAL, '#include "optimal.c"\n'
    for name in stdlib_names():
        path = STDLIB / f"{name}.cpol"
        policy = run(path.read_text(encoding="utf-8"), path.name).policy
        if policy.evicts:
            yield name, f'{generate(policy)}\n#include "policy.h"\n'


def compile_to(target: Path, source: str) -> None:
    """Compile C to a module. What 128-bit numbers take beside instructions comes from the compiler's own library.

    Raises:
        subprocess.CalledProcessError: the compiler refuses it.
    """
    found = [clang(), TARGET, "--rtlib=compiler-rt", "-print-libgcc-file-name"]
    builtins = subprocess.run(found, check=True, capture_output=True, text=True).stdout.strip()
    command = [clang(), *FLAGS, "-x", "c", "-", "-x", "none", builtins, "-o", target]
    subprocess.run(command, check=True, input=source, text=True)


def modules(folder: Path) -> Iterator[tuple[str, Path]]:
    """Compile all of them. The names of the modules, and where they are."""
    for name, source in sources():
        path = folder / f"{name}.wasm"
        compile_to(path, source)
        yield name, path
