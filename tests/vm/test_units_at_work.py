"""cpol's units under a real systemd, on Debian's kernel with the module: one machine runs systemd_checks.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from checks import Results, names_of, passed
from kernels import kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.kernel.vm import Disk, Machine, run
from cpol.runtime.operate import loader

pytestmark = [pytest.mark.vm, pytest.mark.long]

SCRIPT = Path(__file__).parent / "systemd_checks.py"
IN_GUEST = Path(__file__).parent / "guest-systemd"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check."""
    folder = tmp_path_factory.mktemp("systemd")
    for name in ("lfu", "s3fifo"):
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    disk = folder / "disk"
    with disk.open("wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disk)], check=True)
    kernel, environment = kernel_and_environment("module")
    machine = Machine(kernel=kernel, memory="1G", disks=(Disk(disk),), exchange=folder, environment=environment)
    stdout, stderr = bytearray(), bytearray()
    words = [str(IN_GUEST), sys.executable, "-I", str(SCRIPT), str(loader.find()), str(folder)]
    code = run(words, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=900)
    said = {line["name"]: line for line in map(json.loads, stdout.decode().splitlines())}
    assert code == 0 and "done" in said, (code, stdout.decode(), stderr.decode())
    return said


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_under_systemd(results: Results, name: str) -> None:
    passed(results, name)
