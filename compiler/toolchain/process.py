"""Runs external tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

SECONDS = 600
"""The most that a tool may take: the largest policy of ours takes a few."""


class ToolError(Exception):
    """A tool or the cache cannot be used. The message says why and what to do."""


class ToolFailedError(ToolError):
    """A tool ran and failed. `tool` is its name, `said` its output."""

    def __init__(self, tool: str, said: str) -> None:
        super().__init__(f"{tool} failed: {said}")
        self.tool = tool
        self.said = said


class ToolSlowError(ToolError):
    """A tool had not ended in time, and was killed."""


def run(command: Sequence[str | Path], folder: Path | None = None, seconds: float = SECONDS) -> str:
    """Run a tool in `folder` (default: the current one) and return its standard output.

    Raises:
        ToolFailedError: its exit code is not 0.
        ToolSlowError: it had not ended after `seconds`.
        ToolError: it cannot be run.
    """
    import subprocess  # which a run from the cache starts without

    tool = str(command[0])
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise ToolSlowError(f"{tool} had not ended after {seconds:g} s, and was killed") from None
    except FileNotFoundError:
        raise ToolError(not_installed(tool)) from None
    except OSError as error:
        raise ToolError(f"cannot run {tool}: {error.strerror}") from None
    if done.returncode != 0:
        raise ToolFailedError(tool, done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}")
    return done.stdout


def not_installed(tool: str) -> str:
    """The message for a missing tool."""
    return f"{tool} is not installed: install its package (`make setup` in a checkout)"
