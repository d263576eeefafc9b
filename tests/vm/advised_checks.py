"""Runs in the machine (see guest.py): workloads recorded, or run under what was advised, as plan.json says.

    advised_checks.py LOADER OBJECTS

Each workload is a check (foretold_works.py has them). The recordings are in the exchange folder. `again` is another run
under the kernel's default, which tells how much runs differ. CPOL_MODULE names a module to load first.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from foretold_runs import OUT, Attached, one_run, without_generations
from foretold_works import Work
from guest import CHECKS, OBJECTS, main

PLAN = json.loads((OBJECTS / "plan.json").read_text())


def recorded(name: str, work: Work) -> dict[str, Any]:
    threads: dict[str, int] = {}
    return {"recorded": one_run(work, None, OUT / f"{name}.rec", threads), "threads": threads}


def advised(work: Work, policies: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"again": one_run(work, None)}
    for number, policy in enumerate(policies):
        try:
            found[str(number)] = one_run(work, Attached(**{key: tuplewise(value) for key, value in policy.items()}))
        except AssertionError as failure:
            found[str(number)] = {"failure": str(failure)}
    return found


def tuplewise(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


CHECKS.clear()  # the one of tests
for name, sizes in PLAN["works"].items():

    def run(name: str = name, sizes: dict[str, Any] = sizes) -> dict[str, Any]:
        work = Work(**sizes)
        work.make()
        with without_generations():
            return advised(work, PLAN["advised"][name]) if "advised" in PLAN else recorded(name, work)

    CHECKS[name] = run

if __name__ == "__main__":
    main()
