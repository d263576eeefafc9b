"""Run a script of checks (guest.py) in one machine, and collect the results."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vm_types import CHECKOUT

from cpol.kernel.vm import Disk, Machine, VmTimeout, run
from cpol.kernel.vm.machine import BOOT_SECONDS

Results = dict[str, dict[str, Any]]


MAKE = {"ext4": ("mkfs.ext4", "-q", "-F"), "xfs": ("mkfs.xfs", "-q", "-f"), "btrfs": ("mkfs.btrfs", "-q", "-f")}


def names_of(script: Path) -> list[str]:
    """Return the checks of a script and of the modules that it gives to `main`, in the order of the run."""
    modules = re.search(r"^main\((.*?)\)$", script.read_text(), re.MULTILINE | re.DOTALL)
    assert modules, f"{script} does not call main"
    files = [script, *(script.with_name(f"{module}.py") for module in re.findall(r'"(\w+)"', modules[1]))]
    return [name for file in files for name in re.findall(r"^@check\ndef (\w+)", file.read_text(), re.MULTILINE)]


def run_checks(
    kernel: Path,
    script: Path,
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    timeout: float = 1800,
    disks: tuple[Disk, ...] = (),
    bps: int = 0,
    file_system: str = "ext4",
    cpus: int = 2,
    memory: str = "1G",
    accel: str = "auto",
    kernel_args: tuple[str, ...] = (),
    boot_seconds: float = BOOT_SECONDS,
) -> Results:
    """Boot a machine with a disk, run the script there, and return the result of each check.

    `folder` is the machine's exchange folder and holds the disk's image. `bps` limits the disk, in bytes per second;
    `disks` are additional disks.
    """
    disk = folder / "disk"
    with disk.open("wb") as file:
        file.truncate(512 << 20)
    subprocess.run([*MAKE[file_system], str(disk)], check=True)
    all_disks = (Disk(disk, bps=bps), *disks)
    machine = Machine(
        kernel=kernel,
        memory=memory,
        cpus=cpus,
        disks=all_disks,
        exchange=folder,
        environment={"CPOL_PATIENCE": str(int(timeout * 2 / 3)), **(environment or {})},
        accel=accel,
        kernel_args=kernel_args,
        boot_seconds=boot_seconds,
    )
    stdout, stderr = bytearray(), bytearray()
    command = (sys.executable, "-I", str(script), *arguments)
    try:
        code = run(command, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=timeout)
    except VmTimeout as error:
        raise AssertionError(f"{error}\n{stdout.decode()}\n{stderr.decode()}") from error
    lines = [json.loads(line) for line in stdout.decode().splitlines()]
    assert code == 0 and lines and lines[-1] == {"name": "done"}, (code, stdout.decode(), stderr.decode())
    if any("failure" in line for line in lines):
        print(stderr.decode(errors="replace"), file=sys.stderr)
    return {line["name"]: line for line in lines}


def passed(results: Results, name: str) -> None:
    """Fail if the check failed; print its figures."""
    assert name in results, f"only these checks ran: {list(results)}"
    assert "failure" not in results[name], results[name]["failure"]
    print(json.dumps(results[name]))
