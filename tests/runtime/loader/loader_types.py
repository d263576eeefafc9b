"""What the fixtures `loader` and `build` give, for annotations."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Protocol


class Loader(Protocol):
    """Runs the loader with these arguments, under `prefix`."""

    def __call__(self, *arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]: ...


class Build(Protocol):
    """Builds the program of these tests `name` with units of the loader, under sanitizers."""

    def __call__(self, name: str, *units: str, libraries: tuple[str, ...] = ()) -> Path: ...
