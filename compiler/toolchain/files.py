"""Atomic writes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomically(out: Path, content: bytes) -> None:
    """Replace the file `out` with `content` atomically.

    Raises:
        OSError: the folder of `out` cannot be written.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            umask = os.umask(0)
            os.umask(umask)
            os.fchmod(file.fileno(), 0o666 & ~umask)
        Path(temporary).replace(out)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
