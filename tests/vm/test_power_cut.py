"""What a write has returned for under `flush r and wait` is on the disk when the machine loses its power.

QEMU is killed while two processes overwrite blocks, one on ext4, one on XFS. The next machine with the same disks
checks each page. That the disk itself loses what it has not been told to flush is not emulated.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from kernels import ON_MODULE, kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.kernel.vm import Disk, Machine, run
from cpol.kernel.vm.errors import VmInterrupted
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

SCRIPT = CHECKOUT / "tests" / "vm" / "power_writer.py"
POLICIES = ("write_through", "uncached")
WRITES = 60
"""On each disk, before the power goes. More follow, until QEMU is gone."""

Rounds = dict[str, dict[int, int]]
"""By file system and block, the last round whose write had returned."""


class Watcher:
    """Collects what the writers print, and ends the machine."""

    def __init__(self) -> None:
        self.said = bytearray()
        self.cut = False

    def lines(self) -> list[str]:
        """Whole lines only: the last one may be cut off."""
        return bytes(self.said).decode().split("\n")[:-1]

    def take(self, chunk: bytes) -> None:
        self.said += chunk
        enough = all(self.said.count(f"wrote {name} ".encode()) >= WRITES for name in ("ext4", "xfs"))
        if enough and not self.cut:
            self.cut = True
            # The runner kills QEMU (SIGKILL) when its own process gets a signal.
            os.kill(os.getpid(), signal.SIGTERM)

    def found(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = json.loads(next(line for line in self.lines() if line.startswith("{")))["found"]
        return found

    def wrote(self) -> Rounds:
        rounds: Rounds = defaultdict(dict)
        for line in self.lines():
            if line.startswith("wrote"):
                _, name, block, turn = line.split()
                rounds[name][int(block)] = int(turn)
        return rounds


@pytest.mark.parametrize("glue", ON_MODULE)
def test_what_was_waited_for_survives(glue: str, tmp_path: Path) -> None:
    for name in POLICIES:
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), tmp_path / f"{name}.bpf.o")
    disks = []
    for name, make in {"ext4": ("mkfs.ext4", "-q", "-F"), "xfs": ("mkfs.xfs", "-q", "-f")}.items():
        image = tmp_path / name
        with image.open("wb") as file:
            file.truncate(512 << 20)
        subprocess.run([*make, str(image)], check=True)
        disks.append(Disk(image))
    kernel, environment = kernel_and_environment(glue)
    machine = Machine(
        kernel=kernel,
        memory="512M",
        disks=tuple(disks),
        exchange=tmp_path,
        environment=environment,
    )

    def until_the_cut(policy: str) -> Watcher:
        watcher = Watcher()
        words = (sys.executable, "-I", str(SCRIPT), str(loader.find()), str(tmp_path), policy)
        complaints = bytearray()
        try:
            code = run(words, machine, stdout=watcher.take, stderr=complaints.extend, directory=CHECKOUT, timeout=900)
            assert policy == "-" and code == 0, (policy, code, complaints.decode())
        except VmInterrupted:
            assert watcher.cut
        return watcher

    lost: dict[str, int] = {}
    before, ran = until_the_cut(POLICIES[0]), POLICIES[0]
    for policy in (*POLICIES[1:], "none", "-"):
        now = until_the_cut(policy)
        missing = [
            (name, block, turn, now.found()[name][block])
            for name, rounds in before.wrote().items()
            for block, turn in rounds.items()
            if now.found()[name][block] < turn
        ]
        assert not missing or ran == "none", (ran, missing)
        lost[ran] = len(missing)
        before, ran = now, policy
    assert lost["none"] >= 16, f"without a policy next to nothing was lost, so this shows nothing: {lost}"
    print(json.dumps(lost))
