"""The reference interpreter: the executable specification of docs/semantics.md.

Read machine.py, events.py, run.py, then eval.py.
"""

from cpol.runtime.machine.errors import EventError, InvariantError, MachineError, ParamError, PolicyError
from cpol.runtime.machine.interp.machine import DELETED, EVICTED, Folio, Machine
from cpol.runtime.machine.interp.trace import Given, run_trace

__all__ = [
    "DELETED",
    "EVICTED",
    "EventError",
    "Folio",
    "Given",
    "InvariantError",
    "Machine",
    "MachineError",
    "ParamError",
    "PolicyError",
    "run_trace",
]
