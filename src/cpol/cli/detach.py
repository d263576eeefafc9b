"""`cpolc detach`: detach the policy of a cgroup."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader


@click.command(name="detach")
@click.argument("cgroup", required=False)
@click.option("--id", "cgroup_id", type=click.IntRange(min=1), help="The id of the cgroup, also of a removed one.")
@click.option("--gone", is_flag=True, help="Detach the policies of all cgroups that were removed.")
def command(cgroup: str | None, cgroup_id: int | None, gone: bool) -> None:
    """Detach the policy of CGROUP. Its folios go back to the kernel's own lists."""
    if (cgroup is not None) + (cgroup_id is not None) + gone != 1:
        raise click.UsageError("name the cgroup by its path, or by --id, or give --gone")
    if gone:
        run_loader("detach", "--gone")
    else:
        run_loader("detach", *(["--", cgroup] if cgroup is not None else ["--id", str(cgroup_id)]))
