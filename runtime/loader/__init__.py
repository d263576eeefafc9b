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


def output(arguments: Sequence[str], seconds: float) -> str:
    """Run the loader and return what it wrote to standard output.

    Raises:
        LoaderError: it cannot be built, it failed (with what it said), or it took longer than `seconds`.
    """
    command = [str(find()), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise LoaderError(f"cpol-loader {' '.join(arguments)} had not ended after {seconds:g} s") from None
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix("cpol-loader: error: ")
        raise LoaderError(said or f"cpol-loader {' '.join(arguments)} ended with {done.returncode}")
    return done.stdout
