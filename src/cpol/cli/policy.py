"""Compiles POLICY of the command line, and prints what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cpol.cli.diagnostics import show
from cpol.cli.errors import EXIT_FAILURE
from cpol.cli.messages import say
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.ir import Policy
from cpol.compiler.policies import here, is_path, local_file, resolve
from cpol.compiler.toolchain.process import ToolError

if TYPE_CHECKING:
    from cpol.compiler.compiled import Compiled
    from cpol.compiler.stages import Compilation


def load(name: str) -> Policy:
    """Compile POLICY to IR. Messages and errors are those of `compilation`."""
    return compilation(name).policy


def compilation(name: str) -> Compilation:
    """Compile POLICY, with all stages. It prints errors and warnings to standard error.

    Raises:
        UserError: there is no such policy.
        click.exceptions.Exit: it has errors, which have been printed.
    """
    return compile_file(named(name))


def kept(name: str) -> Compiled | Compilation:
    """As `compilation`, or what the cache has of it: most policies are attached more than once.

    Messages and errors are those of `compilation`. A cache that cannot be used only means that this compiles.
    """
    from cpol.compiler.compiled import compiled

    path = named(name)
    try:
        with errors_shown():
            found = compiled(path)
    except ToolError:
        return compile_file(path)
    show(found.warnings)
    return found


def named(name: str) -> Path:
    """The file that POLICY names, with a note if it may not be the one that the user means.

    Raises:
        UserError: there is no such policy.
    """
    path = resolve(name)
    local = None if is_path(name) else local_file(name)
    if local is not None and not local.samefile(path):
        say(f"`{name}` is the policy of the standard library; for the file here write {here(local)}", "note")
    return path


def compile_file(path: Path) -> Compilation:
    """Compile a file, with all stages. Messages and errors are those of `compilation`."""
    from cpol.compiler.stages import run_file  # the parser, which not all commands need

    with errors_shown():
        compiled = run_file(path)
    show(compiled.warnings)
    return compiled


def compile_with_quota(path: Path, pages: int) -> Compilation:
    """Compile a file whose policy caches at most so many pages. Messages and errors are those of `compilation`."""
    from cpol.compiler.expand.quota import with_quota
    from cpol.compiler.stages import read_file, run

    with errors_shown():
        compiled = run(with_quota(read_file(path), str(path), pages), str(path))
    show(compiled.warnings)
    return compiled


@contextmanager
def errors_shown() -> Iterator[None]:
    """Print the errors of a policy, and end the command.

    Raises:
        click.exceptions.Exit: it has errors.
    """
    try:
        yield
    except CompileError as error:
        show(error.diagnostics)
        raise click.exceptions.Exit(EXIT_FAILURE) from None
