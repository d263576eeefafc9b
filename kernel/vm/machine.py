"""Run one command in a virtual machine: start QEMU, copy the output, wait for the end, leave nothing behind.

The host's tree is the guest's root, read-only, under a layer in memory. To keep files, the command writes them to the
exchange folder ($CPOL_EXCHANGE, which is /run/cpol/exchange in the guest). The guest's side is guest/init.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from cpol.kernel.vm import accel
from cpol.kernel.vm.disk import Disk
from cpol.kernel.vm.errors import VmBootError, VmError, VmInterrupted, VmTimeout
from cpol.kernel.vm.image import find_image, modules_beside, speaks_9p
from cpol.kernel.vm.qemu import Plumbing, command_line
from cpol.kernel.vm.share import Share, said, served
from cpol.kernel.vm.starved import Nudge, nudging
from cpol.signals import handled

GUEST_INIT = Path(__file__).resolve().parent / "guest" / "init"
GUEST_EXCHANGE = "/run/cpol/exchange"
GUEST_OWN = ("/dev", "/proc", "/run", "/sys")
"""What guest/init mounts over the host's folders."""
BOOT_SECONDS = 180
"""The time limit from a guest's start to the command's. Under emulation on a busy host, a boot took up to 16 s."""
BOOT_ATTEMPTS = 3
"""A fault of QEMU may kill a guest while it boots (accel.py). The command has not begun then, so booting again is safe.
The runner reports it with the console, and a kernel that never boots still fails."""
CONSOLE_LINES = 30
CONSOLE_MOST = 80
_COMPLAINT = re.compile(r"BUG:|Oops|Kernel panic|WARNING:|INFO: ")
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Sink = Callable[[bytes], object]
"""Receives pieces of output."""


@dataclass(frozen=True)
class Machine:
    """A machine to boot."""

    kernel: Path | None = None
    """A bzImage, or a folder that has one; None: the patched kernel."""
    arch: str = "x86_64"
    """One of qemu.ARCHITECTURES."""
    initrd: Path | None = None
    """The root, in place of the host's tree: its /init is a copy of GUEST_INIT, and the command starts in /."""
    memory: str = "2G"
    """As QEMU's -m takes it."""
    cpus: int = 2
    disks: tuple[Disk, ...] = ()
    exchange: Path | None = None
    """The writable folder; None: a temporary one."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of the command, beside PATH, HOME and a few more."""
    accel: str = "auto"
    """One of accel.CHOICES."""
    qemu_args: tuple[str, ...] = ()
    """Arguments appended to QEMU's command line."""
    kernel_args: tuple[str, ...] = ()
    """Words appended to the kernel's command line."""
    boot_seconds: float = BOOT_SECONDS


def run(
    command: Sequence[str],
    machine: Machine | None = None,
    *,
    stdout: Sink | None = None,
    stderr: Sink | None = None,
    directory: Path | None = None,
    timeout: float | None = None,
) -> int:
    """Run `command` in a machine of its own, and return its exit code.

    Args:
        stdout, stderr: receive the output; None: this process's own.
        directory: where the command starts; None: the current one.
        timeout: seconds for boot and command; None: no limit.

    Raises:
        VmTimeout: it took longer than `timeout`.
        VmInterrupted: this process received SIGINT, SIGTERM or SIGHUP meanwhile.
        VmError: the machine did not start or boot, or died.
    """
    machine = machine or Machine()
    image = find_image(machine.kernel)
    chosen = accel.choose(machine.accel, lambda: _runs_with_kvm(image)) if machine.arch == "x86_64" else "tcg"
    for disk in machine.disks:
        if not disk.path.is_file():
            raise VmError(f"no disk image at {disk.path}")
    report = stderr or _to(sys.stderr.fileno())
    for attempt in range(BOOT_ATTEMPTS, 0, -1):
        try:
            return _run_once(
                command, machine, image, chosen, stdout or _to(sys.stdout.fileno()), report, directory, timeout
            )
        except VmBootError as error:
            if attempt == 1:
                raise
            report(f"cpolc: {error}\ncpolc: the command had not started; booting again\n".encode())
    raise AssertionError


