"""`cpolc POLICY`: compile, the default command."""

from __future__ import annotations

from pathlib import Path

import click

from cpol.cli import objects
from cpol.cli.errors import CliError
from cpol.cli.policy import compilation
from cpol.cli.profiles import load_profile, refuse
from cpol.compiler.backend import bpf, c
from cpol.compiler.stages import Compilation, dump_ast, dump_ir


@click.command(name="compile")
@click.argument("policy")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to; objects go to POLICY.bpf.o otherwise.")
@click.option(
    "--emit",
    type=click.Choice(["ast", "ir", "c", "bpf"]),
    help="What to make: the syntax tree, the IR or the C as text (to standard output without -o), or the BPF object.",
)
@click.option("--attach", "cgroup", metavar="CGROUP", help="Compile if need be, and attach to this cgroup.")
@objects.attach_options
def command(
    policy: str,
    output: Path | None,
    emit: str | None,
    cgroup: str | None,
    settings: tuple[str, ...],
    inputs: tuple[str, ...],
    input_group: str | None,
    replace: bool,
    profile: str | None,
) -> None:
    """Compile POLICY to a BPF object for kernels with cache_ext."""
    options = objects.AttachOptions(settings, inputs, input_group, replace, profile)
    if cgroup is not None:
        if emit is not None or output is not None:
            raise click.UsageError("--attach goes with neither --emit nor -o")
        objects.attach(policy, cgroup, options)
        return
    if settings:
        raise click.UsageError("--set goes with --attach: an object holds the defaults")
    if options.words():
        raise click.UsageError(f"{options.words()[0]} goes with --attach")
    compiled = compilation(policy)
    if profile is not None:
        refuse(compiled.policy, load_profile(profile))
    if emit in (None, "bpf"):
        out = output or Path(f"{compiled.policy.name}{objects.SUFFIX}")
        objects.write(compiled.policy, out)
        click.echo(f"{out}: {compiled.policy.name}, {out.stat().st_size:,} bytes", err=True)
        return
    put(text_of(compiled, emit or ""), output)


def text_of(compiled: Compilation, emit: str) -> str:
    """The stage of a compilation that `--emit` names."""
    if emit == "ast":
        return dump_ast(compiled)
    return dump_ir(compiled.policy) if emit == "ir" else c.generate(compiled.policy)


def put(text: str, output: Path | None) -> None:
    """Text to a file, at once or not at all, or to standard output.

    Raises:
        CliError: the file cannot be written.
    """
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        bpf.write_atomically(output, text.encode())
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror}") from None
