"""Folders of the host in the guest, by virtiofs: a daemon for each folder, for kernels that have no 9p."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cpol.kernel.vm.errors import VmError

DAEMON = Path("/usr/lib/qemu/virtiofsd")
"""Of Debian's qemu-system-common. It has no option for a read-only share."""

READONLY = """
while read -r _ _ _ _ where _; do
    mount -o remount,bind,ro "$where" 2>/dev/null
done </proc/self/mountinfo
if [ -w / ]; then
    echo "the host's tree could not be made read-only for the guest" >&2
    exit 1
fi
exec "$@"
"""
"""Makes all mounts read-only in a mount namespace of its own, then runs the daemon there."""


@dataclass(frozen=True)
class Share:
    """A folder that the guest mounts under a tag."""

    tag: str
    folder: Path
    readonly: bool = False


@contextmanager
def served(shares: Sequence[Share], scratch: Path) -> Iterator[dict[str, int]]:
    """Serve the folders; gives for each tag the descriptor of a socket that QEMU is to speak to.

    Raises:
        VmError: this user cannot, or the daemon is not installed.
    """
    if not DAEMON.is_file() or shutil.which("unshare") is None:
        raise VmError(f"{DAEMON} is not installed, which this kernel needs to see the host's files: run `make setup`")
    if os.geteuid():
        raise VmError("this kernel sees the host's files by virtiofs, whose daemon has to be started by root")
    with ExitStack() as stack:
        ends = {}
        for share in shares:
            daemon, end = _connected(scratch, stack)
            stack.enter_context(_daemon(share, daemon.fileno(), scratch / f"virtiofsd-{share.tag}"))
            daemon.close()
            ends[share.tag] = end.fileno()
        yield ends


def _connected(scratch: Path, stack: ExitStack) -> tuple[socket.socket, socket.socket]:
    """A listening socket for the daemon, and one that is connected to it. Its name is gone at once; while it is there
    it is reached by way of the folder's descriptor, since names of sockets must be short."""
    folder = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
    try:
        name = f"/proc/self/fd/{folder}/socket"
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(name)
        listener.listen(1)
        end = stack.enter_context(socket.socket(socket.AF_UNIX))
        end.connect(name)
        (scratch / "socket").unlink()
    finally:
        os.close(folder)
    return listener, end


@contextmanager
def _daemon(share: Share, listener: int, log: Path) -> Iterator[None]:
    """It ends by itself when QEMU goes away, is ended on leaving, and by the kernel if this process is killed."""
    command = [str(DAEMON), f"--fd={listener}", "-f", "-o", f"source={_option(share.folder)}", "-o", "sandbox=chroot"]
    command += ["-o", f"cache={'always' if share.readonly else 'none'}", "-o", "log_level=err"]
    if share.readonly:
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", READONLY, "sh", *command]
    with log.open("wb") as messages:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "SIGKILL", *command],
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            pass_fds=[listener],
            start_new_session=True,
        )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _option(path: Path) -> str:
    """A path as the daemon's option parser reads it: a comma or a backslash is quoted."""
    return str(path).replace("\\", "\\\\").replace(",", "\\,")
