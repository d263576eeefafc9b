"""libcpol, the C library with which an application fills the inputs of its policy: find it, or build it."""

from __future__ import annotations

from cpol.runtime.operate.app.errors import LibraryError
from cpol.runtime.operate.app.library import find

__all__ = ["LibraryError", "find"]
