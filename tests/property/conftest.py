"""Show seed and effort of the property tests in the header of the run."""

from __future__ import annotations

from effort import AGAIN


def pytest_report_header() -> str:
    return f"property tests: {AGAIN} (select the inputs, multiply their number, divide it)"
