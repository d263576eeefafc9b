"""The compiler: `.cpol` text to policy IR to C, one file at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpol.compiler.ir import Policy


def compile_source(text: str, path: str) -> Policy:
    """Compile the text of a policy to IR. `path` appears in messages.

    Raises:
        CompileError: the text has errors.
    """
    from cpol.compiler.stages import run

    return run(text, path).policy


def compile_file(path: str | Path) -> Policy:
    """Compile a policy file to IR.

    Raises:
        CompileError: the file cannot be read or has errors.
    """
    from cpol.compiler.stages import run_file

    return run_file(path).policy
