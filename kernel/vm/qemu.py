"""QEMU's command line for one machine."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cpol.kernel.vm.disk import Disk, quote
from cpol.kernel.vm.errors import VmError

PROGRAM = "qemu-system-x86_64"

EMULATED = "max,-erms,-fsrm,-cx16"
"""Without fast string instructions, kernels copy by plain moves. That is twice as fast here: QEMU 7.2 executes
`rep movsb` and `rep stosb` byte by byte, and checks for interrupts after each byte.

Without `cmpxchg16b`, the slab allocator does by plain moves what it does, too. QEMU 7.2 sometimes executes that
instruction so that the kernel dies (docs/stock-kernel.md)."""

SAME_ADDRESSES = "norandmaps"
"""Each process has the addresses of the one before. QEMU 7.2 translates code anew for each address: with random ones a
shell's script spends most of its time on that (seven times as many blocks, half as much again of processor time)."""

ACCELERATION = {
    "kvm": ["-accel", "kvm", "-cpu", "host"],
    "tcg": ["-accel", "tcg,thread=single", "-cpu", EMULATED, "-icount", "shift=2"],
    "tcg-multi": ["-accel", "tcg,thread=multi", "-cpu", EMULATED],
    "icount": ["-accel", "tcg,thread=single", "-cpu", "max,-cx16", "-icount", "shift=0,sleep=off"],
}


@dataclass(frozen=True)
class Plumbing:
    """The host's ends of the machine: folders, the console's file, and pipes."""

    control: Path
    exchange: Path
    console: Path
    stdout: int
    stderr: int
    virtiofs: Mapping[str, int] | None = None
    """Descriptors of the virtiofs daemons' sockets, by tag; None: QEMU itself serves 9p."""


def program() -> str:
    """QEMU's path.

    Raises:
        VmError: it is not installed.
    """
    found = shutil.which(PROGRAM)
    if found is None:
        raise VmError(f"{PROGRAM} is not installed: run `make setup`")
    return found


def command_line(
    *,
    image: Path,
    accel: str,
    memory: str,
    cpus: int,
    disks: tuple[Disk, ...],
    plumbing: Plumbing,
    kernel_args: Sequence[str] = (),
    extra: Sequence[str] = (),
) -> list[str]:
    """QEMU's command line. The console goes to a file, the command's output through virtio ports to pipes.

    `extra` comes last. QEMU merges repeated -m, -smp and -machine, so these can override earlier ones.

    Raises:
        VmError: QEMU is not installed, or a temporary folder has a space in its name.
    """
    arguments = [
        *(program(), "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none"),
        *("-machine", "q35", *ACCELERATION[accel], "-smp", str(cpus), "-m", memory),
        *("-kernel", str(image), "-append", " ".join((kernel_arguments(plumbing), *kernel_args))),
        *("-chardev", f"file,id=console,path={quote(plumbing.console)}", "-serial", "chardev:console"),
        *("-device", "virtio-rng-pci"),
        *(_nine_p(plumbing) if plumbing.virtiofs is None else _virtiofs(plumbing.virtiofs, memory)),
        *("-device", "virtio-serial-pci"),
        *_port("cpol.stdout", plumbing.stdout),
        *_port("cpol.stderr", plumbing.stderr),
    ]
    for number, disk in enumerate(disks):
        arguments += disk.arguments(number)
    return [*arguments, *extra]


def kernel_arguments(plumbing: Plumbing) -> str:
    """The kernel's command line: the host's tree as the root, and the init of the control folder.

    Raises:
        VmError: the folder's name cannot be written there.
    """
    control = plumbing.control
    if any(character.isspace() or character == '"' for character in str(control)):
        raise VmError(
            f"the temporary folder {control} has a space or a quote in its name: set TMPDIR to another folder"
        )
    root = "root=/dev/root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=524288,access=any,cache=loose ro"
    if plumbing.virtiofs is not None:
        root = "root=root rootfstype=virtiofs ro cpol.shares=virtiofs"
    return f"{root} console=ttyS0 panic=-1 loglevel=5 {SAME_ADDRESSES} init={control}/init"


def _nine_p(plumbing: Plumbing) -> list[str]:
    return [
        *_share("/dev/root", Path("/"), readonly=True),
        *_share("control", plumbing.control),
        *_share("exchange", plumbing.exchange),
    ]


def _virtiofs(sockets: Mapping[str, int], memory: str) -> list[str]:
    """Arguments for virtiofs. Daemons map the guest's memory, which is node 0, so that `extra` can add other nodes."""
    arguments = ["-object", f"memory-backend-memfd,id=memory,size={memory},share=on"]
    arguments += ["-numa", "node,nodeid=0,memdev=memory"]
    for tag, socket in sockets.items():
        arguments += ["-chardev", f"socket,id=share-{tag},fd={socket}"]
        arguments += ["-device", f"vhost-user-fs-pci,chardev=share-{tag},tag={tag}"]
    return arguments


def _share(tag: str, folder: Path, *, readonly: bool = False) -> list[str]:
    name = tag.rpartition("/")[2]
    access = ",readonly=on" if readonly else ""
    return [
        *("-fsdev", f"local,id={name},path={quote(folder)},security_model=none,multidevs=remap{access}"),
        *("-device", f"virtio-9p-pci,fsdev={name},mount_tag={tag}"),
    ]


def _port(name: str, descriptor: int) -> list[str]:
    return [
        *("-chardev", f"file,id={name},path=/proc/self/fd/{descriptor}"),
        *("-device", f"virtserialport,chardev={name},name={name}"),
    ]
