"""Show in the header of a run which traces are missing."""

from __future__ import annotations

from known_counts import HERE, KNOWN, TRACES


def pytest_report_header() -> str:
    missing = sorted({known.trace for known in KNOWN} - {known.trace for known in HERE})
    return f"stdlib counts: traces in {TRACES}; missing (tested with models only): {', '.join(missing) or 'none'}"
