"""The reference interpreter: the executable specification of docs/semantics.md. Read machine.py, then eval.py."""

from cpol.runtime.interp.errors import EventError, InvariantError, MachineError, ParamError, PolicyError
from cpol.runtime.interp.machine import DELETED, EVICTED, Folio, Machine

__all__ = [
    "DELETED",
    "EVICTED",
    "EventError",
    "Folio",
    "InvariantError",
    "Machine",
    "MachineError",
    "ParamError",
    "PolicyError",
]
