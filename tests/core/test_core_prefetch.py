"""The files of prefetching that read, flush and remember, in user space: faults that were found, in few steps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from core_build import build, run

CASES = re.findall(r'^\t\{ "([a-z-]+)", \w+ \},$', (Path(__file__).parent / "prefetch" / "cases.c").read_text(), re.M)


@pytest.fixture(scope="session")
def program() -> Path:
    return build("prefetch") / "prefetch-cases"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_prefetching(program: Path, case: str) -> None:
    assert run(program, case, timeout=120) == f"{case}\n"
