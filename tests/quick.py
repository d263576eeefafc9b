"""Examples of property tests. $CPOL_QUICK divides their numbers in `make check` and `make test`."""

from __future__ import annotations

import os

QUICK = int(os.environ.get("CPOL_QUICK", "1"))


def examples(number: int) -> int:
    """How many of `number` examples a test tries."""
    return max(1, number // QUICK)
