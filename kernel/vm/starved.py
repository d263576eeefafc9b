"""Free a processor that waits for one which QEMU does not run.

With a clock that counts instructions (-icount), QEMU before 8.1 lets the first processor run up to the next timer's
time, and the next one for what is left of that. A kernel that looks something up in a list while another processor
moves it tries again until it is moved: without `pause`, perhaps with interrupts off, and so to the end of its time,
each time. The other processor never runs again. (Lookups in an rhashtable that grows did that.) What stops the
machine for a moment makes the first one give up its time early.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

QUIET_SECONDS = {"tcg": 5.0, "icount": 60.0}
"""By accelerator: after so many seconds without output the machine is stopped and goes on. `tcg`: before the kernel
complains of a stall, after 21 s of its own time. `icount`: rarely, since it measures, and a stop ends the waits of
disks with limits."""

_COMMANDS = b'{"execute":"qmp_capabilities"}', b'{"execute":"stop"}', b'{"execute":"cont"}'


class Nudge:
    """Stops a machine for a moment whenever it is quiet. Errors of the machine's end are not this one's business."""

    def __init__(self, quiet: float, ours: socket.socket, machine: socket.socket) -> None:
        """`quiet`: seconds. `machine`: the end that QEMU gets."""
        self._quiet = quiet
        self._ours = ours
        self._greeted = False
        self._heard = time.monotonic()
        self.descriptor = machine.fileno()

    @property
    def arguments(self) -> list[str]:
        """QEMU's arguments for it."""
        return ["-chardev", f"socket,id=nudge,fd={self.descriptor}", "-mon", "chardev=nudge,mode=control"]

    def heard(self) -> None:
        """The machine has printed something. From any thread."""
        self._heard = time.monotonic()

    def look(self) -> bool:
        """Stop the machine for a moment if it is quiet, and return whether it was. Call it now and then."""
        if time.monotonic() - self._heard < self._quiet:
            return False
        self.heard()
        try:
            self._ours.sendall(b"\n".join(_COMMANDS[self._greeted :]))
            self._greeted = True
            while self._ours.recv(1 << 16):
                pass
        except OSError:
            pass  # nothing to read yet, or the machine has ended
        return True


@contextmanager
def nudging(accel: str, cpus: int) -> Iterator[Nudge | None]:
    """A Nudge for a machine of `cpus` processors; None where the accelerator lets all of them run."""
    quiet = QUIET_SECONDS.get(accel)
    if quiet is None or cpus < 2:
        yield None
        return
    ours, machine = socket.socketpair()
    with ours, machine:
        ours.setblocking(False)
        yield Nudge(quiet, ours, machine)
