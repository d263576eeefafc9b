"""Find cpol-loader, or build it from the sources in this folder."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from pathlib import Path

from cpol.compiler.toolchain import cache, trust
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE, WARNINGS
from cpol.compiler.toolchain.process import ToolError, ToolFailedError, run

HERE = Path(__file__).resolve().parent
"""Its folders are the rooms of the C sources, which name headers as `room/name.h`."""
APP = HERE.parent / "app"
SHARED = ("array", "error", "kernel")
"""Units of libcpol that the loader has, too: they write arrays."""
INSTALLED = HERE / "cpol-loader"
"""A distribution's package puts the program here."""
LIBBPF_HEADER = Path("/usr/include/bpf/libbpf_version.h")
LIBBPF_NEEDED = (1, 4)

FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", *WARNINGS, "-Wshadow", "-Wstrict-prototypes", "-Wvla")
INCLUDES = (f"-I{HERE}", f"-I{INCLUDE}")
LIBRARIES = ("-l:libbpf.a", "-lelf", "-lmd", "-lz")
HARDENED = ("-O2", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-fPIE", "-pie", "-Wl,-z,relro,-z,now")
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
VARIANTS = {"": HARDENED, "sanitize": SANITIZED, "kill-at": (*HARDENED, "-DCPOL_KILL_AT")}
"""`sanitize` and `kill-at` are for tests. The latter kills itself at the step that CPOL_KILL_AT names (step.h)."""


class LoaderError(Exception):
    """The loader is missing or it failed; the message says why."""


def find(variant: str = "") -> Path:
    """The path of the program: $CPOL_LOADER, else the installed one, else the cache's, else one that is built now.

    Only building it needs a compiler.

    Args:
        variant: one of VARIANTS. Those for tests are always built from the sources.

    Raises:
        LoaderError: the program is missing and cannot be built, or another user could have written it.
    """
    try:
        if not variant:
            if named := os.environ.get("CPOL_LOADER"):
                return trust.own_file(Path(named), "name a loader in CPOL_LOADER that only you or root can write")
            if INSTALLED.exists():
                return INSTALLED
        flags = VARIANTS[variant]
        return cache.find_or_make("loader", f"cpol-loader-{key(flags)}", lambda target: build(target, flags))
    except ToolError as error:
        raise LoaderError(str(error)) from None


def sources() -> list[Path]:
    """The C sources of the program, of the loader and of libcpol."""
    return [*sorted(HERE.glob("*/*.c")), *(APP / f"{name}.c" for name in SHARED)]


def key(flags: tuple[str, ...]) -> str:
    """A hash of the sources and flags. It leaves out the compiler, which this machine may lack."""
    digest = hashlib.sha256("\0".join((platform.machine(), *FLAGS, *flags, *LIBRARIES)).encode())
    headers = (*sorted(HERE.glob("*/*.h")), *sorted(APP.glob("*.h")), *sorted((INCLUDE / "cpol").glob("*.h")))
    for path in (*sources(), *headers):
        digest.update(f"\0{path.parent.name}/{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:32]


def build(target: Path, flags: tuple[str, ...] = HARDENED) -> None:
    """Build the program from the sources.

    Raises:
        ToolError: there is no compiler or no libbpf, or the compiler refused the sources.
    """
    try:
        compiler = clang()
        _check_libbpf()
        run([compiler, *FLAGS, *INCLUDES, *flags, *sources(), "-o", target, *LIBRARIES])
    except ToolFailedError as error:
        raise ToolError(f"cpol-loader cannot be built: {error.tool} failed. It said:\n{error.said}") from None
    except ToolError as error:
        otherwise = "or name a loader that was built elsewhere in CPOL_LOADER"
        raise ToolError(f"there is no cpol-loader, and it cannot be built: {error}; {otherwise}") from None


def _check_libbpf() -> None:
    """Raises ToolError if libbpf's headers are missing or too old."""
    try:
        text = LIBBPF_HEADER.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    version = tuple(map(int, re.findall(r"^#define LIBBPF_M(?:AJ|IN)OR_VERSION (\d+)$", text, re.MULTILINE)))
    if version < LIBBPF_NEEDED:
        there = ".".join(map(str, version)) or "none"
        raise ToolError(f"it needs libbpf 1.4 or newer, and there is {there} (`make setup` in a checkout installs it)")
