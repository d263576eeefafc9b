"""QEMU's command line for one machine."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cpol.kernel.vm.disk import Disk, quote
from cpol.kernel.vm.errors import VmError

EMULATED = "max,-erms,-fsrm,-cx16"
"""Without fast string instructions, kernels copy by plain moves. That is twice as fast here: QEMU 7.2 executes
`rep movsb` and `rep stosb` byte by byte, and checks for interrupts after each byte.

Without `cmpxchg16b`, the slab allocator does by plain moves what it does, too. QEMU 7.2 sometimes executes that
instruction so that the kernel dies (docs/stock-kernel.md)."""

SAME_ADDRESSES = "norandmaps"
"""Each process has the addresses of the one before. QEMU 7.2 translates code anew for each address: with random ones a
shell's script spends most of its time on that (seven times as many blocks, half as much again of processor time)."""

ACCELERATION = {
    "kvm": ["-accel", "kvm"],
    "tcg": ["-accel", "tcg,thread=single", "-icount", "shift=2"],
    "tcg-multi": ["-accel", "tcg,thread=multi"],
    "icount": ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off"],
}


@dataclass(frozen=True)
class Architecture:
    """What QEMU's command line says of a processor and its board."""

    program: str
    board: str
    console: str
    processors: Mapping[str, str]
    """By accelerator."""


ARCHITECTURES = {
    "x86_64": Architecture(
        "qemu-system-x86_64",
        "q35",
        "ttyS0",
        {"kvm": "host", "tcg": EMULATED, "tcg-multi": EMULATED, "icount": "max,-cx16"},
    ),
    # Pointer authentication with QEMU's own algorithm: the architecture's takes most of the time.
    "arm64": Architecture(
        "qemu-system-aarch64", "virt", "ttyAMA0", dict.fromkeys(("tcg", "tcg-multi", "icount"), "max,pauth-impdef=on")
    ),
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


def program(arch: str = "x86_64") -> str:
    """QEMU's path.

    Raises:
        VmError: it is not installed.
    """
    name = ARCHITECTURES[arch].program
    found = shutil.which(name)
    if found is None:
        raise VmError(
            f"{name} is not installed: run `{'make setup' if arch == 'x86_64' else 'scripts/apt-install arm64'}`"
        )
    return found


def command_line(
    *,
    image: Path,
    accel: str,
    memory: str,
    cpus: int,
    disks: tuple[Disk, ...],
    plumbing: Plumbing,
    arch: str = "x86_64",
    initrd: Path | None = None,
    kernel_args: Sequence[str] = (),
    extra: Sequence[str] = (),
) -> list[str]:
    """QEMU's command line. The console goes to a file, the command's output through virtio ports to pipes.

    `extra` comes last. QEMU merges repeated -m, -smp and -machine, so these can override earlier ones.

    Raises:
        VmError: QEMU is not installed, or a temporary folder has a quote in its name.
    """
    of = ARCHITECTURES[arch]
    root = ROOT_IN_MEMORY if initrd is not None else root_argument(plumbing)
    arguments = [
        *(program(arch), "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none"),
        *("-machine", of.board, *ACCELERATION[accel], "-cpu", of.processors[accel], "-smp", str(cpus), "-m", memory),
        *("-kernel", str(image), "-append", " ".join((root, f"console={of.console}", KERNEL_ARGUMENTS, *kernel_args))),
        *(() if initrd is None else ("-initrd", str(initrd))),
        *("-chardev", f"file,id=console,path={quote(plumbing.console)}", "-serial", "chardev:console"),
        *("-device", "virtio-rng-pci"),
        *(_nine_p(plumbing, initrd) if plumbing.virtiofs is None else _virtiofs(plumbing.virtiofs, memory)),
        *("-device", "virtio-serial-pci"),
        *_port("cpol.stdout", plumbing.stdout),
        *_port("cpol.stderr", plumbing.stderr),
    ]
    for number, disk in enumerate(disks):
        arguments += disk.arguments(number)
    return [*arguments, *extra]


KERNEL_ARGUMENTS = f"oops=panic panic=-1 loglevel=5 {SAME_ADDRESSES}"
"""After an oops nothing that the guest does is worth believing, so it dies."""

ROOT_IN_MEMORY = "cpol.root=memory"
"""The kernel starts /init of its initrd, which is a copy of guest/init."""


def root_argument(plumbing: Plumbing) -> str:
    """The kernel's arguments for the host's tree as the root, and the init of the control folder.

    Raises:
        VmError: the folder's name cannot be written there.
    """
    init = plumbing.control / "init"
    if '"' in str(init):
        raise VmError(f"the temporary folder {init.parent} has a quote in its name: set TMPDIR to another folder")
    root = "root=/dev/root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=524288,access=any,cache=loose ro"
    if plumbing.virtiofs is not None:
        root = "root=root rootfstype=virtiofs ro cpol.shares=virtiofs"
    return f'{root} init="{init}"'


def _nine_p(plumbing: Plumbing, initrd: Path | None) -> list[str]:
    return [
        *(_share("/dev/root", Path("/"), readonly=True) if initrd is None else ()),
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
