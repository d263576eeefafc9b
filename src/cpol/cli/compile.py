"""`cpolc POLICY`: compile, the default command."""

from __future__ import annotations

from pathlib import Path

import click

from cpol.cli import objects
from cpol.cli.errors import CliError
from cpol.cli.policy import compilation
from cpol.cli.profiles import load_profile, refuse
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.backend import bpf, c
from cpol.compiler.stages import Compilation, dump_ast, dump_ir
from cpol.compiler.toolchain.target import Target


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
    """Compile POLICY to a BPF object for kernels with cache_ext.

    With --profile NAME alone POLICY may be an object (.bpf.o): it is held against the interface that the profile
    describes.
    """
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
    kernel = None if profile is None else load_profile(profile)
    if policy.endswith(objects.SUFFIX):
        hold(policy, kernel, emit is None and output is None)
        return
    compiled = compilation(policy)
    if kernel is not None:
        refuse(compiled, kernel)
    if emit in (None, "bpf"):
        out = output or Path(f"{compiled.policy.name}{objects.SUFFIX}")
        objects.write(compiled.policy, out, kernel)
        click.echo(f"{out}: {compiled.policy.name}, {out.stat().st_size:,} bytes", err=True)
        return
    put(text_of(compiled, emit or "", objects.target_of(kernel)), output)


def hold(path: str, profile: Profile | None, alone: bool) -> None:
    """An object that is compiled already: hold it against the interface of a profile."""
    if profile is None or not alone:
        raise click.UsageError("an object is compiled already; --profile NAME alone holds it against an interface")
    if profile.interface is None:
        raise CliError(f"the profile {profile.name} describes no interface: its kernel checks objects itself")
    objects.hold(Path(path), profile)
    click.echo(f"{path}: keeps to the interface of {profile.name}", err=True)


def text_of(compiled: Compilation, emit: str, target: Target) -> str:
    """The stage of a compilation that `--emit` names."""
    if emit == "ast":
        return dump_ast(compiled)
    return dump_ir(compiled.policy) if emit == "ir" else c.generate(compiled.policy, target)


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
