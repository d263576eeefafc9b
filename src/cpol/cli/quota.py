"""`cpolc quota`: limit what a cgroup caches, by a policy."""

from __future__ import annotations

from typing import Any

import click

from cpol.cli import objects
from cpol.cli.once import Once
from cpol.errors import RequestError
from cpol.runtime.operate.loader.options import AttachOptions
from cpol.runtime.operate.quota import OWN, pages_of, param_of, sets


@click.command(name="quota", cls=Once)
@click.argument("cgroup")
@click.argument("size")
@click.option("--policy", metavar="POLICY", default=OWN, help="Evict as this policy does.  [default: LRU]")
@objects.attach_options
def command(
    cgroup: str,
    size: str,
    policy: str,
    settings: tuple[str, ...],
    inputs: tuple[str, ...],
    input_group: str | None,
    profile: str | None,
    **options: Any,
) -> None:
    """Let CGROUP cache no more than SIZE: 200M, 2G, or a number of pages.

    It attaches a policy with this quota (`cache up to`). What is over goes soon, in a worker of the
    kernel: no reader waits for it. Nothing else is limited: neither other memory, nor other cgroups.

    \b
    cpolc quota /sys/fs/cgroup/app 200M
    cpolc quota /sys/fs/cgroup/app 200M --policy s3fifo
    cpolc set /sys/fs/cgroup/app limit=25600              another quota, while it is attached, in pages
    cpolc set /sys/fs/cgroup/app quota_pages=25600        the same with --policy
    cpolc detach /sys/fs/cgroup/app
    """
    pages = pages_of(size)
    param = param_of(policy)
    if any(sets(setting, param) for setting in settings):
        raise RequestError(f"SIZE sets {param}; leave out --set {param}=…")
    how = AttachOptions((f"{param}={pages}", *settings), inputs, input_group, profile=profile, **options)
    objects.attach(policy, cgroup, how, None if policy == OWN else pages)
