"""A recording of the kernel's default foretells which policy misses least, and most, on the patched kernel.

`make bench-foretold` is the whole of it: eleven policies, two workloads, and the module.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checks import passed, run_checks
from foretold import NEAR, compare, table
from test_attach import make_objects

from cpol.runtime.operate import loader, record

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "foretold_few.py"


def test_recording_foretells_misses(kernel: Path, tmp_path: Path) -> None:
    """The best and the worst policy are those that the simulator says, and rows are near unless it marks them.

    The programs run as fast as they can, so two runs of one policy differ by up to 7 % (docs/advising.md, database).
    """
    make_objects(tmp_path)
    record.PROGRAM.find()  # compiled here, since clang takes minutes in the machine
    environment = {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    results = run_checks(kernel, SCRIPT, tmp_path, str(loader.find()), str(tmp_path), environment=environment)
    passed(results, "what_a_recording_foretells")
    rows = compare(tmp_path / "foretold.rec", results["what_a_recording_foretells"]["figures"])
    by_real = sorted(rows, key=lambda row: row.real)
    assert len({row.real for row in rows}) == len(rows), table(rows)
    assert (rows[0].policy, rows[-1].policy) == (by_real[0].policy, by_real[-1].policy), table(rows)
    assert all(abs(row.difference) <= 2 * NEAR or row.doubts for row in rows), table(rows)
