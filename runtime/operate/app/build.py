"""Build libcpol.so from the sources in this folder, or check one that the user names."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

from cpol.compiler.toolchain import cache, trust
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE, WARNINGS
from cpol.compiler.toolchain.process import ToolError, ToolFailedError, run
from cpol.runtime.operate.app.errors import LibraryError

HERE = Path(__file__).resolve().parent

FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", *WARNINGS, "-Wshadow", "-Wstrict-prototypes", "-Wvla", "-shared", "-fPIC")
HARDENED = ("-O2", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-Wl,-z,relro,-z,now")


def own_or_built(named: str | None) -> Path:
    """The library that the user names, else the cache's, else one that is built now.

    Raises:
        LibraryError: it cannot be built, or another user could have written it.
    """
    try:
        if named:
            return trust.own_file(Path(named), "name a library in CPOL_LIBRARY that only you or root can write")
        return cache.find_or_make("app", f"libcpol-{_key()}.so", build)
    except ToolError as error:
        raise LibraryError(str(error)) from None


def sources() -> list[Path]:
    """The C sources of the library."""
    return sorted(HERE.glob("*.c"))


def _key() -> str:
    digest = hashlib.sha256("\0".join((platform.machine(), *FLAGS, *HARDENED)).encode())
    for path in (*sources(), *sorted(HERE.glob("*.h")), INCLUDE / "cpol" / "array.h", HERE / "libcpol.map"):
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:32]


def build(target: Path) -> None:
    """Build the library from the sources.

    Raises:
        ToolError: there is no compiler, or it refused the sources.
    """
    try:
        script = f"-Wl,--version-script={HERE / 'libcpol.map'}"
        run([clang(), *FLAGS, f"-I{INCLUDE}", *HARDENED, script, *sources(), "-o", target])
    except ToolFailedError as error:
        raise ToolError(f"libcpol cannot be built: {error.tool} failed. It said:\n{error.said}") from None
    except ToolError as error:
        otherwise = "or name a library that was built elsewhere in CPOL_LIBRARY"
        raise ToolError(f"there is no libcpol.so, and it cannot be built: {error}; {otherwise}") from None
