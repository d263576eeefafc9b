"""The glue without a kernel part, on Debian's stock kernel without the module (user_glue_checks.py)."""

from __future__ import annotations

import json
import shutil
import subprocess
from array import array
from pathlib import Path

import pytest
from checks import Results, names_of, passed, run_checks
from click.testing import CliRunner
from glues import BATCH, NO_KERNEL_MEMORY
from kernels import kernel_and_environment
from vm_types import CHECKOUT

from cpol.cli import sim
from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.compiler.backend.c import generate
from cpol.compiler.backend.host import NATIVE
from cpol.compiler.policies import resolve
from cpol.compiler.toolchain.native import COMMON, INCLUDE, SHARED, compile_c
from cpol.kernel.vm.image import stock
from cpol.runtime.operate import loader, record

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "user_glue_checks.py"
FILE, PASSES, LIMIT = 6144, 5, 4096
BPS = 16 << 20
"""Of the disk: a reader does not outrun the glue, nor the machine's own disk."""


def build(policy: str, target: Path) -> None:
    """Compile a policy for any processor: that of the machine may be another one than that of the host."""
    source = target.with_suffix(".c")
    source.write_text(generate(compile_file(resolve(policy))))
    compile_c(source, target, (*COMMON, "-O2", *SHARED, "-DCPOL_EVENTS=1", f"-I{INCLUDE / 'cpol'}", f"-I{NATIVE}"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("user_glue")
    shutil.copy(record.PROGRAM.find(), made / "record.bpf.o")
    for policy in ("mru", "s3fifo"):
        build(policy, made / f"{policy}.so")
    (made / "loop").write_bytes(array("I", [*range(FILE)] * PASSES).tobytes())
    flags = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread")
    source = CHECKOUT / "tests" / "vm" / "replay_reads.c"
    subprocess.run(["cc", *flags, source, "-o", made / "replay_reads"], check=True)
    return made


@pytest.fixture(scope="module")
def checked(folder: Path) -> Results:
    words = (str(loader.find()), str(folder))
    return run_checks(stock(), SCRIPT, folder, *words, kernel_args=(NO_KERNEL_MEMORY,), bps=BPS)


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(checked: Results, name: str) -> None:
    passed(checked, name)


@pytest.fixture(scope="module")
def by_module(folder: Path) -> Results:
    """The same loop in a machine with the module, where `mru` runs in the kernel."""
    kernel, environment = kernel_and_environment("module")
    bpf.compile_policy(compile_file(resolve("mru")), folder / "mru.bpf.o")
    words = (str(loader.find()), str(folder), "default", "by_the_module")
    return run_checks(kernel, SCRIPT, folder, *words, environment=environment, kernel_args=(NO_KERNEL_MEMORY,), bps=BPS)


def simulated(folder: Path) -> int:
    """The misses of the loop under `mru`, with as many pages as the limit has."""
    trace = folder / "loop.txt"
    trace.write_text("".join(f"{page}\n" for page in [*range(FILE)] * PASSES))
    words = ["mru", "--trace", str(trace), "--batch", str(BATCH), "--capacity", str(LIMIT), "--json"]
    done = CliRunner().invoke(sim.command, words, catch_exceptions=False)
    return int(json.loads(done.stdout)["misses"])


def test_reads_are_near_the_simulators(checked: Results, folder: Path) -> None:
    """The margin below the limit is what the glue does not use: a 32nd."""
    for name in ("default", "mru"):
        passed(checked, name)
    default, glue = (checked[name]["figures"]["pages"] for name in ("default", "mru"))
    assert default > 0.98 * FILE * PASSES  # a loop is the worst case of an LRU
    best = simulated(folder)
    print(json.dumps({"default": default, "glue": glue, "simulated": best}))
    assert best <= glue <= 1.2 * best


def test_reads_are_near_the_modules(checked: Results, by_module: Results) -> None:
    for results, name in ((checked, "mru"), (by_module, "default"), (by_module, "by_the_module")):
        passed(results, name)
    glue, module = checked["mru"]["figures"]["pages"], by_module["by_the_module"]["figures"]["pages"]
    assert module <= glue <= 1.2 * module
