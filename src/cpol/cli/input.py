"""`cpolc input`: shows and changes the inputs of an attached policy."""

from __future__ import annotations

import click

from cpol.cli.loader_process import run_loader
from cpol.cli.once import Once
from cpol.cli.prefetch_option import prefetch_option
from cpol.runtime.operate.loader.options import policy_words

ACTIONS = ("list", "add", "remove", "clear", "load")


@click.command(name="input", cls=Once)
@click.argument("cgroup")
@click.argument("name", required=False)
@click.argument("action", required=False, type=click.Choice(ACTIONS))
@click.argument("values", nargs=-1, metavar="[VALUE]...")
@click.option("--format", "form", type=click.Choice(("text", "binary")), help="What the file to load is.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@prefetch_option
def command(
    cgroup: str,
    name: str | None,
    action: str | None,
    values: tuple[str, ...],
    form: str | None,
    as_json: bool,
    prefetch: bool,
) -> None:
    """Show or change the inputs of the policy of CGROUP.

    \b
    cpolc input CGROUP                          the inputs and their sizes
    cpolc input CGROUP NAME list [VALUE]...     the content; with VALUEs, those of them that it has
    cpolc input CGROUP NAME add VALUE...        all of the values, or none
    cpolc input CGROUP NAME remove VALUE...
    cpolc input CGROUP NAME clear
    cpolc input CGROUP NAME load FILE           all entries of an array at once

    \b
    A VALUE of an input of
      threads, processes   is a number (of the initial pid namespace);
      commands             is a name of up to 15 bytes, as ps shows it: rsync;
      files                is a path; a folder means all files in it, links are not followed;
      pages                is PATH:FIRST..LAST, pages from 0, both included;
      devices              is MAJOR:MINOR, the path of a mounted block device, or any path in its file system;
      cgroups              is a path, and means that cgroup without those below it.
    For a map, write VALUE=CONTENT. For a deleted file, write id:HEX as `list` prints it.

    The FILE of an array is text with a number on each line, or has the entries as they lie in memory, little-endian;
    --format says which, if it does not look like what it is. Entries that it lacks become 0. `list` shows those that
    are not 0, or those with the indices that you name.
    """
    if name is not None and action is None:
        raise click.UsageError(f"say what to do with {name}: {', '.join(ACTIONS)}")
    if action in ("add", "remove") and not values:
        raise click.UsageError(f"{action} what? Name at least one value")
    if action == "clear" and values:
        raise click.UsageError("clear removes all: it goes without values")
    if action == "load" and len(values) != 1:
        raise click.UsageError("load takes one file")
    if form is not None and action != "load":
        raise click.UsageError("--format goes with load")
    words = [word for word in (name, action) if word is not None]
    options = (["--json"] if as_json else []) + (["--format", form] if form is not None else [])
    run_loader("input", *policy_words(prefetch), *options, "--", cgroup, *words, *values)
