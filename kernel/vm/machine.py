"""Run one command in a virtual machine: start QEMU, carry the output, watch for its end, leave nothing behind.

The host's tree is the guest's root, read-only, under a layer in memory; what the command wants to keep it writes to the
exchange folder (in the guest /run/cpol/exchange, also in CPOL_EXCHANGE). The guest's side is guest/init.
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
from cpol.kernel.vm.image import find_image, speaks_9p
from cpol.kernel.vm.qemu import Plumbing, command_line
from cpol.kernel.vm.share import Share, served

GUEST_INIT = Path(__file__).resolve().parent / "guest" / "init"
GUEST_EXCHANGE = "/run/cpol/exchange"
BOOT_SECONDS = 180
"""What a guest may take from its start to the command's; under emulation on a busy host 16 s were seen."""
BOOT_ATTEMPTS = 3
"""A guest may die of QEMU's own doing while it boots (accel.py). Nothing has begun then, so booting again is safe; it
is told, with the console, and a kernel that never boots still fails."""
CONSOLE_LINES = 30
CONSOLE_MOST = 80
_COMPLAINT = re.compile(r"BUG:|Oops|Kernel panic|WARNING:|INFO: ")
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Sink = Callable[[bytes], object]
"""Takes output as it comes."""


@dataclass(frozen=True)
class Machine:
    """What to boot and what it has."""

    kernel: Path | None = None
    """A bzImage or the folder with it; None: the patched kernel."""
    memory: str = "2G"
    cpus: int = 2
    disks: tuple[Disk, ...] = ()
    exchange: Path | None = None
    """The writable folder; None: one that goes away with the machine."""
    environment: Mapping[str, str] = field(default_factory=dict)
    accel: str = "auto"
    qemu_args: tuple[str, ...] = ()
    """Arguments appended to QEMU's command line."""
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
    """Run `command` in a machine of its own and give back its exit code.

    Raises:
        VmTimeout: it took longer than `timeout` seconds, boot included.
        VmInterrupted: this process got SIGINT, SIGTERM or SIGHUP meanwhile.
        VmError: the machine did not start or boot, or died.
    """
    machine = machine or Machine()
    image = find_image(machine.kernel)
    chosen = accel.choose(machine.accel, lambda: _runs_with_kvm(image))
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
            report(f"cpolc: {error}\ncpolc: the command had not begun; booting again\n".encode())
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
        files = _write_control(scratch, machine, command, directory or Path.cwd())
        pumps = [
            stack.enter_context(_pump(stdout)),
            stack.enter_context(_pump(stderr)),
        ]
        exchange = machine.exchange or scratch / "exchange"
        sockets = None
        if not speaks_9p(image):
            shares = [Share("root", Path("/"), readonly=True), Share("control", files), Share("exchange", exchange)]
            sockets = stack.enter_context(served(shares, scratch))
        plumbing = Plumbing(files, exchange, scratch / "console", pumps[0], pumps[1], sockets)
        arguments = command_line(
            image=image,
            accel=chosen,
            memory=machine.memory,
            cpus=machine.cpus,
            disks=machine.disks,
            plumbing=plumbing,
            extra=machine.qemu_args,
        )
        keep = [*pumps, *(sockets or {}).values()]
        with _process(arguments, scratch / "qemu", keep) as qemu:
            _wait(qemu, plumbing, scratch / "qemu", machine.boot_seconds, timeout)
        return _exit_code(plumbing, scratch / "qemu")


def _write_control(scratch: Path, machine: Machine, command: Sequence[str], directory: Path) -> Path:
    """Lay out what the guest's init reads. Arguments travel quoted in a file: no shell sees them unquoted."""
    if not command:
        raise VmError("no command to run")
    control = scratch / "control"
    control.mkdir()
    (scratch / "exchange").mkdir()
    shutil.copy(GUEST_INIT, control / "init")
    (control / "init").chmod(0o755)
    (control / "command").write_text(f"exec {shlex.join(command)}\n")
    (control / "directory").write_text(f"{directory.resolve()}\n")
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
            raise VmError(f"`{name}` cannot be the name of an environment variable")
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in environment.items()]
    (control / "environment").write_text("".join(lines))
    return control


@contextmanager
def _signals_as_errors() -> Iterator[None]:
    """Turn the signals that mean "stop" into an exception, so that every cleanup runs. Only a main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        raise VmInterrupted(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _pump(sink: Sink) -> Iterator[int]:
    """A pipe's writing end; what comes out at the other goes to `sink`. Leaving waits for the last of it."""
    reading, writing = os.pipe()

    def carry() -> None:
        while chunk := os.read(reading, 1 << 16):
            sink(chunk)

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
    """QEMU in a process group of its own, which is ended on leaving, and by the kernel if this process is killed."""
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
    qemu: subprocess.Popen[bytes], plumbing: Plumbing, log: Path, boot_seconds: float, timeout: float | None
) -> None:
    """Until QEMU has ended, or the time is over, or it is plain that nothing more will come."""
    begun = time.monotonic()
    while True:
        try:
            qemu.wait(0.1)
        except subprocess.TimeoutExpired:
            pass
        else:
            return
        elapsed = time.monotonic() - begun
        if timeout is not None and elapsed > timeout:
            raise VmTimeout(f"the command had not ended after {timeout:g} s; the machine was ended{_last(plumbing)}")
        if "KVM internal error" in log.read_text(errors="replace"):
            raise VmError("guests die under this host's KVM: use --accel tcg")
        if elapsed > boot_seconds and not (plumbing.control / "started").exists():
            raise VmError(f"the guest did not boot within {boot_seconds:g} s{_last(plumbing)}")


def _exit_code(plumbing: Plumbing, log: Path) -> int:
    """The command's exit code, once QEMU has ended."""
    code = plumbing.control / "exit-code"
    if code.exists():
        return int(code.read_text())
    error = plumbing.control / "error"
    if error.exists():
        raise VmError(f"the guest could not be set up: {error.read_text().strip()}{_last(plumbing)}")
    messages = log.read_text(errors="replace").strip()
    if messages:
        raise VmError(f"QEMU failed: {messages}{_last(plumbing)}")
    if not (plumbing.control / "started").exists():
        raise VmBootError(f"the guest died while it booted{_last(plumbing)}")
    raise VmError(f"the guest died under the command{_last(plumbing)}")


def _last(plumbing: Plumbing) -> str:
    """The console's end, from the kernel's first complaint if there is one, as the end of a message."""
    if not plumbing.console.exists():
        return ""
    lines = plumbing.console.read_text(errors="replace").splitlines()
    first = next((number for number, line in enumerate(lines) if _COMPLAINT.search(line)), len(lines))
    lines = lines[min(first, max(0, len(lines) - CONSOLE_LINES)) :][:CONSOLE_MOST]
    return "; its console's last lines:\n" + "\n".join(f"    {line}" for line in lines) if lines else ""


def _runs_with_kvm(image: Path) -> bool:
    """Whether a guest that is run with KVM runs."""
    probe = Machine(kernel=image, memory="512M", cpus=1, accel="kvm", boot_seconds=30)
    try:
        return run(["true"], probe, stdout=len, stderr=len, directory=Path("/"), timeout=30) == 0
    except VmInterrupted:
        raise
    except VmError:
        return False
