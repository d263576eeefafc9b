"""What a shell can complete in cpolc's words, besides commands and options.

Arguments are known by their names, so that a new command has this without saying so: `policy`, `policies` and `like`
are policies, `settings` NAME=VALUE of the policy before them, `cgroup` a cgroup.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import click
from click.shell_completion import CompletionItem, split_arg_string

from cpol.cli.policy import STDLIB, resolve, stdlib_names
from cpol.cli.profiles import profile_names
from cpol.compiler import ir
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.doc.page import summary_of
from cpol.compiler.stages import run_file

CGROUPS = Path("/sys/fs/cgroup")

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class _Completed(click.types.StringParamType):
    """Strings that can be completed."""

    def __init__(self, complete: Complete) -> None:
        self.complete = complete

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return self.complete(ctx, param, incomplete)


def prepare(command: click.Command) -> None:
    """Give the parameters of a command, and of the commands below it, what completes them."""
    for param in command.params:
        complete = BY_NAME.get(param.name or "")
        if complete is not None:
            param.type = _Completed(complete)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            prepare(inner)


def policies(_ctx: click.Context, _param: click.Parameter | None, incomplete: str) -> list[CompletionItem]:
    """Stdlib names; files, which the shell finds itself, if it looks like a path."""
    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    found = [CompletionItem(name, help=summary(name)) for name in stdlib_names() if name.startswith(incomplete)]
    local = sorted(path.name for path in Path().glob("*.cpol") if path.name.startswith(incomplete))
    return found + [CompletionItem(f"./{name}") for name in local]


def summary(name: str) -> str:
    """The first sentence of a stdlib policy."""
    with (STDLIB / f"{name}.cpol").open(encoding="utf-8") as file:
        lines = takewhile(lambda line: line.startswith("///"), file)
        return summary_of("".join(line.removeprefix("///") for line in lines))[0]


def settings(_ctx: click.Context, _param: click.Parameter | None, incomplete: str) -> list[CompletionItem]:
    """NAME= of the params of the policies among the words; with their values, where those can be counted.

    The words, because a command line that ends with `--set` cannot be parsed.
    """
    items: dict[str, str] = {}
    words = split_arg_string(os.environ.get("COMP_WORDS", ""))
    for name in (word for word in words if word in stdlib_names() or word.endswith(".cpol")):
        try:
            found = run_file(resolve(name)).policy.params
        except (CompileError, click.ClickException):
            continue  # who completes a word is not told what is wrong with another
        for param in found:
            for value in values(param) if incomplete.startswith(f"{param.name}=") else [""]:
                items[f"{param.name}={value}"] = param.doc
    return [CompletionItem(item, help=doc or None) for item, doc in items.items() if item.startswith(incomplete)]


def values(param: ir.ParamDecl) -> tuple[str, ...]:
    if isinstance(param.type, ir.BoolType):
        return ("false", "true")
    return param.type.members if isinstance(param.type, ir.EnumType) else ()


def cgroups(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Folders of the cgroup file system, one level after the other."""
    if not incomplete.startswith(f"{CGROUPS}/"):
        return [CompletionItem(f"{CGROUPS}/")] if f"{CGROUPS}/".startswith(incomplete) else []
    parent = Path(incomplete.rpartition("/")[0])
    try:
        found = sorted(str(path) for path in parent.iterdir() if (path / "cgroup.procs").is_file())
    except OSError:
        return []
    return [CompletionItem(path) for path in found if path.startswith(incomplete)]


def profiles(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kernels by name; files, if it looks like a path."""
    if "/" in incomplete:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(name) for name in profile_names() if name.startswith(incomplete)]


BY_NAME: dict[str, Complete] = {
    "policy": policies,
    "policies": policies,
    "like": policies,
    "settings": settings,
    "cgroup": cgroups,
    "profile": profiles,
}
