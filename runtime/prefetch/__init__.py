"""A model of swap and of readahead, in which prefetch policies are compared without a kernel (docs/simulator.md).

protocol.py   what a policy is asked, and what it answers
rows.py       traces: touches of memory, and reads of files
read.py       reads them
regimes.py    makes them
medium.py     when a read ends
memory.py     pages in memory, least recently used first
slots.py      which page is in which swap slot
kernel.py     the kernel's own readahead of swap
ondemand.py   the kernel's own readahead of files
model.py      one run
"""

from cpol.runtime.prefetch.counts import Counts
from cpol.runtime.prefetch.kernel import WINDOW, Cluster, SwapReadahead, Vma
from cpol.runtime.prefetch.medium import PAGE, Medium
from cpol.runtime.prefetch.model import Model, Result
from cpol.runtime.prefetch.protocol import DEFAULT, NOTHING, Decision, Fault, Nobody, Prefetcher, Readahead, Target
from cpol.runtime.prefetch.read import read_rows
from cpol.runtime.prefetch.regimes import REGIMES, regime
from cpol.runtime.prefetch.rows import Read, Row, Rows, Touch

__all__ = [
    "DEFAULT",
    "NOTHING",
    "PAGE",
    "REGIMES",
    "WINDOW",
    "Cluster",
    "Counts",
    "Decision",
    "Fault",
    "Medium",
    "Model",
    "Nobody",
    "Prefetcher",
    "Read",
    "Readahead",
    "Result",
    "Row",
    "Rows",
    "SwapReadahead",
    "Target",
    "Touch",
    "Vma",
    "read_rows",
    "regime",
]
