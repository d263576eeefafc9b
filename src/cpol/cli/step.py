"""`cpolc step`: run a policy event by event, and show what each event did."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from cpol.cli import screen
from cpol.cli.errors import EXIT_FAILURE, EXIT_USAGE, CliError
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.policy import compilation
from cpol.cli.step_json import as_json
from cpol.cli.step_prompt import Prompt
from cpol.compiler.ir import Policy
from cpol.compiler.stages import Compilation
from cpol.errors import UserError
from cpol.printable import shown
from cpol.runtime.explore.check.report import settings
from cpol.runtime.explore.step import Script, Session, StepError, of_log, of_test
from cpol.runtime.explore.step.session import Step
from cpol.runtime.explore.step.text import as_text
from cpol.runtime.machine.errors import InvariantError, MachineError
from cpol.runtime.machine.events import LogError, read
from cpol.runtime.machine.interp.replay import ReplayError


@click.command(name="step", cls=Once)
@click.argument("policy")
@click.argument("script", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--test", "test", metavar="NAME", help="Step through this test of the policy.")
@click.option(
    "--break",
    "breakpoints",
    metavar="LINE",
    multiple=True,
    type=int,
    help="A breakpoint on a line of the policy. As text: show only events in which it ran.",
)
@click.option("--plain", is_flag=True, help="Print all events, even on a terminal.")
@click.option("--screen", "full_screen", is_flag=True, help="Show the full-screen view: the default on a terminal.")
@click.option("--interactive", is_flag=True, help="Read commands, one a line, from a terminal or a pipe.")
@click.option("--json", "json_output", is_flag=True, help="Print each event as one JSON object on a line.")
def command(
    policy: str,
    script: Path | None,
    test: str | None,
    breakpoints: tuple[int, ...],
    plain: bool,
    full_screen: bool,
    interactive: bool,
    json_output: bool,
) -> None:
    """Run a policy event by event in the reference interpreter, and show what each event does.

    SCRIPT is an event log, such as a counterexample that `cpolc check` saved. Each event shows the
    lines of the policy that ran, the decisions, and what changed: lists from head to tail, records,
    ghosts, states and tables, before -> after.

    On a terminal it fills the screen: the policy with the lines that ran, the event, and the state.
    Its keys are n (next), b (back), c (continue to a breakpoint), t (a breakpoint on this line),
    g (go to), f (find a folio), q. The view needs the Python package textual.

    With --interactive, or without textual, it reads commands, one a line: h lists them.

    \b
    Exit code: 0  nothing was broken, or it was seen interactively
               1  the policy broke a property, or an `expect` of the test is false
               2  the policy, the script, the command line or a command is wrong

    POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file.
    """
    ways = {"--plain": plain, "--json": json_output, "--screen": full_screen, "--interactive": interactive}
    chosen = [way for way, given in ways.items() if given]
    if len(chosen) > 1 and chosen != ["--plain", "--json"]:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} exclude each other")
    if full_screen:
        check_screen()
    if (script is None) == (test is None):
        raise click.UsageError("name what to step through: either SCRIPT, an event log, or --test NAME")
    compiled = valid(policy)
    ir = compiled.policy
    session = begin(log(ir, script) if script is not None else named(ir, test or ""))
    try:
        lines = {session.check_line(line) for line in breakpoints}
    except StepError as error:
        raise ScriptError(str(error)) from None
    source = compiled.source.text.split("\n")
    if json_output:
        print_all(session, lines, lambda step: as_json(step, session))
        return
    if full_screen or (not interactive and not plain and wants_screen()):
        from cpol.cli.screen.step import StepScreen

        StepScreen(session, source, lines).run()
        return
    click.echo(shown(f"{ir.name}, {session.script.name}, {session.last} events, with {settings(session.machine)}"))
    if interactive or (not plain and sys.stdin.isatty() and sys.stdout.isatty()):
        Prompt(session, source, lines).run()
    else:
        print_all(session, lines, lambda step: shown(as_text(step, source, session.statements)))


def check_screen() -> None:
    """Refuse a full-screen view where there can be none.

    Raises:
        click.UsageError: this is no terminal.
        CliError: textual is missing.
    """
    if not screen.on_terminal():
        raise click.UsageError("--screen needs a terminal on stdin, stdout and stderr, and a TERM other than dumb")
    if not screen.installed():
        raise CliError(screen.MISSING)


def wants_screen() -> bool:
    """Whether this is a terminal and textual is there. A note tells how to get it."""
    if not screen.on_terminal():
        return False
    if not screen.installed():
        say(f"{screen.MISSING}; --interactive reads commands without this note", "note")
        return False
    return True


class ScriptError(CliError):
    """The policy or the script is wrong."""

    exit_code = EXIT_USAGE


def valid(name: str) -> Compilation:
    try:
        return compilation(name)
    except UserError as error:
        raise ScriptError(str(error)) from None
    except click.exceptions.Exit:
        raise click.exceptions.Exit(EXIT_USAGE) from None


def log(policy: Policy, path: Path) -> Script:
    try:
        return of_log(policy, read(path), path)
    except LogError as error:
        raise ScriptError(str(error)) from None
    except OSError as error:
        raise ScriptError(f"cannot read {path}: {error.strerror}") from None


def named(policy: Policy, name: str) -> Script:
    """The script of the policy's test with this name."""
    test = next((test for test in policy.tests if test.name == name), None)
    if test is None:
        known = ", ".join(test.name for test in policy.tests) or "none"
        raise ScriptError(f"policy {policy.name} has no test {name!r}; it has {known}")
    try:
        return of_test(policy, test)
    except InvariantError as error:
        raise CliError(str(error)) from None
    except MachineError as error:
        raise ScriptError(f"{policy.path}:{test.pos.line}: test {name}: {error}") from None


def begin(script: Script) -> Session:
    try:
        return Session(script)
    except InvariantError as error:
        raise CliError(str(error)) from None
    except (ReplayError, MachineError) as error:
        raise ScriptError(str(error)) from None


def print_all(session: Session, breakpoints: set[int], line: Callable[[Step], str]) -> None:
    """Print each event; with breakpoints, only those that reach one, and one that breaks the policy."""
    step = session.here()
    broken = False
    while True:
        hit = not breakpoints or any(pos.line in breakpoints and not pos.file for pos in step.ran)
        if hit or step.problem is not None:
            click.echo(line(step))
        if step.impossible:
            raise ScriptError(str(step.problem))
        broken = broken or step.problem is not None
        if session.over:
            break
        step = session.next()
    if broken:
        raise click.exceptions.Exit(EXIT_FAILURE)
