"""`cpolc attach`: attach a policy to a cgroup, or replace its policy."""

from __future__ import annotations

import click

from cpol.cli import objects


@click.command(name="attach")
@click.argument("policy")
@click.argument("cgroup")
@objects.attach_options
def command(
    policy: str,
    cgroup: str,
    settings: tuple[str, ...],
    inputs: tuple[str, ...],
    input_group: str | None,
    replace: bool,
    profile: str | None,
) -> None:
    """Attach POLICY to CGROUP, a folder under /sys/fs/cgroup. It stays until `cpolc detach`.

    POLICY is a stdlib name, a path to a .cpol file, or an object that cpolc compiled (.bpf.o).

    With --replace, the kernel exchanges the policies in one step. If it cannot, its own reclaim
    governs for a moment in between; cpolc prints how long. If the new policy cannot be attached,
    the old one stays or is attached again.
    """
    objects.attach(policy, cgroup, objects.AttachOptions(settings, inputs, input_group, replace, profile))
