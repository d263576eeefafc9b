"""Compiles the policies of `cpolc sim`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cpol.cli.diagnostics import show as show_diagnostics
from cpol.cli.errors import CliError
from cpol.cli.policy import errors_shown, named
from cpol.compiler.compiled import Compiled, compiled
from cpol.compiler.policies import resolve, stdlib_names
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.simulate.runs.candidates import given_twice

ALL = "all"
"""Stands for all policies of the standard library of the kind that the command is about."""


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


def expanded(words: Sequence[str], prefetching: bool) -> tuple[str, ...]:
    """The policies, with `all` replaced by those of the standard library that evict, or, if the command is about
    prefetching, by those that prefetch. Raises RequestError if a word stands twice."""
    for word in words:
        if words.count(word) > 1:
            raise given_twice(f"{word} is given twice")
    if ALL not in words:
        return tuple(words)
    named = {word for word in words if word != ALL}
    found = {name: compile_path(resolve(name)).policy for name in stdlib_names() if name not in named}
    ours = [name for name, policy in found.items() if (policy.prefetches if prefetching else policy.evicts)]
    return tuple(each for word in words for each in (ours if word == ALL else [word]))
