"""Objects of programs, and the guest's runner."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .emit import emit
from .interface import CHECKOUT
from .tree import Program

HERE = Path(__file__).resolve().parent
IN_ONE = 16
"""Programs that one process compiles."""
JOBS = 2
_WRAPPED = ("-Wl,--wrap=btf__load_vmlinux_btf", "-Wl,--wrap=btf__free")
"""What storm_policy.c does in place of libbpf."""
_HOST_FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror")
_BPF_FLAGS = ("-g", "-O2", "-target", "bpf", "-mcpu=v3", "-Wall", "-Werror", "-Wno-unused")


class BuildError(Exception):
    """A compiler refused what was made."""


def write_sources(programs: Iterable[Program], seed: int, folder: Path) -> list[Path]:
    """Write the programs' C into the folder."""
    paths = []
    for program in programs:
        path = folder / f"{program.name}.bpf.c"
        path.write_text(emit(program, f"Program {program.name} of seed {seed}, made by tests/kernel/hostile."))
        paths.append(path)
    return paths


def compile_all(sources: Sequence[Path]) -> None:
    """Compile each to an object beside it.

    Raises:
        BuildError: clang refuses one.
    """
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(_compile, (sources[at : at + IN_ONE] for at in range(0, len(sources), IN_ONE))))


def _compile(sources: Sequence[Path]) -> None:
    clang = shutil.which("clang-19") or "clang"
    include = (f"-I{HERE.parent}", f"-I{CHECKOUT / 'runtime' / 'machine' / 'include'}")
    _run((clang, *_BPF_FLAGS, *include, "-c", *(source.name for source in sources)), sources[0].parent)


def build_storm(folder: Path) -> Path:
    """Build the guest's runner.

    Raises:
        BuildError: gcc refuses it.
    """
    storm = folder / "storm"
    sources = sorted(str(path) for path in HERE.glob("storm*.c"))
    libraries = (*_WRAPPED, "-l:libbpf.a", "-lelf", "-lz")
    _run(("gcc", *_HOST_FLAGS, "-o", str(storm), *sources, *libraries), folder)
    return storm


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{' '.join(command[:2])}: {done.stderr}")
