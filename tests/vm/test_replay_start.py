"""The policy replay on both mounts: a cold start reads ahead what a recorded one touched (replay_start_checks.py)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from checks import names_of, passed, run_checks
from regimes import module_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.kernel.vm.image import stock
from cpol.runtime import loader, record

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "replay_start_checks.py"


@pytest.mark.parametrize("mount", ["patched", "module"])
def test_a_recorded_start(kernel: Path, tmp_path: Path, mount: str) -> None:
    shutil.copy(record.find(), tmp_path / "record.bpf.o")
    bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / "replay.cpol"), tmp_path / "replay.bpf.o")
    environment = {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    environment |= module_environment() if mount == "module" else {}
    image = stock() if mount == "module" else kernel
    results = run_checks(image, SCRIPT, tmp_path, str(loader.find()), str(tmp_path), environment=environment)
    for name in names_of(SCRIPT):
        passed(results, name)
