"""`cpolc POLICY`: compile, the default command."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

import click

from cpol.cli import objects as attaching
from cpol.cli.errors import CliError
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.output import STDOUT, put, spare
from cpol.cli.policy import compilation, errors_shown
from cpol.cli.profiles import refuse
from cpol.compiler import ir, objects
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.backend import c
from cpol.compiler.ir import uses
from cpol.compiler.policies import files_of
from cpol.compiler.stages import Compilation, dump_ast, dump_ir
from cpol.compiler.toolchain.target import Target
from cpol.kernel import profiles
from cpol.runtime.operate.loader.options import AttachOptions


@click.command(name="compile", cls=Once)
@click.argument("policy")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help=f"The output file; `-` is standard output.  [default: NAME{objects.SUFFIX} for an object, `-` for text]",
)
@click.option(
    "--emit",
    type=click.Choice(["ast", "ir", "c", "bpf"]),
    help="The output: the syntax tree, the IR or the C as text, or the BPF object.",
)
@click.option("--attach", "cgroup", metavar="CGROUP", help="Compile if necessary, and attach to this cgroup.")
@click.option("--json", is_flag=True, expose_value=False, help="Write errors and warnings as JSON, one object a line.")
@attaching.attach_options
def command(
    policy: str,
    output: Path | None,
    emit: str | None,
    cgroup: str | None,
    settings: tuple[str, ...],
    inputs: tuple[str, ...],
    input_group: str | None,
    replace: bool,
    dry_run: bool,
    profile: str | None,
) -> None:
    """Compile POLICY to a BPF object for kernels with cache_ext.

    With --profile NAME alone, POLICY may be an object (.bpf.o). cpolc then checks it against the
    interface in the profile.
    """
    options = AttachOptions(settings, inputs, input_group, replace, dry_run, profile=profile)
    if cgroup is not None:
        if emit is not None or output is not None:
            raise click.UsageError("--attach goes with neither --emit nor -o")
        attaching.attach(policy, cgroup, options)
        return
    if settings:
        raise click.UsageError("--set goes with --attach: an object holds the defaults")
    if options.words():
        raise click.UsageError(f"{options.words()[0]} goes with --attach")
    kernel = None if profile is None else profiles.load(profile)
    if policy.endswith(objects.SUFFIX):
        check_object(policy, kernel, emit is None and output is None)
        return
    compiled = compilation(policy)
    if kernel is not None and kernel.kind != "kernel" and emit in (None, "bpf"):
        if output is not None or emit is not None:
            raise click.UsageError(
                f"--profile {profile} goes without an object: cpolc attach --glue user compiles itself"
            )
        refuse(compiled, kernel)
        say(f"{policy} can run by cpolc attach --glue user, which compiles it itself; nothing is written", "note")
        return
    if output is not None:
        spare("-o", output, files_of(compiled))
        if output.suffix == ".cpol" and emit in (None, "bpf"):
            raise click.UsageError(
                f"-o {output}: an object is no policy's source, which .cpol means; "
                f"write -o {quote(str(output.with_suffix(objects.SUFFIX)))}"
            )
    if kernel is not None:
        refuse(compiled, kernel)
    elif emit in (None, "bpf") and uses.of(compiled.policy).writes:  # no kernel tells that
        refuse(compiled, profiles.load(profiles.DEFAULT))
    if emit in (None, "bpf"):
        put_object(compiled.policy, output or Path(f"{compiled.policy.name}{objects.SUFFIX}"), kernel)
        return
    put(text_of(compiled, emit or "", objects.target_of(kernel)), output)


def put_object(policy: ir.Policy, output: Path, profile: Profile | None) -> None:
    """Compile `policy` and write the object to `output`.

    Raises:
        CliError: it cannot be compiled, or the file cannot be written.
    """
    with TemporaryDirectory(prefix="cpol-") as scratch:
        built = Path(scratch) / f"{policy.name}{objects.SUFFIX}"
        with errors_shown():
            objects.write(policy, built, profile)
        content = built.read_bytes()
    put(content, output)
    where = "standard output" if output == STDOUT else output
    say(f"{where}: {policy.name}, {len(content):,} bytes")


def check_object(path: str, profile: Profile | None, alone: bool) -> None:
    """Check a compiled object against the interface in a profile."""
    if profile is None or not alone:
        raise click.UsageError("an object is compiled already; --profile NAME alone holds it against an interface")
    if profile.interface is None:
        raise CliError(f"the profile {profile.name} describes no interface: its kernel checks objects itself")
    objects.verify_abi(Path(path), profile)
    say(f"{path}: keeps to the interface of {profile.name}")


def text_of(compiled: Compilation, emit: str, target: Target) -> str:
    """The text of the stage that `--emit` names."""
    if emit == "ast":
        return dump_ast(compiled)
    return dump_ir(compiled.policy) if emit == "ir" else c.generate(compiled.policy, target)
