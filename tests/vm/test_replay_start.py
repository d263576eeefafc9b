"""The policy replay on both mounts: a cold start reads ahead what a recorded one touched (replay_start_checks.py)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from checks import names_of, passed, run_checks
from kernels import KERNELS, kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader, record

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "replay_start_checks.py"


@pytest.mark.parametrize("on", KERNELS)
def test_a_recorded_start(tmp_path: Path, on: str) -> None:
    shutil.copy(record.PROGRAM.find(), tmp_path / "record.bpf.o")
    bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / "replay.cpol"), tmp_path / "replay.bpf.o")
    kernel, environment = kernel_and_environment(on)
    environment |= {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    results = run_checks(kernel, SCRIPT, tmp_path, str(loader.find()), str(tmp_path), environment=environment)
    for name in names_of(SCRIPT):
        passed(results, name)
