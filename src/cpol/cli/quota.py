"""`cpolc quota`: limit what a cgroup caches, by a policy."""

from __future__ import annotations

from typing import Any

import click

from cpol.cli import objects
from cpol.cli.once import Once
from cpol.cli.policy import compile_with_quota, named
from cpol.compiler.expand.quota import MAX_PAGES, PARAM
from cpol.errors import RequestError
from cpol.runtime.operate.loader.options import AttachOptions
from cpol.runtime.simulate.runs.capacity import read_capacity

OWN = "quota"
"""The policy of the standard library that has a quota of its own, and its param."""
LIMIT = "limit"


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
    param = LIMIT if policy == OWN else PARAM
    if any(setting.split("=")[0].strip() == param for setting in settings):
        raise RequestError(f"SIZE sets {param}; leave out --set {param}=…")
    how = AttachOptions((f"{param}={pages}", *settings), inputs, input_group, profile=profile, **options)
    if policy == OWN:
        objects.attach(policy, cgroup, how)
    else:
        objects.attach_compiled(compile_with_quota(named(policy), pages), cgroup, how)


def pages_of(size: str) -> int:
    """The pages of SIZE, at least one.

    Raises:
        RequestError: it is no size.
    """
    try:
        pages = read_capacity(size)
    except RequestError:
        pages = 0
    if not isinstance(pages, int) or not 1 <= pages <= MAX_PAGES:
        raise RequestError(f"{size} is no size of a quota: write 200M, 2G, or pages of 4 KiB, such as 51200")
    return pages
