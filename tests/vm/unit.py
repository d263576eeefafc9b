"""Runs in the machine: the loader with no more rights than the systemd unit has."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from guest import LOADER

CONFINE = Path(__file__).with_name("confine.py")
UNIT = Path(__file__).parents[2] / "runtime" / "operate" / "systemd" / "cpol@.service"
FOR_THE_MODULE = UNIT.with_name("cpol@.service.d") / "stock-kernel.conf"


def capabilities(unit: Path) -> list[str]:
    found = re.search(r"^CapabilityBoundingSet=(.*)$", unit.read_text(), re.MULTILINE)
    assert found
    return [name.removeprefix("CAP_").lower() for name in found[1].split()]


def confined(names: Sequence[str], *words: object) -> subprocess.CompletedProcess[str]:
    """Run the loader with these capabilities and the unit's system calls."""
    caps = ",".join(["-all", *(f"+{name}" for name in names)])
    setpriv = ["setpriv", f"--bounding-set={caps}", f"--inh-caps={caps}", "--no-new-privs"]
    command = [*setpriv, sys.executable, "-I", CONFINE, UNIT, LOADER, *words]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
