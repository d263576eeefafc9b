"""`cpolc stat`: shows the kernel's statistics of a policy."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader
from cpol.cli.once import Once
from cpol.cli.prefetch_option import prefetch_option
from cpol.runtime.operate.loader.options import policy_words


@click.command(name="stat", cls=Once)
@click.argument("cgroup", required=False)
@click.option("--id", "cgroup_id", type=click.IntRange(min=1), help="The id of the cgroup.")
@click.option("--all", "every", is_flag=True, help="Print all policies as a JSON array.")
@click.option("--state", is_flag=True, help="Show what the policy holds: lists, ghosts, states, tables.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@prefetch_option
def command(cgroup: str | None, cgroup_id: int | None, every: bool, state: bool, as_json: bool, prefetch: bool) -> None:
    """Show what the policy of CGROUP has done: events, what it owns, what it evicted, what fell
    back to the kernel.

    Statistics that this kernel does not count are n/a (null in JSON). If the policy has ended, the
    command shows how: kind of exit, code and message. If the cgroup has one policy that evicts and
    one that prefetches, both are shown, in JSON as an array; --prefetch shows the latter only.

    With --state, the command shows what the policy holds now, under the names of `cpolc sim
    --state`. Of a table it prints the first 16 elements that differ from the initial value; --json
    has all elements.
    """
    if (cgroup is not None) + (cgroup_id is not None) + every != 1:
        raise click.UsageError("name the cgroup by its path, or by --id, or give --all")
    if every and (state or prefetch):
        raise click.UsageError(f"--{'state' if state else 'prefetch'} shows one policy; leave out --all")
    if every:
        run_loader("stat", "--all")
        return
    name = ["--", cgroup] if cgroup is not None else ["--id", str(cgroup_id)]
    options = [*policy_words(prefetch), *(["--state"] if state else []), *(["--json"] if as_json else [])]
    run_loader("stat", *options, *name)
