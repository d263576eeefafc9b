"""Runs in the machine (see guest.py): a workload recorded once, then run under a few policies (foretold_runs.py).

It mounts the disk anew between runs, so no other checks run beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import main

main("foretold_runs")
