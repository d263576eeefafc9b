"""`cpolc uncached`: run a command whose reads and writes do not stay in the page cache."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from cpol.cli import objects
from cpol.cli.errors import CliError
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.profiles import kernel_of, profile_option
from cpol.runtime.operate.loader.options import AttachOptions
from cpol.runtime.operate.uncached.cgroup import made, parent_of, sweep
from cpol.runtime.operate.uncached.run import EndedError, Signals, held_by, run, settle


@click.command(name="uncached", cls=Once)
@click.argument("place", metavar="DEVICE|DIRECTORY")
@click.argument("words", metavar="-- COMMAND…", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--cgroup", metavar="CGROUP", help="Run it in a new cgroup below this one.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a param of stdlib/uncached (may be repeated)."
)
@profile_option
def command(
    place: str, words: tuple[str, ...], cgroup: str | None, settings: tuple[str, ...], profile: str | None
) -> None:
    """Run COMMAND without the page cache, for the file system of DEVICE or DIRECTORY.

    What COMMAND and its children read leaves the cache at once; what they write goes to the disk
    before the write returns. They run in a cgroup of their own, which the policy `uncached` governs
    as long as COMMAND runs. Nothing is left behind, however it ends; what it leaves running is killed.

    The exit code is that of COMMAND, or 128 + the signal that ended it.

    \b
    cpolc uncached /mnt/data -- fio job.fio
    cpolc uncached /dev/sdb1 --set waits=false -- dd if=/mnt/b/file of=/dev/null bs=1M

    What a mapping touches (mmap) stays in the cache, and so do pages that others use at that moment:
    `docs/uncached.md`.
    """
    program = shutil.which(words[0])
    if program is None:
        raise CliError(f"there is no program {words[0]} in PATH; name a program behind `--`")
    path = place_of(place)
    if os.geteuid() != 0:
        raise CliError("cpolc uncached needs root: it makes a cgroup and attaches a policy to it; run it with sudo")
    parent = parent_of(cgroup)
    sweep(parent, warn)
    chosen = kernel_of(profile)
    inputs = (f"devices={path}",)
    if not any(setting.startswith("leaves=") for setting in settings):
        settings += ("leaves=true",)  # the file system of a file does not change
    options = AttachOptions(settings, inputs).words()
    signals = Signals()
    try:
        with (
            objects.object_of("uncached", chosen) as loaded,
            signals.handled(),
            made(parent, warn) as folder,
            held_by(loaded, folder, options) as keeper,
        ):
            status = run(program, words, folder, keeper, signals)
            settle(folder, say)
    except EndedError as ended:
        raise click.exceptions.Exit(ended.code) from None
    raise click.exceptions.Exit(status)


def place_of(place: str) -> str:
    """The path of a device or directory, as the loader takes it.

    Raises:
        CliError: there is no such path, or it is neither.
    """
    path = Path(place).absolute()
    try:
        if not (path.is_dir() or path.is_block_device()):
            raise CliError(f"{place} is neither a block device nor a directory; name a mount point, or /dev/…")
    except OSError as error:
        raise CliError(f"cannot look at {place}: {error.strerror}") from None
    if "," in str(path):
        raise CliError(
            f"{path} has a comma in it, where the loader would split it; name a link to it without one, or another "
            "folder of that file system"
        )
    return str(path)  # the loader follows links


def warn(message: str) -> None:
    say(message, "warning")
