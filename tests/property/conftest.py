"""Show seed and effort of the property tests in the header of the run."""

from __future__ import annotations

from effort import SEED, THOROUGH


def pytest_report_header() -> str:
    return f"property tests: CPOL_SEED={SEED} (selects the inputs) CPOL_THOROUGH={THOROUGH} (multiplies their number)"
