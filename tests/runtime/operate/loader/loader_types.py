"""Types of the fixtures of these tests, and what they ask of messages."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import pytest

MakeObject = Callable[[bytes], Path]
"""Makes an object with this manifest."""


class Loader(Protocol):
    """Run the loader with these arguments; `prefix` is a command that runs it."""

    def __call__(self, *arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]: ...


class Build(Protocol):
    """Build the test program `name` with the loader's units and sanitizers. libFuzzer follows the units in `fuzzed`."""

    def __call__(self, name: str, fuzzed: Iterable[str] = ()) -> Path: ...


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """Return the single message of a failed run."""
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cpol-loader: error: ")
    return done.stderr.removeprefix("cpol-loader: error: ").rstrip("\n")


def assert_matches(pattern: str, text: str) -> None:
    """Fail with both texts unless the pattern is found."""
    with pytest.raises(AssertionError, match=pattern):
        raise AssertionError(text)
