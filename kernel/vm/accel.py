"""Chooses KVM or emulation.

An open /dev/kvm proves nothing: on some hosts KVM makes a machine, but the guest dies in its first instructions. So the
runner boots one guest, and keeps the answer until the host reboots or QEMU changes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from cpol.kernel.vm.errors import VmError
from cpol.kernel.vm.qemu import program

CHOICES = ("auto", "fast", "kvm", "tcg", "tcg-multi", "icount")
"""- `kvm`: the host's processor.
- `tcg`: emulates all processors in one thread. Its clock advances by 4 ns per instruction, so it stands still while the
  host does other work. With the host's clock, timer interrupts starved guests on loaded hosts and caused false soft
  lockups.
- `tcg-multi`: emulation with a thread for each processor and the host's clock. It is up to twice as fast, but a guest
  sometimes dies of an `int3` oops: QEMU 7.2 may run the old form of an instruction that another processor patched.
- `icount`: emulation in which the time stamp counter counts instructions, for repeatable measurements.
- `auto`: `kvm` or `tcg`.
- `fast`: `kvm` or `tcg-multi`."""


def choose(wish: str, guest_runs: Callable[[], bool]) -> str:
    """The accelerator to use: `kvm`, `tcg`, `tcg-multi` or `icount`.

    Args:
        wish: one of CHOICES. CPOL_VM_ACCEL replaces `auto`.
        guest_runs: boots a guest with KVM, and returns whether it runs. Called for `auto` and `fast`, unless the answer
            is known.

    Raises:
        VmError: the wish is unknown.
    """
    if wish == "auto":
        wish = os.environ.get("CPOL_VM_ACCEL", "auto")
    if wish not in CHOICES:
        raise VmError(f"unknown accelerator `{wish}`: known are {', '.join(CHOICES)}")
    if wish not in ("auto", "fast"):
        return wish
    emulation = "tcg" if wish == "auto" else "tcg-multi"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return emulation
    answer = _answer_file()
    if not answer.exists():
        answer.parent.mkdir(parents=True, exist_ok=True)
        new = answer.with_suffix(f".{os.getpid()}")
        new.write_text("kvm" if guest_runs() else "tcg")
        new.replace(answer)
    return "kvm" if answer.read_text() == "kvm" else emulation


def _answer_file() -> Path:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    version = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
    return cache() / "vm" / f"accel-{hashlib.sha256((boot + version).encode()).hexdigest()[:16]}"


def cache() -> Path:
    """The root of the cache."""
    return Path(os.environ.get("CPOL_CACHE") or Path.home() / ".cache" / "cpol")
