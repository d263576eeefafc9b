"""`cpolc vm`: run a command on the cache_ext kernel, in a virtual machine."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cpol.cli.errors import EXIT_VM, EXIT_VM_TIMEOUT, CliError
from cpol.cli.numbers import FiniteRange
from cpol.cli.once import Commands
from cpol.errors import RequestError
from cpol.sizes import read_size

try:
    from cpol.kernel.vm.accel import CHOICES
    from cpol.kernel.vm.qemu import ARCHITECTURES
except ModuleNotFoundError:  # wheels do not contain kernel/vm
    needs = "`cpolc vm` needs a checkout of cpol, which builds the kernel: run it as .venv/bin/cpolc there"
    raise CliError(needs) from None


class VmFailure(CliError):
    """The exit code if the machine failed, not the command."""

    exit_code = EXIT_VM


class TimeOver(CliError):
    """The exit code if the command took too long."""

    exit_code = EXIT_VM_TIMEOUT


@click.group(cls=Commands)
def command() -> None:
    """Run a command in a VM with the cache_ext kernel."""


LEAST_MEMORY, MOST_MEMORY = 32 << 20, 1 << 42
"""Of a guest, in bytes."""


def _memory(text: str) -> str:
    """A size as QEMU takes it. A number without a unit is MiB, as it is for QEMU."""
    given = f"{text}M" if text.isascii() and text.isdecimal() else text
    try:
        return f"{read_size(given, LEAST_MEMORY, MOST_MEMORY) >> 10}K"
    except ValueError as error:
        raise RequestError(str(error), "--memory") from None


@command.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--memory", default="2G", show_default=True, help="The guest's memory.")
@click.option("--cpus", default=2, show_default=True, type=click.IntRange(min=1), help="The guest's processors.")
@click.option(
    "--kernel",
    metavar="KERNEL",
    help="A bzImage or a folder with one, or `stock` for Debian's own, instead of the patched kernel.",
)
@click.option(
    "--arch",
    type=click.Choice(tuple(ARCHITECTURES)),
    default="x86_64",
    show_default=True,
    help="The guest's processor.",
)
@click.option(
    "--initrd",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The guest's root, in place of this host's files; its /init is a copy of kernel/vm/guest/init.",
)
@click.option(
    "--disk",
    "disks",
    multiple=True,
    metavar="FILE[:bps=N][:iops=N][:ro]",
    help="A raw disk image, with limits per second; /dev/vda is the first.",
)
@click.option(
    "--exchange",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder for the guest's files, $CPOL_EXCHANGE in the guest.",
)
@click.option(
    "--env", "environment", multiple=True, metavar="NAME=VALUE", help="An environment variable of the command."
)
@click.option(
    "--accel",
    type=click.Choice(CHOICES),
    default="auto",
    show_default=True,
    help="KVM if a guest is known to run with it, otherwise emulation.",
)
@click.option(
    "--qemu-arg",
    "qemu_args",
    multiple=True,
    metavar="ARG",
    help="An argument appended to QEMU's command line: --qemu-arg=-smbios --qemu-arg=type=1,product=x.",
)
@click.option("--timeout", type=FiniteRange(min=0, min_open=True), help="Time limit in seconds, including the boot.")
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...")
def run(
    memory: str,
    cpus: int,
    kernel: str | None,
    arch: str,
    initrd: Path | None,
    disks: tuple[str, ...],
    exchange: Path | None,
    environment: tuple[str, ...],
    accel: str,
    qemu_args: tuple[str, ...],
    timeout: float | None,
    words: tuple[str, ...],
) -> None:
    """Run COMMAND in a VM and end with its exit code.

    The guest runs COMMAND as root in the current folder. It sees this host's files read-only, under
    a layer in memory, and has cgroup2, bpffs and debugfs mounted. Standard input is empty. Files
    that COMMAND writes to $CPOL_EXCHANGE stay after the run.

    \b
    Exit codes of this command itself: 124 timeout, 125 the machine failed.
    """
    from cpol.kernel.vm import Disk, Machine, VmError, VmInterrupted, VmTimeout
    from cpol.kernel.vm import run as run_in_vm
    from cpol.kernel.vm.image import named

    try:
        machine = Machine(
            kernel=named(kernel) if kernel is not None else None,
            arch=arch,
            initrd=initrd,
            memory=_memory(memory),
            cpus=cpus,
            disks=tuple(Disk.parse(disk) for disk in disks),
            exchange=exchange,
            environment=dict(_variable(text) for text in environment),
            accel=accel,
            qemu_args=qemu_args,
        )
        sys.stdout.flush()
        sys.exit(run_in_vm(words, machine, timeout=timeout))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    except VmInterrupted as error:
        sys.exit(128 + error.number)
    except VmTimeout as error:
        raise TimeOver(str(error)) from error
    except VmError as error:
        raise VmFailure(str(error)) from error


def _variable(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise ValueError(f"`{text}` sets no variable: write NAME=VALUE")
    return name, value
