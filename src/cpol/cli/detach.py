"""`cpolc detach`: detach the policy of a cgroup."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader
from cpol.cli.once import Once
from cpol.cli.prefetch_option import prefetch_option
from cpol.runtime.operate.loader.options import policy_words


@click.command(name="detach", cls=Once)
@click.argument("cgroup", required=False)
@click.option("--id", "cgroup_id", type=click.IntRange(min=1), help="The id of the cgroup, also of a removed one.")
@click.option("--gone", is_flag=True, help="Detach the policies of all cgroups that were removed.")
@prefetch_option
def command(cgroup: str | None, cgroup_id: int | None, gone: bool, prefetch: bool) -> None:
    """Detach the policies of CGROUP. Folios go back to the kernel's own lists.

    A cgroup may have one policy that evicts and one that prefetches: both are detached, or with
    --prefetch only the latter.
    """
    if (cgroup is not None) + (cgroup_id is not None) + gone != 1:
        raise click.UsageError("name the cgroup by its path, or by --id, or give --gone")
    if gone and prefetch:
        raise click.UsageError("--gone detaches all policies; leave out --prefetch")
    if gone:
        run_loader("detach", "--gone")
    else:
        run_loader(
            "detach", *policy_words(prefetch), *(["--", cgroup] if cgroup is not None else ["--id", str(cgroup_id)])
        )
