"""A quota reads as many pages as memory.high of its size, and nobody is throttled (beside_high_checks.py).

docs/measured/quota.md has the seconds. To run it: `pytest -s tests/vm/test_beside_high.py`.
"""

from __future__ import annotations

import pytest
from checks import passed, run_checks
from kernels import ON_PATCHED, kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = CHECKOUT / "tests" / "vm" / "beside_high_checks.py"
NEAR = 0.03
"""What the issue of quotas wanted, of the pages that are read."""
QUOTA = 4096


@pytest.mark.parametrize("glue", ON_PATCHED)
def test_as_many_reads_and_no_throttling(glue: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("high")
    for name in ("quota", "lru"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    kernel, environment = kernel_and_environment(glue)
    words = (str(loader.find()), str(folder))
    results = run_checks(kernel, SCRIPT, folder, *words, environment=environment, accel="icount", timeout=3600)
    passed(results, "quota_and_high")
    arms = results["quota_and_high"]["figures"]
    quota, high = arms["quota"], arms["high, lru"]
    assert quota["pages"] <= high["pages"] * (1 + NEAR), arms
    assert quota["file"] <= QUOTA * (1 + NEAR) and high["file"] <= QUOTA * (1 + NEAR), arms
    assert quota["high"] == 0 and high["high"] > 20 and arms["high"]["high"] > 20, arms
    assert not quota["fallback"], arms
