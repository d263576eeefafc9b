"""Run cpol-loader, the native program that loads BPF objects (program.py)."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from cpol.runtime.loader.program import LoaderError, find

__all__ = ["LoaderError", "find", "output", "run"]


def run(arguments: Sequence[str]) -> int:
    """Run the loader, which prints its own messages, and return its exit code.

    Raises:
        LoaderError: there is no loader.
    """
    return subprocess.run([str(find()), *arguments], check=False).returncode


def output(arguments: Sequence[str], seconds: float, keep: Sequence[int] = (), folder: str | None = None) -> str:
    """Run the loader and return its standard output.

    Args:
        keep: descriptors that the loader holds open, too: it keeps a lock if this process is killed.
        folder: the working directory; None: this process' own.

    Raises:
        LoaderError: there is no loader, it failed (with its message), or it took longer than `seconds`.
    """
    command = [str(find()), *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            pass_fds=keep,
            cwd=folder,
        )
    except OSError as error:
        raise LoaderError(f"cpol-loader cannot be run in {folder or '.'}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise LoaderError(f"cpol-loader {' '.join(arguments)} did not end within {seconds:g} s") from None
    if done.returncode != 0:
        said = done.stderr.strip().removeprefix("cpol-loader: error: ")
        raise LoaderError(said or f"cpol-loader {' '.join(arguments)} ended with {done.returncode}")
    return done.stdout
