"""How thorough the property tests are, and with which seed: said in the header of the run."""

from __future__ import annotations

from effort import SEED, THOROUGH


def pytest_report_header() -> str:
    return f"property tests: CPOL_SEED={SEED} (another, other inputs) CPOL_THOROUGH={THOROUGH} (n: n times as many)"
