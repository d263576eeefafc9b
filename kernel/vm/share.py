"""Serves the host's folders to the guest by virtiofs, for kernels without 9p. Each folder has a daemon."""

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

RUST, QEMU = Path("/usr/libexec/virtiofsd"), Path("/usr/lib/qemu/virtiofsd")
"""The daemons: Debian 13's virtiofsd, and that of Debian 12's qemu-system-common, which has no option for a read-only
share. So neither is asked for one."""

LOG = "virtiofsd-"
"""Begins the name of a daemon's log in the scratch folder."""

READONLY = """
[ -z "$1" ] || mount --bind "$1" /lib/modules || exit 1
shift
while read -r _ _ _ _ where _; do
    mount -o remount,bind,ro "$where" 2>/dev/null
done </proc/self/mountinfo
if [ -w / ]; then
    echo "cannot make the host's tree read-only for the guest" >&2
    exit 1
fi
exec "$@"
"""
"""A script that puts a folder of modules in place of the host's, if it is given one, makes all mounts of a new mount
namespace read-only, then runs the daemon."""


@dataclass(frozen=True)
class Share:
    """A folder that the guest mounts under a tag."""

    tag: str
    folder: Path
    readonly: bool = False
    modules: Path | None = None
    """What the guest sees as /lib/modules, of a share that is read-only."""


@contextmanager
def served(shares: Sequence[Share], scratch: Path) -> Iterator[dict[str, int]]:
    """Serve the folders. Yields, for each tag, the descriptor of a socket for QEMU.

    Raises:
        VmError: this user is not root, or the daemon is not installed.
    """
    daemon = installed()
    if daemon is None or shutil.which("unshare") is None:
        raise VmError("virtiofsd is not installed; this kernel needs it to see the host's files: run `make setup`")
    if os.geteuid():
        raise VmError("this kernel needs virtiofs to see the host's files; only root can start its daemon")
    with ExitStack() as stack:
        ends = {}
        for share in shares:
            listener, end = _connected(scratch, stack)
            log = scratch / f"{LOG}{share.tag}"
            stack.enter_context(_daemon(arguments(daemon, share, listener.fileno()), listener.fileno(), log, share))
            listener.close()
            ends[share.tag] = end.fileno()
        yield ends


def _connected(scratch: Path, stack: ExitStack) -> tuple[socket.socket, socket.socket]:
    """A listening socket for the daemon, and a socket that is connected to it.

    The listening socket's file is removed at once. The path to it goes through the folder's descriptor, since paths of
    sockets must be short.
    """
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


def installed() -> Path | None:
    """The daemon of this machine. Where both are, the second is a link to the first."""
    return next((each for each in (RUST, QEMU) if each.is_file()), None)


def arguments(daemon: Path, share: Share, listener: int) -> list[str]:
    """The command line of one of the daemons. What is mounted below the folder is a part of the share."""
    if daemon == RUST:
        cache = "always" if share.readonly else "never"
        shown = [f"--shared-dir={share.folder}", "--sandbox=chroot", "--no-announce-submounts"]
        return [str(daemon), f"--fd={listener}", *shown, f"--cache={cache}", "--log-level=error"]
    cache = "always" if share.readonly else "none"
    options = (f"source={_option(share.folder)}", "sandbox=chroot", f"cache={cache}", "log_level=err")
    return [str(daemon), f"--fd={listener}", "-f", *(word for option in options for word in ("-o", option))]


def said(scratch: Path) -> str:
    """What the daemons said, as the end of a message: QEMU only tells that one is gone."""
    logs = [(log.name.removeprefix(LOG), log.read_text(errors="replace")) for log in sorted(scratch.glob(f"{LOG}*"))]
    return "".join(f"; virtiofsd of {tag}: {' '.join(text.split())}" for tag, text in logs if text.strip())


@contextmanager
def _daemon(command: list[str], listener: int, log: Path, share: Share) -> Iterator[None]:
    """Run a daemon. It ends when QEMU ends, on exit from the context, or when this process is killed."""
    if share.readonly:
        modules = str(share.modules or "")
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", READONLY, "sh", modules, *command]
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
    """Quote commas and backslashes of a path for the daemon's option parser."""
    return str(path).replace("\\", "\\\\").replace(",", "\\,")
