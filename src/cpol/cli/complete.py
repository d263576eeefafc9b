"""Shell completion of arguments and option values.

Completion goes by the names of arguments, so new commands need no code here: `policy`, `policies`
and `like` are policies, `settings` is NAME=VALUE of the policies before it, `test` one of their
tests, `cgroup` is a cgroup, `profile` a kernel.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem, split_arg_string

from cpol.compiler import ir
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.doc.summary import summary
from cpol.compiler.policies import resolve, stdlib_names
from cpol.compiler.stages import run_file
from cpol.errors import UserError
from cpol.kernel.profiles import RUNNING
from cpol.kernel.profiles import names as profile_names

CGROUPS = Path("/sys/fs/cgroup")

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class _Completed(click.types.StringParamType):
    """A string with completion."""

    def __init__(self, complete: Complete) -> None:
        self.complete = complete

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return self.complete(ctx, param, incomplete)


def prepare(command: click.Command) -> None:
    """Add completion to the parameters of a command and its subcommands."""
    for param in command.params:
        complete = BY_NAME.get(param.name or "")
        if complete is not None:
            param.type = _Completed(complete)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            prepare(inner)


def policies(_ctx: click.Context, _param: click.Parameter | None, incomplete: str) -> list[CompletionItem]:
    """Stdlib names and local policies; for paths, the shell's own file completion."""
    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    names = [name for name in stdlib_names() if name.startswith(incomplete)]
    found = [CompletionItem(name, help=summary(resolve(name))) for name in names]
    local = sorted(path.name for path in Path().glob("*.cpol") if path.name.startswith(incomplete))
    return found + [CompletionItem(f"./{name}") for name in local]


def settings(_ctx: click.Context, _param: click.Parameter | None, incomplete: str) -> list[CompletionItem]:
    """NAME= for the params of the policies on the command line, with values for enums and booleans.

    It reads the words itself, because click cannot parse a line that ends with `--set`.
    """
    items: dict[str, str] = {}
    for policy in named_policies():
        for param in policy.params:
            for value in values(param) if incomplete.startswith(f"{param.name}=") else [""]:
                items[f"{param.name}={value}"] = param.doc
    return [CompletionItem(item, help=doc or None) for item, doc in items.items() if item.startswith(incomplete)]


def tests(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the tests of the policies on the command line, which it reads as `settings` does."""
    found = [test for policy in named_policies() for test in policy.tests]
    return [CompletionItem(test.name, help=test.doc or None) for test in found if test.name.startswith(incomplete)]


def named_policies() -> Iterator[ir.Policy]:
    """The policies whose names are words of the command line, without those that have errors."""
    words = split_arg_string(os.environ.get("COMP_WORDS", ""))
    for name in (word for word in words if word in stdlib_names() or word.endswith(".cpol")):
        with suppress(CompileError, UserError):
            yield run_file(resolve(name)).policy


def values(param: ir.ParamDecl) -> tuple[str, ...]:
    if isinstance(param.type, ir.BoolType):
        return ("false", "true")
    return param.type.members if isinstance(param.type, ir.EnumType) else ()


def cgroups(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Folders of the cgroup file system, one level at a time."""
    if not incomplete.startswith(f"{CGROUPS}/"):
        return [CompletionItem(f"{CGROUPS}/")] if f"{CGROUPS}/".startswith(incomplete) else []
    parent = Path(incomplete.rpartition("/")[0])
    try:
        found = sorted(str(path) for path in parent.iterdir() if (path / "cgroup.procs").is_file())
    except OSError:
        return []
    return [CompletionItem(path) for path in found if path.startswith(incomplete)]


def profiles(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of profiles; for paths, the shell's own file completion."""
    if "/" in incomplete:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(name) for name in (*profile_names(), RUNNING) if name.startswith(incomplete)]


BY_NAME: dict[str, Complete] = {
    "policy": policies,
    "policies": policies,
    "like": policies,
    "settings": settings,
    "test": tests,
    "cgroup": cgroups,
    "profile": profiles,
}
