"""Errors of the abstract machine: one class for each cause."""

from __future__ import annotations


class MachineError(Exception):
    """The base of the errors below."""


class SimulationError(Exception):
    """The simulation in native code is not possible; the message says why."""


class ParamError(MachineError):
    """A setting is wrong: a param, an input, the capacity, the batch or the seed."""


class EventError(MachineError):
    """The caller reported an event that cannot happen now."""


class PolicyError(MachineError):
    """The policy does something that the compiler should have refused."""


class InvariantError(MachineError):
    """An invariant does not hold. `values` has the text and the value of each subexpression."""

    def __init__(self, where: str, text: str, values: list[tuple[str, str]]) -> None:
        lines = [f"{where}: invariant does not hold: {text}", *(f"    {name} = {value}" for name, value in values)]
        super().__init__("\n".join(lines))
        self.where = where
        self.text = text
        self.values = values
