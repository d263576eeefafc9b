"""Types of the fixture `vm`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cpol.kernel.vm import Disk

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finished:
    """The result of a command in the machine."""

    code: int
    stdout: str
    stderr: str
    exchange: Path
    """The folder that it saw as $CPOL_EXCHANGE."""


class RunInVm(Protocol):
    """Boot a machine for one command in the checkout. Raises the errors of `cpol.kernel.vm.run`."""

    def __call__(
        self, *command: str, memory: str = "1G", disks: Sequence[Disk] = (), timeout: float = 120
    ) -> Finished: ...
