"""Kernel profiles on the command line: by name, by path, or for the running kernel."""

from __future__ import annotations

from pathlib import Path

import click

import cpol.kernel
from cpol.cli.diagnostics import show
from cpol.cli.errors import EXIT_FAILURE, CliError, UsageFailure
from cpol.compiler.analysis.profile import Profile, ProfileError, read_profile, refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.stages import Compilation

FOLDER = Path(next(iter(cpol.kernel.__path__))).resolve() / "profiles"
BTF = Path("/sys/kernel/btf")
DEFAULT = "patched-6.12"
DEFAULT_CAPACITY = 1 << 18
"""The default capacity in pages: 1 GiB."""


def profile_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


PROFILES = f"{', '.join(profile_names())}, or the path of a .toml file"
"""The accepted values of `--profile`."""

profile_option = click.option("--profile", metavar="NAME", help=f"Refuse what this kernel cannot carry: {PROFILES}.")


def load_profile(name: str) -> Profile:
    """Load a profile from kernel/profiles, or from a path.

    Raises:
        UsageFailure: there is no such profile.
        CliError: the file is not a profile.
    """
    if name in profile_names():
        path = FOLDER / f"{name}.toml"
    elif "/" in name or name.endswith(".toml"):
        path = Path(name)
    else:
        raise UsageFailure(f"there is no kernel profile `{name}`; --profile takes {PROFILES}")
    try:
        return read_profile(path)
    except ProfileError as error:
        raise CliError(str(error)) from None


def running_profile() -> Profile | None:
    """The profile of the running kernel, by names in its BTF. None if no profile fits or BTF is unreadable."""
    known = b""
    try:
        for path in sorted(BTF.iterdir()):
            if path.name in ("vmlinux", "cache_ext"):
                known += path.read_bytes()
    except OSError:
        return None
    fitting = [profile for profile in map(load_profile, profile_names()) if profile.detect]
    fitting = [p for p in fitting if all(b"\0" + name.encode() + b"\0" in known for name in p.detect)]
    return max(fitting, key=lambda profile: len(profile.detect), default=None)


def refuse(compiled: Compilation, profile: Profile, setting: Setting | None = None) -> None:
    """End the command if the kernel cannot carry the policy, after printing every reason.

    Without a setting, it checks only what no capacity can change.

    Raises:
        click.exceptions.Exit: the kernel cannot carry the policy.
    """
    policy = compiled.policy
    found = refusals(policy, profile, setting or Setting.of(policy, 1))
    if found:
        show(refusal.diagnostic(compiled.source, profile.name) for refusal in found)
        raise click.exceptions.Exit(EXIT_FAILURE)
