"""What can go wrong in the machine, by who is to blame."""

from __future__ import annotations


class MachineError(Exception):
    """Any of the below."""


class ParamError(MachineError):
    """Whoever sets the machine up gave a value that it cannot have."""


class EventError(MachineError):
    """Whoever drives the machine reports an event that cannot happen now."""


class PolicyError(MachineError):
    """The policy does what the compiler should have refused."""


class InvariantError(MachineError):
    """An invariant of the policy does not hold; `values` are those of its subexpressions."""

    def __init__(self, where: str, text: str, values: list[tuple[str, str]]) -> None:
        lines = [f"{where}: invariant does not hold: {text}", *(f"    {name} = {value}" for name, value in values)]
        super().__init__("\n".join(lines))
        self.where = where
        self.text = text
        self.values = values
