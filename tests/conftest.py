"""For all tests."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples each time, however long they take: that depends on the host.
settings.register_profile(
    "cpol", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("cpol")

# A shell starts its background jobs so that they ignore SIGINT, and nohup a command that ignores SIGHUP, and their
# children do so with them. Tests send both.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

OF_MACHINES = [Path(__file__).parent / name for name in ("vm", "verifier")]
"""Where scripts/test looks for tests that need a machine; it does not collect the others for these."""


@pytest.hookimpl(tryfirst=True)  # before any are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("vm") and not any(folder in item.path.parents for folder in OF_MACHINES):
            raise pytest.UsageError(f"{item.nodeid} is marked `vm`: move it to tests/vm, where scripts/test finds it")
