"""The module on Debian's stock kernel: the checks of attach_checks.py, and loading and unloading of the module."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_attach import NAMES, SCRIPT, Results, make_objects
from vm_types import CHECKOUT

from cpol.kernel.vm import Disk, Machine, run
from cpol.kernel.vm.image import stock
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

BUILD = CHECKOUT / "kernel" / "build-module"
IN_GUEST = Path(__file__).parent / "guest-module"
OF_THE_MODULE = (
    "without_the_module_it_is_named",
    "module_has_the_version",
    "module_stays_while_attached",
    "module_waits_when_forced",
    "ftrace_off_is_named",
    "module_unloads_afterwards",
    "kernel_log_is_clean_after_unload",
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check; one machine runs them all."""
    folder = tmp_path_factory.mktemp("module")
    make_objects(folder)
    built = subprocess.run([BUILD], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    module = Path(built.stdout.strip()) / "cache_ext.ko"
    disk = folder / "disk"
    with disk.open("wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disk)], check=True)
    machine = Machine(kernel=stock(), memory="1G", disks=(Disk(disk),), exchange=folder)
    stdout, stderr = bytearray(), bytearray()
    words = [str(IN_GUEST), str(module), sys.executable, "-I", str(SCRIPT), str(loader.find()), str(folder)]
    code = run(words, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=2400)
    said = {line["name"]: line for line in map(json.loads, stdout.decode().splitlines())}
    assert code == 0 and "done" in said, (code, stdout.decode(), stderr.decode())
    return said


@pytest.mark.parametrize("name", [*NAMES, *OF_THE_MODULE])
def test_on_the_stock_kernel(results: Results, name: str) -> None:
    assert name in results, f"only these checks ran: {list(results)}"
    assert "failure" not in results[name], results[name]["failure"]
    print(json.dumps(results[name]))
