"""What the fixture `loader` gives, for annotations."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Protocol


class Loader(Protocol):
    """Runs the loader with these arguments, under `prefix`."""

    def __call__(self, *arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]: ...
