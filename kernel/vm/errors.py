"""How a run can end other than by its command's end."""

from __future__ import annotations

import signal


class VmError(Exception):
    """The machine did not do what it is for: it could not start, did not boot, or died under the command."""


class VmBootError(VmError):
    """The guest died before the command began."""


class VmTimeout(VmError):
    """The time given was over before the command ended."""


class VmInterrupted(VmError):
    """A signal told this process to stop; its machine has been ended."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}")
        self.number = number
