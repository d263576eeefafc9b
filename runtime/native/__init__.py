"""The native simulator: a policy compiled for this machine, and the driver that feeds it requests or events."""

from cpol.runtime.native.events import Dump, EventSimulator
from cpol.runtime.native.library import MAX_CAPACITY, SimulationError
from cpol.runtime.native.prefetch import Asks
from cpol.runtime.native.simulator import Counts, Simulator, State, Steps

__all__ = ["MAX_CAPACITY", "Asks", "Counts", "Dump", "EventSimulator", "SimulationError", "Simulator", "State", "Steps"]
