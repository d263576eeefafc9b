"""Objects of POLICY for commands, which the loader is passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cpol.cli.errors import CliError
from cpol.cli.loader_process import run_loader
from cpol.cli.policy import compile_with_quota, errors_shown, kept, named
from cpol.cli.profiles import kernel_of, profile_option, refuse
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.objects import SUFFIX, object_for
from cpol.errors import ToldError
from cpol.runtime.operate.loader.options import AttachOptions

if TYPE_CHECKING:
    from cpol.compiler.compiled import Compiled
    from cpol.compiler.stages import Compilation


@contextmanager
def object_of(policy: str, profile: Profile | None = None, quota: int | None = None) -> Iterator[Path]:
    """The object of POLICY: itself if it is an object, or else from the cache or compiled now.

    Args:
        quota: the pages of a quota that the policy gets, which its text does not have.

    Raises:
        CliError: there is no such policy, or it cannot be compiled.
        click.exceptions.Exit: it has errors, or the kernel of `profile` cannot carry it; they have been printed.
    """
    if policy.endswith(SUFFIX):
        if not Path(policy).is_file():
            raise CliError(f"no such object: {policy}")
        if quota is not None:
            raise CliError(f"{policy} is compiled already, so it can get no quota; name its .cpol file")
        yield Path(policy)
        return
    compiled = kept(policy) if quota is None else compile_with_quota(named(policy), quota)
    with compiled_object(compiled, profile) as path:
        yield path


@contextmanager
def compiled_object(compiled: Compiled | Compilation, profile: Profile | None = None) -> Iterator[Path]:
    """The object of a compilation, from the cache or compiled now. It raises as `object_of`."""
    if profile is not None:
        refuse(compiled, profile)
    with ExitStack() as stack:
        with errors_shown():
            path = stack.enter_context(object_for(compiled.policy, profile))
        yield path


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


def attach(policy: str, cgroup: str, options: AttachOptions, quota: int | None = None) -> None:
    """Compile POLICY if necessary, with a quota of so many pages if one is given, and attach it."""
    with object_of(policy, _profile(options), quota) as path:
        run_loader("attach", *options.words(), "--", str(path), cgroup)


def _profile(options: AttachOptions) -> Profile | None:
    return kernel_of(options.profile)


@contextmanager
def object_or_told(policy: str, quota: int | None, profile: Profile | None) -> Iterator[Path]:
    """As `object_of`, for the library, to which errors that were printed are errors like others.

    Raises:
        CliError: there is no such policy, or it cannot be compiled.
        ToldError: it has errors, or the kernel cannot carry it; they have been printed.
    """
    with ExitStack() as stack:
        try:
            path = stack.enter_context(object_of(policy, profile, quota))
        except click.exceptions.Exit:
            raise ToldError(f"the policy {policy} has errors") from None
        yield path