def _run_once(
    command: Sequence[str],
    machine: Machine,
    image: Path,
    chosen: str,
    stdout: Sink,
    stderr: Sink,
    directory: Path | None,
    timeout: float | None,
) -> int:
    with ExitStack() as stack:
        stack.enter_context(_signals_as_errors())
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cpol-vm-"))).resolve()
        files = write_control(
            scratch, machine, command, directory or Path.cwd() if machine.initrd is None else Path("/")
        )
        nudge = stack.enter_context(nudging(chosen, machine.cpus))
        pumps = [
            stack.enter_context(_pump(stdout, nudge)),
            stack.enter_context(_pump(stderr, nudge)),
        ]
        exchange = machine.exchange or scratch / "exchange"
        sockets = None
        if machine.initrd is None and not speaks_9p(image):
            root = Share("root", Path("/"), readonly=True, modules=modules_beside(image))
            shares = [root, Share("control", files), Share("exchange", exchange)]
            sockets = stack.enter_context(served(shares, scratch))
        plumbing = Plumbing(files, exchange, scratch / "console", pumps[0], pumps[1], sockets)
        arguments = command_line(
            image=image,
            accel=chosen,
            memory=machine.memory,
            cpus=machine.cpus,
            disks=machine.disks,
            plumbing=plumbing,
            arch=machine.arch,
            initrd=machine.initrd,
            kernel_args=machine.kernel_args,
            extra=(*(nudge.arguments if nudge else ()), *machine.qemu_args),
        )
        keep = [*pumps, *(sockets or {}).values(), *([nudge.descriptor] if nudge else ())]
        with _process(arguments, scratch / "qemu", keep) as qemu:
            _wait(qemu, plumbing, scratch / "qemu", machine.boot_seconds, timeout, nudge)
        return _exit_code(plumbing, scratch / "qemu")


def write_control(scratch: Path, machine: Machine, command: Sequence[str], directory: Path) -> Path:
    """Write the files that the guest's init reads. The command's arguments are quoted, so no shell splits them.

    All are bytes to the guest, as to this host's kernel, so they need not be text.

    Raises:
        VmError: there is no command, a variable has no valid name, or the guest does not see the folder.
    """
    if not command:
        raise VmError("no command to run")
    directory = directory.resolve()
    for own in GUEST_OWN:
        if directory.is_relative_to(own):
            raise VmError(f"the guest has its own {own} and does not see {directory}: start from another folder")
    control = scratch / "control"
    control.mkdir()
    (scratch / "exchange").mkdir()
    shutil.copy(GUEST_INIT, control / "init")
    (control / "init").chmod(0o755)
    (control / "command").write_bytes(os.fsencode(f"exec {shlex.join(command)}\n"))
    (control / "directory").write_bytes(os.fsencode(f"{directory}\n"))
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "CPOL_VM": "1",
        "CPOL_EXCHANGE": GUEST_EXCHANGE,
        **machine.environment,
    }
    for name in environment:
        if not _ENVIRONMENT_NAME.fullmatch(name):
            raise VmError(f"`{name}` is not a valid name of an environment variable")
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in environment.items()]
    (control / "environment").write_bytes(os.fsencode("".join(lines)))
    return control


