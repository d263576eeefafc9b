"""The native machine: a policy compiled for this machine, and the driver that feeds it requests or events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cpol.runtime.machine.errors import SimulationError
from cpol.runtime.machine.native.library import Counts

if TYPE_CHECKING:
    from cpol.runtime.machine.native.events import Dump, EventSimulator

__all__ = ["Counts", "Dump", "EventSimulator", "SimulationError"]


def __getattr__(name: str) -> Any:
    """What a run of a trace starts without: it takes longer to import than a short trace to run."""
    if name in ("Dump", "EventSimulator"):
        from cpol.runtime.machine.native import events

        return getattr(events, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
