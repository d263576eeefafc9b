"""Find libcpol.so. build.py builds it where there is none: applications that have it import no part of the compiler."""

from __future__ import annotations

import ctypes.util
import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALLED = HERE / "libcpol.so"
"""A distribution's package puts the library here, or where the dynamic linker finds it."""


def find() -> Path | str:
    """The library: $CPOL_LIBRARY, else the installed one, else the cache's, else one that is built now.

    Returns:
        A path, or a name for the dynamic linker.

    Raises:
        LibraryError: the library is missing and cannot be built, or another user could have written it.
    """
    named = os.environ.get("CPOL_LIBRARY")
    if not named and INSTALLED.exists():
        return INSTALLED
    found = None if named else ctypes.util.find_library("cpol")
    if found:
        return found
    from cpol.runtime.operate.app.build import own_or_built  # with the compiler's toolchain

    return own_or_built(named)
