"""Says in the header of a run which traces the counts are held against."""

from __future__ import annotations

from known_counts import HERE, KNOWN, TRACES


def pytest_report_header() -> str:
    missing = sorted({known.trace for known in KNOWN} - {known.trace for known in HERE})
    return f"stdlib counts: traces in {TRACES}; not there, models only: {', '.join(missing) or 'none'}"
