"""Types of the fixtures `loader` and `build`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Protocol


class Loader(Protocol):
    """Run the loader with these arguments; `prefix` is a command that runs it."""

    def __call__(self, *arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]: ...


class Build(Protocol):
    """Build the test program `name` with units of the loader and sanitizers."""

    def __call__(self, name: str, *units: str, libraries: tuple[str, ...] = ()) -> Path: ...
