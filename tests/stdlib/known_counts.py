"""Known miss counts, and the traces that they belong to.

We may not commit the traces. They are in $CPOL_TRACES or ../shared/traces. The Twitter trace is
data/twitter_cluster52.csv in libCacheSim's source package for Python.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TRACES = Path(os.environ.get("CPOL_TRACES", ROOT.parent / "shared" / "traces"))


class Known(NamedTuple):
    trace: str
    capacity: int
    policy: str
    misses: int


def read_table(path: Path) -> list[Known]:
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    (_, _, *policies), *counts = rows
    return [
        Known(trace, int(capacity), policy, int(count))
        for trace, capacity, *row in counts
        for policy, count in zip(policies, row, strict=True)
    ]


KNOWN = read_table(Path(__file__).with_name("stdlib_counts.txt"))
HERE = [known for known in KNOWN if (TRACES / known.trace).is_file()]
"""The counts whose trace is on this machine."""
