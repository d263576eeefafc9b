"""Kernel profiles on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cpol.cli.diagnostics import show
from cpol.cli.errors import EXIT_FAILURE
from cpol.compiler.analysis.profile import Profile, refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.kernel import profiles

if TYPE_CHECKING:
    from cpol.compiler.compiled import Compiled
    from cpol.compiler.stages import Compilation

DEFAULT_CAPACITY = 1 << 18
"""The default capacity in pages: 1 GiB."""

profile_option = click.option(
    "--profile", metavar="NAME", help=f"Refuse what this kernel cannot carry: {profiles.accepted()}."
)


def kernel_of(name: str | None) -> Profile | None:
    """The profile that an attach to a kernel is for; by default that of the running kernel, if it is known.

    Raises:
        click.UsageError: it is that of a glue.
        RequestError, UserError: as `profiles.load`.
    """
    profile = profiles.running() if name is None else profiles.load(name)
    if profile is not None and profile.kind != "kernel":
        raise click.UsageError(f"--profile {name}: that is no kernel; you mean cpolc attach POLICY CGROUP --glue user")
    return profile


def refuse(compiled: Compiled | Compilation, profile: Profile, setting: Setting | None = None) -> None:
    """End the command if the kernel cannot carry the policy, after printing every reason.

    Without a setting, it checks only what no capacity can change.

    Raises:
        click.exceptions.Exit: the kernel cannot carry the policy.
    """
    policy = compiled.policy
    found = refusals(policy, profile, setting or Setting.of(policy, 1))
    if found:
        show(refusal.diagnostic(compiled.source, profile) for refusal in found)
        raise click.exceptions.Exit(EXIT_FAILURE)
