"""What a policy costs the processor: instructions that were measured, of a cached read and of a miss.

docs/measured/kernel-cost.md tells how; tests/bench/kernel_cost.py writes price.json from its figures.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FIGURES = Path(__file__).with_name("price.json")

KERNELS = ("patched", "module")


class Price(NamedTuple):
    """Instructions that a policy adds to a cached read of 4 KiB and to a miss, on one kind of kernel."""

    read: int
    miss: int


def prices(policy: str) -> dict[str, Price] | None:
    """What a policy of the stdlib adds, by kernel; None: it was not measured."""
    found = {kernel: more for kernel in KERNELS if (more := _measured()[kernel]["more"].get(policy)) is not None}
    return {kernel: Price(**more) for kernel, more in found.items()} or None


def without(kernel: str) -> Price:
    """What a cached read and a miss take without a policy."""
    return Price(**_measured()[kernel]["without"])


def said(policy: str) -> str:
    """What a cached read takes more, on each kind of kernel, in words of a table."""
    found = prices(policy)
    return ", ".join(f"{price.read:+,}" for price in found.values()) if found else "not measured"


def legend() -> str:
    """What the words of the table mean."""
    patched, module = (f"{without(kernel).read:,}" for kernel in KERNELS)
    return (
        f"A cached read takes so many instructions more, beside {patched} on the patched kernel, and {module} with the "
        "module, with params as declared. Misses take more, too: docs/measured/kernel-cost.md. What was not measured "
        "has a bound: cpolc cost POLICY."
    )


@cache
def _measured() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FIGURES.read_text())
    return found
