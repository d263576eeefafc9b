"""The commands of `cpolc step`, read from a terminal or from a pipe."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from contextlib import suppress

import click

from cpol.cli.errors import EXIT_USAGE, CliError
from cpol.printable import shown
from cpol.runtime.explore.step import Session, Step, StepError, views
from cpol.runtime.explore.step.text import as_text

HELP = """\
n [COUNT]      next event, or COUNT events on; an empty line repeats the last command
b [COUNT]      back
g N            go to event N; 0 is the start
c              continue to the next event that reaches a breakpoint, or to the end
break [LINE]   set a breakpoint on a line of the policy, or list them
delete [LINE]  delete a breakpoint, or all
e              this event again
l [LIST]       the lists from head to tail, or one of them in full
f KEY          a folio, by INDEX or FILE:INDEX
s              states, tables, inputs, ghosts
p              the policy, with its breakpoints and the lines that ran
h              these commands
q              quit"""

PROMPT = "(step) "


class CommandError(CliError):
    """A command from a pipe is wrong. On a terminal the user can type another."""

    exit_code = EXIT_USAGE


class Prompt:
    """Reads commands, one a line, until `q` or the end of the input.

    From a pipe it repeats each command in the output, and ends at one that is wrong.
    """

    def __init__(self, session: Session, source: list[str], breakpoints: set[int]) -> None:
        self.session = session
        self.source = source
        self.breakpoints = breakpoints
        self.terminal = sys.stdin.isatty()
        self.again = ""
        self.commands: dict[str, Callable[[str], None]] = {
            "n": self.next, "b": self.back, "g": self.go, "c": self.run_on, "e": self.event,
            "break": self.set_breakpoint, "delete": self.delete, "l": self.lists, "f": self.folio,
            "s": self.states, "p": self.policy, "h": self.help,
        }  # fmt: skip

    def run(self) -> None:
        if self.terminal:
            with suppress(ImportError):
                importlib.import_module("readline")  # gives `input` a history and a line editor
            click.echo("h lists the commands")
        self.event("")
        while (line := self.read()) is not None:
            words = line.split()
            if words[:1] in (["q"], ["quit"]):
                return
            position = self.session.position
            try:
                self.perform(line)
            except StepError as error:
                if not self.terminal:
                    raise CommandError(f"{line.strip() or self.again}: {error}") from None
                click.echo(shown(str(error)))
            except KeyboardInterrupt:  # the machine may be in the middle of an event
                click.echo("interrupted")
                self.show(self.session.again(position))

    def read(self) -> str | None:
        """A command line; None: the input ends."""
        try:
            if self.terminal:
                return input(PROMPT)
            line = sys.stdin.readline()
            if line:
                click.echo(shown(PROMPT + line.rstrip("\n")))
            return line or None
        except UnicodeDecodeError:
            raise CommandError("a command is not UTF-8 text") from None
        except KeyboardInterrupt:
            click.echo()
            return ""
        except EOFError:
            click.echo()
            return None

    def perform(self, line: str) -> None:
        """Perform one command; an empty one repeats the last.

        Raises:
            StepError: it is wrong.
        """
        name, _, rest = (line.strip() or self.again).partition(" ")
        if not name:
            return
        if name not in self.commands:
            raise StepError(f"there is no command {name!r}; h lists them")
        self.again = line.strip() or self.again
        self.commands[name](rest.strip())

    # The commands.

    def next(self, count: str) -> None:
        self.move(self.number(count or "1"))

    def back(self, count: str) -> None:
        self.move(-self.number(count or "1"))

    def move(self, count: int) -> None:
        """Go on by `count` events, or back; at most to the end or to the start."""
        session = self.session
        if count > 0 and session.over:
            self.say(["the script ends here"])
        elif count < 0 and session.position == 0:
            self.say(["this is the start"])
        else:
            self.show(session.go(min(max(session.position + count, 0), session.last)))

    def go(self, number: str) -> None:
        self.show(self.session.go(self.number(number)))

    def run_on(self, _: str) -> None:
        if self.session.over:
            self.say(["the script ends here"])
        else:
            self.show(self.session.run(self.breakpoints))

    def event(self, _: str) -> None:
        self.show(self.session.here())

    def set_breakpoint(self, line: str) -> None:
        if line:
            self.breakpoints.add(self.session.check_line(self.number(line)))
        for number in sorted(self.breakpoints):
            self.say([f"breakpoint on line {number}: {self.source[number - 1].strip()}"])
        if not self.breakpoints:
            self.say(["no breakpoints"])

    def delete(self, line: str) -> None:
        if not line:
            self.breakpoints.clear()
        elif self.number(line) not in self.breakpoints:
            raise StepError(f"there is no breakpoint on line {line}")
        else:
            self.breakpoints.remove(self.number(line))

    def lists(self, label: str) -> None:
        machine = self.session.machine
        self.say(views.one_list(machine, label) if label else views.lists(machine))

    def folio(self, key: str) -> None:
        self.say(views.folio(self.session.machine, key))

    def states(self, _: str) -> None:
        self.say(views.states(self.session.machine))

    def policy(self, _: str) -> None:
        ran = {pos.line for pos in self.session.here().ran if not pos.file}
        for number, text in enumerate(self.source, 1):
            marks = ("*" if number in self.breakpoints else " ") + (">" if number in ran else " ")
            self.say([f"{marks}{number:>4}  {text}".rstrip()])

    def help(self, _: str) -> None:
        self.say(HELP.splitlines())

    def number(self, text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= 18):
            raise StepError(f"{text!r} is not a number")
        return int(text)

    def show(self, step: Step) -> None:
        self.say([as_text(step, self.source, self.session.statements)])
        if step.impossible:
            self.say([f"this event cannot happen here: {step.problem}"])

    def say(self, lines: list[str]) -> None:
        for line in lines:
            click.echo(shown(line))
