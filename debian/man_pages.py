#!/usr/bin/python3 -B
"""Write a man page for cpolc and for each of its commands, from their help: man_pages.py FOLDER VERSION DATE."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from cpol.cli.errors import CliError
from cpol.cli.main import GROUPS, cli
from cpol.compiler.doc.man import man
from cpol.compiler.doc.page import Block, Code, Page, Paragraph, Section, Table

VERBATIM = "\b"
"""click's mark before a paragraph whose lines stay as they are."""


def main(folder: Path, version: str, date: str) -> None:
    pages = dict(commands(click.Context(cli, info_name="cpolc")))
    for name, context in pages.items():
        text = man(page(name, context, list(pages)), f'{name.upper()} 1 {date} "cpol {version}" "cpol"')
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


def page(name: str, context: click.Context, pages: list[str]) -> Page:
    command = context.command
    usage = " ".join(command.collect_usage_pieces(context))
    sections = [
        Section("Synopsis", (Paragraph(f"`{context.command_path}` {usage}"),)),
        Section("Description", blocks(command.help or "")),
    ]
    if isinstance(command, click.Group):
        sections.append(Section("Commands", listed(context, command, pages)))
    options = [record for record in (each.get_help_record(context) for each in command.get_params(context)) if record]
    if options:
        rows = tuple((f"`{names}`", " ".join(help_.split())) for names, help_ in options)
        sections.append(Section("Options", (Table(("", ""), rows),)))
    if command.epilog:
        sections.append(Section("Notes", blocks(command.epilog)))
    others = [each for each in pages if each != name and (name == "cpolc" or each in ("cpolc", *kin(name, pages)))]
    links = ", ".join(f"`{each}`(1)" for each in [*others, "cpol-loader"])
    manual = Paragraph("Manual: /usr/share/doc/cpol/README.md")
    return Page(name, summary(command), (*sections, Section("See also", (Paragraph(f"{links}."), manual))))


def kin(name: str, pages: list[str]) -> list[str]:
    """The pages of the commands in the same group of `cpolc help`."""
    own = name.split("-")[1]
    groups = [group for group in GROUPS.values() if own in group]
    return [each for each in pages if "-" in each and any(each.split("-")[1] in group for group in groups)]


def listed(context: click.Context, group: click.Group, pages: list[str]) -> tuple[Block, ...]:
    names = [
        name for name in group.list_commands(context) if f"{context.command_path} {name}".replace(" ", "-") in pages
    ]
    commands = {name: group.get_command(context, name) for name in names}
    return (Table(("", ""), tuple((f"`{name}`", summary(each)) for name, each in commands.items() if each)),)


def summary(command: click.Command) -> str:
    """The first sentence of a command's help, without its full stop."""
    first = " ".join((command.help or "").replace(VERBATIM, "").strip().split("\n\n")[0].split())
    return first.partition(". ")[0].rstrip(".").removeprefix("cpol: ")


def blocks(text: str) -> tuple[Block, ...]:
    """Help text as blocks of a page."""
    found: list[Block] = []
    for block in text.strip().split("\n\n"):
        lines = [line for line in block.replace(VERBATIM, "").splitlines() if line.strip()]
        if block.lstrip().startswith(VERBATIM):
            found.append(Code("\n".join(lines)))
        else:
            found.append(Paragraph(" ".join(" ".join(lines).split())))
    return tuple(found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
