"""keep_heap keeps the memory of a command from swap, up to its quota (keep_checks.py), on both kernels."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from checks import Results, passed, run_checks
from kernels import ON_PATCHED, kernel_and_environment
from regimes import VM, write
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.kernel.vm import Disk
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

NAME = "memory_of_a_command_is_kept"
HOT, COLD = 1024, 4096


@pytest.fixture(scope="module", params=ON_PATCHED)
def arms(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    folder = tmp_path_factory.mktemp("keep")
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["cc", *flags, VM / "touch_array.c", "-o", folder / "touch_array"], check=True)
    shutil.copy(folder / "touch_array", folder / "hot")
    bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / "keep_heap.cpol"), folder / "keep_heap.bpf.o")
    plan = {"share": 0, "repeats": 1, "runs": [], "policies": [], "medium": "disk"}
    (folder / "plan.json").write_text(json.dumps(plan))
    for name, pages in (("hot", HOT), ("cold", COLD)):
        write(folder / f"{name}.filled", range(pages))
        write(folder / f"{name}.read", range(pages))
    with (folder / "swap").open("wb") as file:
        file.truncate(128 << 20)
    kernel, environment = kernel_and_environment(request.param)
    words = (str(loader.find()), str(folder), NAME)
    disks = (Disk(folder / "swap"),)
    results: Results = run_checks(kernel, VM / "keep_checks.py", folder, *words, environment=environment, disks=disks)
    passed(results, NAME)
    found: dict[str, dict[str, int]] = results[NAME]["figures"]
    return found


def test_it_stays_while_other_memory_goes(arms: dict[str, dict[str, int]]) -> None:
    """How much of each goes without a policy is up to the kernel's LRU."""
    assert arms["none"]["hot"] > HOT // 4, arms
    assert arms["keep"]["hot"] < arms["none"]["hot"] // 4, arms
    assert arms["keep"]["cold"] > HOT and arms["keep"]["kept"] > HOT // 8, arms


def test_no_more_than_the_quota(arms: dict[str, dict[str, int]]) -> None:
    """Which is one page a second."""
    few = arms["few"]
    assert few["kept"] <= few["seconds"] + 1 and few["refused"] + few["overruled"] > HOT // 8, arms
    assert few["hot"] > HOT // 4, arms
