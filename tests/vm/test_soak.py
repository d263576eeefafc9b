"""A minute of the churn that `make soak-machine` keeps up for an hour: nothing leaks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from soak import soak

pytestmark = [pytest.mark.vm, pytest.mark.long]

SECONDS = 60


def test_a_minute_of_churn_leaves_nothing(tmp_path: Path) -> None:
    seed = int(os.environ.get("CPOL_SEED", "0"))
    print(f"again: CPOL_SEED={seed} pytest -m vm tests/vm/test_soak.py")
    figures = soak("module", tmp_path, SECONDS, seed)
    assert figures["cgroups"] >= 24 and len(figures["ways"]) == 9, figures
