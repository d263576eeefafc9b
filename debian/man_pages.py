#!/usr/bin/python3 -B
"""Write a man page for cpolc and for each of its commands, from their help: man_pages.py FOLDER VERSION DATE."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from cpol.cli.errors import CliError
from cpol.cli.main import GROUPS, cli

VERBATIM = "\b"
"""click's mark before a paragraph whose lines stay as they are."""


def main(folder: Path, version: str, date: str) -> None:
    pages = dict(commands(click.Context(cli, info_name="cpolc")))
    for name, context in pages.items():
        text = "\n".join(page(name, context, list(pages), version, date)) + "\n"
        (folder / f"{name}.1").write_text(text, encoding="utf-8")


def commands(context: click.Context) -> Iterator[tuple[str, click.Context]]:
    """Each command below a context, and that itself, under the names of their pages."""
    yield context.command_path.replace(" ", "-"), context
    group = context.command
    if isinstance(group, click.Group):
        for name in group.list_commands(context):
            try:
                command = group.get_command(context, name)
            except CliError:  # `vm` works in a checkout only
                continue
            if command is not None and not command.hidden:
                yield from commands(click.Context(command, parent=context, info_name=name))


def page(name: str, context: click.Context, pages: list[str], version: str, date: str) -> Iterator[str]:
    command = context.command
    yield f'.TH {name.upper()} 1 {date} "cpol {version}" "cpol"'
    yield ".SH NAME"
    yield f"{name} \\- {escaped(summary(command))}"
    yield ".SH SYNOPSIS"
    yield f".B {escaped(context.command_path)}"
    yield escaped(" ".join(command.collect_usage_pieces(context)))
    yield ".SH DESCRIPTION"
    yield from paragraphs(command.help or "")
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        yield from listed(context, command, pages)
    options = [record for record in (each.get_help_record(context) for each in command.get_params(context)) if record]
    if options:
        yield ".SH OPTIONS"
        for names, help_ in options:
            yield from (".TP", f".B {escaped(names)}", escaped(" ".join(help_.split())))
    if command.epilog:
        yield ".SH NOTES"
        yield from paragraphs(command.epilog)
    yield ".SH SEE ALSO"
    others = [each for each in pages if each != name and (name == "cpolc" or each in ("cpolc", *kin(name, pages)))]
    yield ", ".join(f"\\fB{escaped(each)}\\fR(1)" for each in [*others, "cpol-loader"]) + "."
    yield ".PP"
    yield "Manual: /usr/share/doc/cpol/README.md"


def kin(name: str, pages: list[str]) -> list[str]:
    """The pages of the commands in the same group of `cpolc help`."""
    own = name.split("-")[1]
    groups = [group for group in GROUPS.values() if own in group]
    return [each for each in pages if "-" in each and any(each.split("-")[1] in group for group in groups)]


def listed(context: click.Context, group: click.Group, pages: list[str]) -> Iterator[str]:
    for name in group.list_commands(context):
        if f"{context.command_path} {name}".replace(" ", "-") in pages:
            command = group.get_command(context, name)
            assert command is not None
            yield from (".TP", f".B {escaped(name)}", escaped(summary(command)))


def summary(command: click.Command) -> str:
    """The first sentence of a command's help, without its full stop."""
    first = " ".join((command.help or "").replace(VERBATIM, "").strip().split("\n\n")[0].split())
    return first.partition(". ")[0].rstrip(".").removeprefix("cpol: ")


def paragraphs(text: str) -> Iterator[str]:
    """Help text as roff."""
    blocks = [block.strip("\n") for block in text.strip().split("\n\n")]
    for number, block in enumerate(blocks):
        if number:
            yield ".PP"
        verbatim = block.lstrip().startswith(VERBATIM)
        lines = [line for line in block.replace(VERBATIM, "").splitlines() if line.strip()]
        if verbatim:
            yield from (".nf", *map(escaped, lines), ".fi")
        else:
            yield escaped(" ".join(" ".join(lines).split()))


def escaped(text: str) -> str:
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\(rs").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("…", "...").replace("^", "\\(ha").replace("~", "\\(ti")
    return f"\\&{text}" if text.startswith(".") else text


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
