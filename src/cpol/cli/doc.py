"""`cpolc doc`: prints a page about a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from cpol.cli.once import Once
from cpol.cli.output import put, spare
from cpol.cli.policy import compilation
from cpol.compiler.analysis.cost.summary import summary
from cpol.compiler.doc.html import html
from cpol.compiler.doc.man import man
from cpol.compiler.doc.markdown import markdown
from cpol.compiler.doc.page import page_of
from cpol.compiler.policies import files_of

FORMATS: Final = {"md": markdown, "html": html, "man": man}


@click.command(name="doc", cls=Once)
@click.argument("policy")
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    default="md",
    show_default=True,
    help="The format of the page.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The output file; `-` is standard output, the default.",
)
def command(policy: str, format_: str, output: Path | None) -> None:
    """Make a page about POLICY from its source: comments, params with units and ranges, what it
    keeps, tests, cost.

    html is one file without external resources; man is for `man -l`.
    """
    compiled = compilation(policy)
    if output is not None:
        spare("-o", output, files_of(compiled))
    put(FORMATS[format_](page_of(compiled, summary(compiled.policy))), output)
