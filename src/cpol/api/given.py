"""What callers give: numbers, policies, traces. What makes no sense is a RequestError that says what to give."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

from cpol.errors import RequestError
from cpol.runtime.simulate.runs.capacity import all_in_pages, read_capacity
from cpol.runtime.simulate.runs.jobs import cores

if TYPE_CHECKING:
    from decimal import Decimal

MOST = 2**64 - 1

Capacity: TypeAlias = "int | float | str"
"""Pages (1000), a share of the objects (0.1), or a size (`64M`). NumPy's numbers are numbers, too."""


def whole(name: str, value: Any, low: int, high: int = MOST) -> int:
    """A whole number in a range. Raises RequestError."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not low <= int(value) <= high:
        most = "2^64 - 1" if high == MOST else str(high)
        raise RequestError(f"{name} is {value!r}; give a whole number from {low} to {most}")
    return int(value)


def processors(jobs: Any) -> int:
    """Runs at a time; None: as many as there are processors. Raises RequestError."""
    return cores() if jobs is None else whole("jobs", jobs, 1, 1 << 16)


def capacities(given: Capacity | Sequence[Capacity], objects: int) -> list[int]:
    """Capacities in pages. Raises UserError: there is none, one makes no sense, or two are equal."""
    every: list[Any] = []
    if isinstance(given, str | bytes | Real):
        every = [given]
    elif isinstance(given, Sequence):
        every = [*given]
    elif hasattr(given, "tolist"):  # an array of NumPy
        every = given.tolist()
    if not every:
        raise RequestError(f"capacity is {given!r}; give pages (1000), a share of the objects (0.1) or a size (64M)")
    return all_in_pages([_capacity(each) for each in every], objects)


def _capacity(given: Any) -> int | Decimal:
    if isinstance(given, str):
        return read_capacity(given)
    if isinstance(given, Integral) and not isinstance(given, bool):
        return read_capacity(str(int(given)))
    if isinstance(given, Real) and not isinstance(given, bool):
        return read_capacity(decimal(given))
    raise RequestError(f"{given!r} is no capacity; give pages (1000), a share of the objects (0.1) or a size (64M)")


def decimal(given: Real) -> str:
    """A number of Python or NumPy as users write it: 0.1, 100.0."""
    whole, _, rest = f"{float(given):.12f}".partition(".")
    return f"{whole}.{rest.rstrip('0') or '0'}" if rest else whole  # nan, inf
