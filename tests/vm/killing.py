"""Runs in the machine: the loader kills itself at a step, also on a kernel that cannot update a link."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from guest import OBJECTS

CONFINE = Path(__file__).with_name("confine.py")
WITHOUT_UPDATE = (sys.executable, "-I", CONFINE, "no-link-update")
"""Runs a command as on a kernel that cannot update a link."""


def killed_at(step: int, *words: object, prefix: tuple[object, ...] = ()) -> str | None:
    """Run the loader that kills itself at a step; return the step's name, or None if it has no such step."""
    loader = (OBJECTS / "loader-kill-at").read_text()
    done = subprocess.run(
        [*map(str, prefix), loader, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CPOL_KILL_AT": str(step)},
    )
    if done.returncode == 0:
        return None
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stderr.strip()
