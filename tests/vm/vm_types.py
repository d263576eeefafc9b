"""What the fixture `vm` gives, for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cpol.kernel.vm import Disk

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finished:
    """How a command in the machine ended."""

    code: int
    stdout: str
    stderr: str
    exchange: Path
    """What it wrote to $CPOL_EXCHANGE."""


class RunInVm(Protocol):
    """Boots a machine for one command, in the checkout; raises what `cpol.kernel.vm.run` raises."""

    def __call__(
        self, *command: str, memory: str = "1G", disks: Sequence[Disk] = (), timeout: float = 120
    ) -> Finished: ...
