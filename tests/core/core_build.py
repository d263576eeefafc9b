"""Build what tests/core/Makefile knows, once for all workers of pytest."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "core"


def build(*targets: str) -> Path:
    """Build targets; return the folder that holds the programs."""
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make = ["make", "--silent", "-j2", "-C", str(HERE), f"OUT={os.path.relpath(OUT, HERE)}", *targets]
        done = subprocess.run(make, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return OUT


def run(*command: str | Path, timeout: int = 600) -> str:
    """Run a program; return what it prints. If it fails, so does the test, with what it says."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
