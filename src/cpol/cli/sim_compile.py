"""Compiles the policies of `cpolc sim`."""

from __future__ import annotations

from pathlib import Path

from cpol.cli.compiled import Compiled, compiled
from cpol.cli.diagnostics import show as show_diagnostics
from cpol.cli.errors import CliError
from cpol.cli.policy import errors_shown, named
from cpol.compiler.toolchain.process import ToolError


def compile_policy(name: str) -> Compiled:
    """Compile POLICY. It prints errors and warnings to standard error.

    Raises:
        CliError: there is no such policy, or the cache cannot be used.
        click.exceptions.Exit: it has errors, which have been printed.
    """
    return compile_path(named(name))


def compile_path(path: Path) -> Compiled:
    """As `compile_policy`, for a file."""
    try:
        with errors_shown():
            made = compiled(path)
    except ToolError as error:
        raise CliError(str(error)) from None
    show_diagnostics(made.warnings)
    return made
