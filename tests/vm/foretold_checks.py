"""Runs in the machine (see guest.py): workloads recorded once, then run under each policy that plan.json names.

    foretold_checks.py LOADER OBJECTS

Each workload is a check (foretold_works.py has them). The recordings are in the exchange folder.
CPOL_MODULE names a module to load first.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from foretold_runs import OUT, Counts, Work, measure
from guest import CHECKS, OBJECTS, main

PLAN = json.loads((OBJECTS / "plan.json").read_text())
CHECKS.clear()  # the one of tests
for name, sizes in PLAN["works"].items():

    def run(name: str = name, sizes: dict[str, int] = sizes) -> dict[str, Counts]:
        return measure(Work(**sizes), PLAN["policies"], OUT / f"{name}.rec")

    CHECKS[name] = run

if __name__ == "__main__":
    main()
