"""`cpolc`: the group of all commands. `compile` is the one that runs when none is named."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Final

import click
from click.shell_completion import CompletionItem

import cpol
from cpol.cli.completion import VARIABLE
from cpol.cli.errors import CliError

COMMANDS: Final = {
    "compile": "Compile a policy (the default command).",
    "new": "Write a policy to start from.",
    "check": "Check a policy: its types, then its properties against the interpreter.",
    "test": "Run the tests that stand in policies.",
    "fmt": "Lay policies out in the one layout.",
    "sim": "Simulate policies on a trace.",
    "attach": "Attach a policy to a cgroup, or replace the one it has.",
    "detach": "Detach the policy of a cgroup.",
    "set": "Show the params of an attached policy, change live ones.",
    "input": "Show or change what an application tells its policy.",
    "list": "List the attached policies.",
    "stat": "Show the statistics of a cgroup's policy.",
    "top": "Watch what the attached policies do, a second.",
    "metrics": "Write or serve the statistics of all policies as OpenMetrics.",
    "stdlib": "Browse the policies that come with cpol.",
    "cost": "Tell what a policy can cost at most.",
    "doc": "Make a page about a policy.",
    "explain": "Explain an error code.",
    "completion": "Print what makes a shell complete cpolc's words.",
    "vm": "Run a command in a VM with the cache_ext kernel.",
}
"""Each command lives in the module of its name, as `command`; loaded when asked for, so that `cpolc` starts fast."""


class Commands(click.Group):
    """Loads a command's module by its name; words that name no command are `compile`'s."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"cpol.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        if VARIABLE in os.environ:  # a shell asks; this brings the compiler along, which other commands start without
            from cpol.cli import complete

            complete.prepare(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from cpol.cli import complete

        return [*super().shell_complete(ctx, incomplete), *complete.policies(ctx, None, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"--help", "-h", "--version"}
        if args and args[0] not in COMMANDS and args[0] not in own:
            args = ["compile", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file.",
)
@click.version_option(cpol.__version__, prog_name="cpolc")
def cli() -> None:
    """cpol: page-cache policies as a page of declarations.

    \b
    cpolc POLICY [-o OUT.bpf.o] [--emit ast|ir|c|bpf]   compile
    cpolc --attach CGROUP POLICY                        compile if needed, and attach
    """


def main() -> None:
    """Entry point; a broken pipe (`cpolc ... | head`) and an interrupt end quietly, as shells expect."""
    try:
        cli(prog_name="cpolc")
    except CliError as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    main()
