"""KVM or emulation. That /dev/kvm opens proves nothing: on some hosts it even makes a machine whose guest then dies in
its first instructions. So a guest is run once, and the answer is kept until the host reboots or QEMU changes."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from cpol.kernel.vm.errors import VmError
from cpol.kernel.vm.qemu import program

CHOICES = ("auto", "kvm", "tcg", "icount")
"""`icount` is emulation in which the time stamp counter counts instructions: for measurements that repeat."""


def choose(wish: str, guest_runs: Callable[[], bool]) -> str:
    """`kvm` or `tcg`. `auto` (also from CPOL_VM_ACCEL) takes KVM where `guest_runs` has seen a guest run with it.

    Raises:
        VmError: the wish is unknown.
    """
    if wish == "auto":
        wish = os.environ.get("CPOL_VM_ACCEL", "auto")
    if wish not in CHOICES:
        raise VmError(f"unknown accelerator `{wish}`: known are {', '.join(CHOICES)}")
    if wish != "auto":
        return wish
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    answer = _answer_file()
    if not answer.exists():
        answer.parent.mkdir(parents=True, exist_ok=True)
        new = answer.with_suffix(f".{os.getpid()}")
        new.write_text("kvm" if guest_runs() else "tcg")
        new.replace(answer)
    return answer.read_text()


def _answer_file() -> Path:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    version = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
    return cache() / "vm" / f"accel-{hashlib.sha256((boot + version).encode()).hexdigest()[:16]}"


def cache() -> Path:
    """The root of what is kept between runs."""
    return Path(os.environ.get("CPOL_CACHE") or Path.home() / ".cache" / "cpol")
