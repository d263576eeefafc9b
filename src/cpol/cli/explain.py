"""`cpolc explain CODE`: explains a diagnostic, with a wrong and a right example."""

from __future__ import annotations

import difflib
import re

import click

from cpol.cli.errors import CliError
from cpol.cli.once import Once
from cpol.compiler.diagnostics.errors import Explanation, explain, registry


@click.command(cls=Once)
@click.argument("words", nargs=-1, metavar="[CODE|WORD...]")
def command(words: tuple[str, ...]) -> None:
    """Explain CODE, such as E0209; list the codes about each WORD, such as `divisor`; or list all codes."""
    code = " ".join(words)
    if not words:
        for entry in registry().values():
            click.echo(f"{entry.code}  {entry.title}")
        return
    found = explain(code)
    if found is None:
        about = [entry for entry in registry().values() if all(is_about(entry, word) for word in words)]
        for entry in about:
            click.echo(f"{entry.code}  {entry.title}")
        if about:
            return
        near = difflib.get_close_matches(code.upper(), registry(), n=1)
        hint = f"did you mean {near[0]}?" if near else "`cpolc explain` lists them"
        raise CliError(f"there is no code {code!r}; {hint}")
    click.echo(found.render())


def is_about(entry: Explanation, word: str) -> bool:
    """Whether the title or the explanation has a word that begins like `word`."""
    return re.search(rf"\b{re.escape(word)}", f"{entry.title} {entry.explanation}", re.IGNORECASE) is not None