@contextmanager
def _signals_as_errors() -> Iterator[None]:
    """Turn the signals that mean "stop" into an exception, so that all cleanup runs. Works in a main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        raise VmInterrupted(number)

    with handled((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), stop):
        yield


@contextmanager
def _pump(sink: Sink, nudge: Nudge | None) -> Iterator[int]:
    """Yield the writing end of a pipe, and copy what comes out to `sink`. The exit waits for the last output."""
    reading, writing = os.pipe()

    def carry() -> None:
        while chunk := os.read(reading, 1 << 16):
            sink(chunk)
            if nudge is not None:
                nudge.heard()

    thread = threading.Thread(target=carry, daemon=True)
    thread.start()
    try:
        yield writing
    finally:
        os.close(writing)
        thread.join()
        os.close(reading)


def _to(descriptor: int) -> Sink:
    def write(chunk: bytes) -> None:
        view = memoryview(chunk)
        while view:
            view = view[os.write(descriptor, view) :]

    return write


@contextmanager
def _process(arguments: list[str], log: Path, keep: list[int]) -> Iterator[subprocess.Popen[bytes]]:
    """Run QEMU in a process group of its own. It ends on exit from the context, or when this process is killed."""
    with log.open("wb") as messages:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "SIGKILL", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            pass_fds=keep,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait(
    qemu: subprocess.Popen[bytes],
    plumbing: Plumbing,
    log: Path,
    boot_seconds: float,
    timeout: float | None,
    nudge: Nudge | None,
) -> None:
    """Wait for QEMU's end.

    Raises:
        VmTimeout: the time limit passed.
        VmError: the guest did not boot in time, or dies under KVM.
    """
    begun = time.monotonic()
    while True:
        try:
            qemu.wait(0.1)
        except subprocess.TimeoutExpired:
            pass
        else:
            return
        if nudge is not None:
            nudge.look()
        elapsed = time.monotonic() - begun
        if timeout is not None and elapsed > timeout:
            raise VmTimeout(f"the command had not ended after {timeout:g} s; the machine was ended{_last(plumbing)}")
        if "KVM internal error" in log.read_text(errors="replace"):
            raise VmError("guests die under this host's KVM: use --accel tcg")
        if elapsed > boot_seconds and not (plumbing.control / "started").exists():
            raise VmError(f"the guest did not boot within {boot_seconds:g} s{_last(plumbing)}")


def _exit_code(plumbing: Plumbing, log: Path) -> int:
    """The command's exit code, after QEMU's end.

    Raises:
        VmBootError: the guest died before the command began.
        VmError: the guest was not set up or died, or QEMU failed.
    """
    code = plumbing.control / "exit-code"
    if code.exists():
        return int(code.read_text())
    error = plumbing.control / "error"
    if error.exists():
        raise VmError(f"cannot set up the guest: {error.read_text().strip()}{_last(plumbing)}")
    messages = log.read_text(errors="replace").strip()
    if messages:
        raise VmError(f"QEMU failed: {messages}{_last(plumbing)}")
    if not (plumbing.control / "started").exists():
        raise VmBootError(f"the guest died during its boot{_last(plumbing)}")
    raise VmError(f"the guest died while the command ran{_last(plumbing)}")


def _last(plumbing: Plumbing) -> str:
    """What virtiofsd said, and the console's last lines, from the kernel's first error on: the end of a message."""
    daemons = said(plumbing.console.parent)
    if not plumbing.console.exists():
        return daemons
    lines = plumbing.console.read_text(errors="replace").splitlines()
    first = next((number for number, line in enumerate(lines) if _COMPLAINT.search(line)), len(lines))
    lines = lines[min(first, max(0, len(lines) - CONSOLE_LINES)) :][:CONSOLE_MOST]
    return daemons + ("; its console's last lines:\n" + "\n".join(f"    {line}" for line in lines) if lines else "")


def _runs_with_kvm(image: Path) -> bool:
    """Boot a guest with KVM, and return whether it runs."""
    probe = Machine(kernel=image, memory="512M", cpus=1, accel="kvm", boot_seconds=30)
    try:
        return run(["true"], probe, stdout=len, stderr=len, directory=Path("/"), timeout=30) == 0
    except VmInterrupted:
        raise
    except VmError:
        return False
