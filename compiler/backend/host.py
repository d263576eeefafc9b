"""Builds a policy's simulator: generated C and the native driver, compiled for this machine, cached by content."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from cpol.compiler import ir
from cpol.compiler.backend.c import generate

RUNTIME = Path(__file__).resolve().parents[2] / "runtime"
INCLUDE = RUNTIME / "include"
NATIVE = RUNTIME / "native"

WARNINGS = ("-Wall", "-Wextra", "-Werror")
COMMON = ("-std=gnu11", *WARNINGS, "-fvisibility=hidden")
OPTIMISED = ("-O3", "-march=native")
SHARED = ("-shared", "-fPIC")


class BuildError(Exception):
    """The simulator cannot be built; the message says why and what to do."""


def build(policy: ir.Policy, *, events: bool = False) -> Path:
    """The shared object of the policy's simulator; `events`: the build for single events and the log."""
    flags = (*COMMON, *OPTIMISED, *SHARED, *(("-DCPOL_EVENTS=1",) if events else ()))
    return compile_cached(generate(policy), "policy", flags)


def compile_cached(
    text: str, name: str, flags: tuple[str, ...], headers: tuple[Path, ...] = (INCLUDE / "cpol", NATIVE)
) -> Path:
    """`text`, a C file, compiled with `flags`, in the cache. `headers`: folders of what it includes."""
    folder = cache_folder()
    digest = hashlib.sha256("\0".join((text, name, *flags, _machine(), *map(_headers, headers))).encode()).hexdigest()
    target = folder / f"{digest[:40]}.so"
    if target.exists():
        return target
    with tempfile.TemporaryDirectory(dir=folder, prefix="build-") as scratch:
        source = Path(scratch) / f"{name}.c"
        source.write_text(text, encoding="utf-8")
        built = Path(scratch) / "out.so"
        compile_c(source, built, (*flags, *(f"-I{header}" for header in headers)))
        built.replace(target)  # atomic: others see all of it or nothing
    return target


def compile_c(source: Path, target: Path, flags: tuple[str, ...]) -> None:
    """Compiles one C file with the runtime's headers. Raises BuildError."""
    command = [clang(), *flags, f"-I{INCLUDE}", str(source), "-o", str(target)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise BuildError(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        said = "\n".join(done.stderr.splitlines()[:20])
        raise BuildError(f"{command[0]} refused the generated C; this is a defect of cpol. It said:\n{said}")


def clang() -> str:
    """The compiler: $CPOL_CLANG, or clang-19, or clang."""
    for name in (os.environ.get("CPOL_CLANG"), "clang-19", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise BuildError("no C compiler: clang-19 is not on PATH; install the package clang-19, or name one in CPOL_CLANG")


def cache_folder() -> Path:
    """`${CPOL_CACHE:-$HOME/.cache/cpol}/sim`, made if need be; what is in it is run, so nobody else may write to it."""
    root = os.environ.get("CPOL_CACHE")
    try:
        folder = (Path(root) if root else Path.home() / ".cache" / "cpol") / "sim"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except (OSError, RuntimeError) as error:
        raise BuildError(f"no folder for built simulators: {error}; name one in CPOL_CACHE") from None
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise BuildError(f"{folder} belongs to, or can be written by, somebody else; name another folder in CPOL_CACHE")
    if not os.access(folder, os.W_OK):
        raise BuildError(f"{folder} cannot be written; name another folder in CPOL_CACHE")
    return folder


@cache
def _machine() -> str:
    """What a build depends on besides its text: the compiler and the processor."""
    compiler = Path(clang()).resolve()
    status = compiler.stat()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    processor = [line for line in lines if line.startswith(("model name", "flags", "Features"))][:2]
    return "\n".join((str(compiler), str(status.st_size), str(status.st_mtime_ns), platform.machine(), *processor))


@cache
def _headers(folder: Path) -> str:
    files = sorted(folder.glob("*.h"))
    return "\n".join(f"{file.name}\n{file.read_text(encoding='utf-8')}" for file in files if "bpf" not in file.name)
