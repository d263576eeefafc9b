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

CHOICES = ("auto", "fast", "kvm", "tcg", "tcg-multi", "icount")
"""`tcg` emulates all processors in one thread. Its clock goes on by 4 ns an instruction, so it stands still while the
host does something else: by the host's clock a guest on a busy host was seen to get some 40 steps a second done between
its timers, for a minute, and its kernel told of a soft lockup. `tcg-multi` has a thread for each processor and the
host's clock, is up to twice as fast, and now and then dies of an `int3` oops: QEMU 7.2 may run an instruction that
another processor has just patched as it was before.
`icount` is emulation in which the time stamp counter counts instructions: for measurements that repeat.
`auto` is `kvm` or `tcg`, `fast` is `kvm` or `tcg-multi`."""


def choose(wish: str, guest_runs: Callable[[], bool]) -> str:
    """What to run with. `auto` (CPOL_VM_ACCEL overrides it) and `fast` take KVM where `guest_runs` saw a guest run.

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
    """The root of what is kept between runs."""
    return Path(os.environ.get("CPOL_CACHE") or Path.home() / ".cache" / "cpol")
