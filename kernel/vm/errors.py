"""The ways in which a run can fail, other than by its command."""

from __future__ import annotations

import signal


class VmError(Exception):
    """The machine failed: it did not start, did not boot, or died while the command ran."""


class VmBootError(VmError):
    """The guest died before the command began."""


class VmTimeout(VmError):
    """The time limit passed before the command ended."""


class VmInterrupted(VmError):
    """A signal told this process to stop. Its machine has ended."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}")
        self.number = number
