"""The loader of BPF objects: a native program, found by the contents of its sources, and run."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

BUILD = Path(__file__).resolve().parent / "build"


class LoaderError(Exception):
    """There is no loader; the message says why."""


def find() -> Path:
    """The loader that these sources make; built if it has not been.

    Raises:
        LoaderError: it cannot be built.
    """
    done = subprocess.run(["bash", str(BUILD)], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise LoaderError(done.stderr.strip() or f"{BUILD} failed with exit code {done.returncode}")
    return Path(done.stdout.strip())


def run(arguments: Sequence[str]) -> int:
    """Run the loader, which speaks for itself; its exit code.

    Raises:
        LoaderError: it cannot be built.
    """
    return subprocess.run([str(find()), *arguments], check=False).returncode
