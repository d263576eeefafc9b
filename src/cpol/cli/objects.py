"""BPF objects for commands: compiled or cached, and passed to the loader."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from cpol.cli.diagnostics import show
from cpol.cli.errors import EXIT_FAILURE, CliError
from cpol.cli.loader_process import run_loader
from cpol.cli.policy import compilation
from cpol.cli.profiles import load_profile, profile_option, refuse, running_profile
from cpol.compiler import ir
from cpol.compiler.analysis.abi_check import find_violations
from cpol.compiler.analysis.cost.object import read_object
from cpol.compiler.analysis.cost.stack import deepest_call, stack
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.backend import bpf
from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.clang import clang, identity, llvm
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import ToolError
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, Target

SUFFIX = ".bpf.o"
KIND = "bpf"
"""The kind of entry in the cache."""


def write(policy: ir.Policy, out: Path, profile: Profile | None = None) -> None:
    """Compile `policy` to the file `out`, for the interface in `profile`.

    Raises:
        CliError: it cannot be compiled or violates the interface; `out` is then invalid.
        click.exceptions.Exit: it needs too much stack; the error has been printed.
    """
    try:
        bpf.compile_policy(policy, out, target_of(profile))
        check_stack(policy, out)
    except bpf.StackError as error:
        show([error.diagnostic])
        raise click.exceptions.Exit(EXIT_FAILURE) from None
    except ToolError as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"cannot write {out}: {error.strerror}") from None
    if profile is not None and profile.interface is not None:
        verify_abi(out, profile)


def check_stack(policy: ir.Policy, path: Path) -> None:
    """Check the stack of each program together with what it calls. Clang checks each function alone.

    Raises:
        StackError: it exceeds what a BPF program has.
        OSError: the object at `path` cannot be read.
    """
    found = read_object(path)
    for function in found.functions.values():
        needed = stack(function, found) if function.member else 0
        if needed > bpf.STACK_BYTES:
            raise bpf.stack_error(policy, deepest_call(function, found), function.member, needed)


def verify_abi(path: Path, profile: Profile) -> None:
    """Check an object against the interface in `profile`.

    Raises:
        CliError: the object violates the interface, or cannot be read; the message names each place.
    """
    try:
        found = find_violations(path, profile)
    except ToolError as error:
        raise CliError(str(error)) from None
    if found:
        raise CliError("\n".join(f"{path}: {violation}" for violation in found))


@contextmanager
def object_of(policy: str, profile: Profile | None = None) -> Iterator[Path]:
    """The object of POLICY: itself if it is an object, or else from the cache or compiled now.

    Raises:
        CliError: there is no such policy, or it cannot be compiled.
        click.exceptions.Exit: it has errors, or the kernel of `profile` cannot carry it; they have been printed.
    """
    if policy.endswith(SUFFIX):
        if not Path(policy).is_file():
            raise CliError(f"no such object: {policy}")
        yield Path(policy)
        return
    compiled = compilation(policy)
    if profile is not None:
        refuse(compiled, profile)
    with object_for(compiled.policy, profile) as path:
        yield path


@contextmanager
def object_for(policy: ir.Policy, profile: Profile | None = None) -> Iterator[Path]:
    """The object of a policy, from the cache or compiled now. The profile must be able to carry it.

    Raises:
        CliError: it cannot be compiled.
    """
    try:
        name = f"{key(policy, target_of(profile))}{SUFFIX}"
        cached = cache.find(KIND, name)
    except ToolError as error:
        raise CliError(str(error)) from None
    if cached is not None:
        if profile is not None and profile.interface is not None:
            verify_abi(cached, profile)
        yield cached
        return
    with TemporaryDirectory(prefix="cpol-") as scratch:
        path = Path(scratch) / f"{policy.name}{SUFFIX}"
        write(policy, path, profile)
        with suppress(ToolError):  # an unwritable cache only means that the next run compiles again
            cache.make(KIND, name, lambda target: target.write_bytes(path.read_bytes()))
        yield path


def target_of(profile: Profile | None) -> Target:
    return CACHE_EXT_TARGET if profile is None else profile.target


def key(policy: ir.Policy, target: Target = CACHE_EXT_TARGET) -> str:
    """A hash of all inputs of an object: the policy, cpol's own files, the interface and the
    compiler.

    Raises:
        ToolError: there is no compiler.
    """
    parts = [Path(policy.path).read_bytes() if Path(policy.path).is_file() else b"", repr(policy).encode()]
    parts.append(repr(target).encode())
    parts += [path.read_bytes() for path in sorted((INCLUDE / "cpol").glob("*.h"))]
    parts += [
        path.read_bytes() for path in sorted(Path(bpf.__file__).parent.rglob("*")) if path.suffix in {".py", ".j2"}
    ]
    parts += [identity(tool).encode() for tool in (clang(), llvm("llvm-strip"))]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]


@dataclass(frozen=True)
class AttachOptions:
    """Options of an attach."""

    settings: tuple[str, ...] = ()
    """`name=value` for each param."""
    inputs: tuple[str, ...] = ()
    """`name=value,value,…` for each input: its initial keys."""
    input_group: str | None = None
    """The group that may change the inputs, besides root."""
    replace: bool = False
    """Replace the policy of the cgroup, if it has one."""
    dry_run: bool = False
    """Load the object into the kernel, as the attach would, and attach nothing."""
    tag: str | None = None
    """Who or what attaches it, for `cpolc list --json`: letters, digits and `:._-`."""
    profile: str | None = None
    """The kernel profile to check against; None: that of the running kernel, if one fits."""

    def words(self) -> list[str]:
        """The options as arguments of the loader."""
        result = [word for setting in self.settings for word in ("--set", setting)]
        result += [word for setting in self.inputs for word in ("--input", setting)]
        if self.input_group is not None:
            result += ["--input-group", self.input_group]
        if self.tag is not None:
            result += ["--tag", self.tag]
        return [*result, *(["--replace"] if self.replace else []), *(["--dry-run"] if self.dry_run else [])]


def attach_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `AttachOptions` to a command, under the names of its fields."""
    for option in (
        profile_option,
        click.option(
            "--dry-run", is_flag=True, help="Only load it into the kernel, as the attach would; attach nothing."
        ),
        click.option("--replace", is_flag=True, help="Replace the policy that the cgroup has, if it has one."),
        click.option("--input-group", metavar="GROUP", help="Let this group change the policy's inputs."),
        click.option(
            "--input", "inputs", multiple=True, metavar="NAME=VALUE,...", help="Fill an input (may be repeated)."
        ),
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a param (may be repeated)."),
    ):
        command = option(command)
    return command


def attach(policy: str, cgroup: str, options: AttachOptions) -> None:
    """Compile POLICY if necessary, and attach it."""
    profile = running_profile() if options.profile is None else load_profile(options.profile)
    with object_of(policy, profile) as path:
        run_loader("attach", *options.words(), "--", str(path), cgroup)
