"""`cpolc observe` on the patched kernel, and on the stock one without the module (observe_checks.py)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from checks import Results, names_of, passed, run_checks
from kernels import ON_STOCK

from cpol.kernel.vm.image import stock
from cpol.runtime.operate import loader, observe

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "observe_checks.py"
READER = SCRIPT.with_name("known_reads.c")


@pytest.fixture(scope="module", params=ON_STOCK)
def observed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check."""
    folder = tmp_path_factory.mktemp("observe")
    shutil.copy(observe.PROGRAM.find(), folder / "observe.bpf.o")
    flags = ("-O2", "-Wall", "-Wextra", "-Werror", "-static")
    subprocess.run(["cc", *flags, READER, "-o", folder / "known_reads"], check=True)
    environment = {name: os.environ[name] for name in ("CPOL_CACHE", "PYTHONPATH") if name in os.environ}
    image = request.getfixturevalue("kernel") if request.param == "patched" else stock()
    return run_checks(image, SCRIPT, folder, str(loader.find()), str(folder), environment=environment)


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(observed: Results, name: str) -> None:
    passed(observed, name)
