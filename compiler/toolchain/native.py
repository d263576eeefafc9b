"""Compiles C for this machine to shared objects, with a cache."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from pathlib import Path

from cpol.compiler.toolchain.cache import find_or_make
from cpol.compiler.toolchain.clang import LEAST, clang, identity, made, unfit
from cpol.compiler.toolchain.digest import digest
from cpol.compiler.toolchain.process import ToolError, ToolFailedError, run

INCLUDE = Path(__file__).resolve().parents[2] / "runtime" / "machine" / "include"

WARNINGS = ("-Wall", "-Wextra", "-Werror")
COMMON = ("-std=gnu11", *WARNINGS, "-fvisibility=hidden")
OPTIMISED = (
    *("-O3", "-march=native", "-Wno-unknown-warning-option", "-Wno-invalid-feature-combination"),
    *(("-mprefer-vector-width=512",) if os.uname().machine == "x86_64" else ()),
)
"""clang-19 warns of the features that it itself finds on some processors with AVX10. Other versions do not know that
warning. A bucket of the simulator's hash tables is a cache line: one vector where there is AVX-512, which clang would
cut in two on most processors."""

SHARED = ("-shared", "-fPIC")


def compile_cached(text: str, name: str, flags: tuple[str, ...], headers: tuple[Path, ...]) -> Path:
    """The path of a shared object for C text, from the cache or compiled now.

    Args:
        text: the C source.
        name: the name of the source in compiler messages.
        flags: flags for the compiler.
        headers: folders of the headers that the source includes.

    Raises:
        ToolError: there is no compiler, it rejects the source, or the cache cannot be used.
    """
    key = _key(text, name, flags, identity(clang()), headers)

    def build(target: Path) -> None:
        source = target.with_name(f"{name}.c")
        source.write_text(text, encoding="utf-8")
        compile_c(source, target, (*flags, *(f"-I{header}" for header in headers)))
        made(clang(), target)

    return find_or_make("sim", f"{key[:40]}.so", build)


@lru_cache(maxsize=16)
def _key(text: str, name: str, flags: tuple[str, ...], compiler: str, headers: tuple[Path, ...]) -> str:
    """What names the shared object; a search asks hundreds of times for the same."""
    parts = (text, name, *flags, compiler, _processor(), *map(_headers, headers))
    return digest("\0".join(parts).encode()).hex()


def compile_c(source: Path, target: Path, flags: tuple[str, ...]) -> None:
    """Compile one C file of cpol with the runtime's headers.

    Raises:
        ToolError: there is no compiler, or it rejects the file.
    """
    try:
        run([clang(), *flags, f"-I{INCLUDE}", source, "-o", target])
    except ToolFailedError as error:
        if why := unfit(clang(), LEAST):
            raise ToolError(why) from None
        said = "\n".join(error.said.splitlines()[:20])
        raise ToolError(f"{error.tool} refused C that cpol made; this is a defect of cpol. It said:\n{said}") from None


@cache
def _processor() -> str:
    """The processor's model and features, because -march=native depends on them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    processor = [line for line in lines if line.startswith(("model name", "flags", "Features"))][:2]
    return "\n".join((os.uname().machine, *processor))


@cache
def _headers(folder: Path) -> str:
    files = sorted(folder.glob("*.h"))
    return "\n".join(f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in files if "bpf" not in file.name)
