"""`cpolc`: the group of all commands. `compile` runs if no command is named."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from click.shell_completion import CompletionItem

import cpol
from cpol.cli import messages, streams
from cpol.cli.completion import VARIABLE
from cpol.cli.errors import CliError, Terminated, UsageFailure, code_of, no_access, reworded
from cpol.cli.once import Commands, Once
from cpol.errors import UserError

GROUPS: Final = {
    "Write policies": {
        "new": "Write a policy to start from.",
        "compile": "Compile a policy (the default command).",
        "fmt": "Format policies.",
        "lint": "Find what compiles, and is likely not meant so.",
        "doc": "Make a page about a policy.",
        "lsp": "Serve an editor: errors as you type, completion, hover.",
    },
    "Try them": {
        "check": "Check a policy's types, then search for events that break a property.",
        "test": "Run the tests in policies.",
        "step": "Step through a test or an event log, event by event.",
        "dap": "Serve an editor's debugger: steps through tests and logs, and back.",
        "sim": "Simulate policies on a trace.",
        "mrc": "Show the miss ratios of policies over memory.",
        "sweep": "Run many policies on many traces, here or on a cluster.",
        "tune": "Find the params of a policy that suit a trace.",
        "discover": "Search for a policy that misses less than all of the stdlib.",
        "advise": "Say which policy a workload wants, and what it would save.",
        "gallery": "Show known problems of the page cache, and what policies do about them.",
        "trace": "Look at traces, convert them, make them.",
        "profile": "Say what a kernel can do.",
        "cost": "Say whether a policy fits a kernel, and what a call costs.",
        "vm": "Run a command in a VM with the cache_ext kernel.",
    },
    "Run them": {
        "attach": "Attach a policy to a cgroup, or replace the one it has.",
        "detach": "Detach the policy of a cgroup.",
        "apply": "Attach what /etc/cpol.d says, to all its cgroups.",
        "quota": "Limit what a cgroup caches.",
        "uncached": "Run a command without the page cache.",
        "trial": "Show, stop and resume trials of policies.",
        "study": "Compare settings of a kernel by many trials of programs.",
        "set": "Show the params of an attached policy, change live ones.",
        "input": "Show or change what an application tells its policy.",
    },
    "Watch them": {
        "list": "List the attached policies.",
        "status": "Show which policy a systemd unit or a cgroup has, and why.",
        "stat": "Show the statistics of a cgroup's policy.",
        "observe": "Show how a cgroup uses the page cache, by file and process.",
        "record": "Record what happens to a cgroup's page cache, for sim.",
        "top": "Show per-second statistics of attached policies.",
        "metrics": "Write or serve the statistics of all policies for Prometheus.",
    },
    "Learn": {
        "stdlib": "Browse the policies that come with cpol.",
        "explain": "Explain an error code.",
        "help": "Show the help of a command.",
        "completion": "Print the completion script of a shell.",
    },
}
"""The commands, in groups as `cpolc help` shows them."""

COMMANDS: Final = {name: summary for group in GROUPS.values() for name, summary in group.items()}
"""The summary of each command. Its module loads on demand, so that `cpolc` starts fast."""

COMPILING: Final = ("-o", "--output", "--emit")
"""Options of `compile`, which runs if the first word is a policy."""

WIDTH: Final = max(map(len, COMMANDS))


class Main(Commands):
    """Loads a command's module by name. Words that name no command are arguments of `compile`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        try:
            command = importlib.import_module(f"cpol.cli.{cmd_name}").command
        except CliError:  # it needs the checkout, and this is a wheel
            if VARIABLE in os.environ:
                return None
            raise
        assert isinstance(command, Once), f"{cmd_name} takes options twice"
        if VARIABLE in os.environ:  # a shell asks; this brings the compiler along, which other commands start without
            from cpol.cli import complete

            complete.prepare(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            raise click.UsageError(f"there is no command `{args[0]}`; {meant(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from cpol.cli import complete

        return [*super().shell_complete(ctx, incomplete), *complete.policies(ctx, None, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        messages.begin(ctx, args)
        own = {"--help", "-h", "--version"}
        if not ctx.resilient_parsing and len(args) > 1 and args[0] in COMMANDS and args[1] in COMPILING:
            from cpol.compiler.policies import stdlib_names

            if args[0] in stdlib_names():
                words = f"cpolc compile {args[0]} {args[1]} …"
                with usage_errors():
                    raise click.UsageError(f"`{args[0]}` is a command here, and a policy, too: write `{words}`", ctx)
        if args and args[0] not in COMMANDS and args[0] not in own:
            if not ctx.resilient_parsing:
                with usage_errors():
                    refuse_unknown(args[0], ctx)
            args = ["compile", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with usage_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt as signalled:
            sys.exit(code_of(signalled))
        except OSError as error:
            if not isinstance(error.filename, str | bytes):  # standard output, for one: click knows what to do
                raise
            raise no_access(error) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{WIDTH}}", summary) for name, summary in group.items()])


@contextmanager
def usage_errors() -> Iterator[None]:
    """Show a wrong command line as JSON under `--json`, and otherwise as click's text."""
    try:
        yield
    except click.UsageError as given:
        error = reworded(given)
        if messages.wants_json():
            raise UsageFailure(error.format_message()) from None
        if error is given:
            raise
        raise error from None
    except CliError:
        raise
    except UserError as error:  # before a command began; see Once
        raise CliError(str(error)) from None


def meant(word: str, known: Iterable[str]) -> str:
    """A suggestion for `word`, or how to list what is known."""
    from cpol.compiler.diagnostics.words import suggest

    return suggest(word, known) or "`cpolc help` lists the commands"


def refuse_unknown(word: str, ctx: click.Context) -> None:
    """Reject a first word that is neither a command nor a policy for `compile`.

    Raises:
        click.UsageError: it is no command; the message suggests the nearest one.
        CliError: it is no policy; the message suggests the nearest one.
    """
    from cpol.compiler.diagnostics.words import closest
    from cpol.compiler.policies import is_path, local_file, resolve, stdlib_names

    names = stdlib_names()
    if word.startswith("-") or is_path(word) or word.endswith(".bpf.o") or word in names:
        return
    near = closest(word, [*COMMANDS, *names])
    if near in COMMANDS:
        raise click.UsageError(f"there is no command `{word}`; did you mean `{near}`?", ctx)
    if not near and local_file(word) is None and not Path(word).is_dir():
        raise click.UsageError(
            f"`{word}` is neither a command (`cpolc help`) nor a policy of the standard library (`cpolc stdlib list`); "
            "a file of your own is named by its path",
            ctx,
        )
    resolve(word)


@click.group(
    cls=Main,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file.",
)
@click.version_option(cpol.__version__, message=f"cpolc %(version)s, language {cpol.LANGUAGE_VERSION}")
def cli() -> None:
    """cpol: page-cache policies as a page of declarations.

    \b
    Start with: cpolc new mine

    \b
    cpolc POLICY [-o OUT.bpf.o] [--emit ast|ir|c|bpf]   compile
    cpolc --attach CGROUP POLICY                        compile if needed, and attach
    """


def terminate(number: int, frame: object) -> NoReturn:
    raise Terminated(number)


def main() -> None:
    """Run a command line. cpol.cli.errors defines the exit codes."""
    streams.guard()
    for number in (signal.SIGTERM, signal.SIGHUP):  # so that what is half made goes, and rows of sim come
        if signal.getsignal(number) == signal.SIG_DFL:  # under nohup, SIGHUP stays ignored
            signal.signal(number, terminate)
    atexit.register(gc.freeze)  # else the end of the process searches what was imported
    cli(prog_name="cpolc")


if __name__ == "__main__":
    main()
