"""`cpolc attach`: attach a policy to a cgroup."""

from __future__ import annotations

import click

from cpol.cli import objects


@click.command(name="attach")
@click.argument("policy")
@click.argument("cgroup")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a param (may be repeated).")
def command(policy: str, cgroup: str, settings: tuple[str, ...]) -> None:
    """Attach POLICY to CGROUP, a folder under /sys/fs/cgroup. It stays until `cpolc detach`.

    POLICY is a stdlib name, a path to a .cpol file, or an object that cpolc compiled (.bpf.o).
    """
    objects.attach(policy, cgroup, settings)
