"""`cpolc completion`: prints the script for shell completion. complete.py finds the words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from cpol.cli.once import Once

VARIABLE = "_CPOLC_COMPLETE"
"""The environment variable that the shell sets when it asks for completions."""

WHERE = {
    "bash": '/etc/bash_completion.d/cpolc, or: eval "$(cpolc completion bash)" in ~/.bashrc',
    "zsh": '_cpolc in a folder of $fpath, or: eval "$(cpolc completion zsh)" in ~/.zshrc',
    "fish": "~/.config/fish/completions/cpolc.fish",
}


@click.command(name="completion", cls=Once)
@click.argument("shell", type=click.Choice(list(WHERE)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell: bash, zsh or fish.

    It completes commands, options, stdlib policies, params after --set, and cgroups.
    """
    kind = get_completion_class(shell)
    assert kind is not None, shell
    source = kind(ctx.find_root().command, {}, "cpolc", VARIABLE).source()
    click.echo(f"# Completion of cpolc. It goes to {WHERE[shell]}\n{source}")
