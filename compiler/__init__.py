"""From `.cpol` text to policy IR to C; one pass a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpol.compiler.ir import Policy


def compile_source(text: str, path: str) -> Policy:
    """The IR of the policy in `text`; `path` is for messages. Raises CompileError."""
    from cpol.compiler.stages import run

    return run(text, path).policy


def compile_file(path: str | Path) -> Policy:
    """The IR of the policy in a file. Raises CompileError."""
    from cpol.compiler.stages import run_file

    return run_file(path).policy
