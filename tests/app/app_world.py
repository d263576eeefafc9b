"""Folders of pins and cgroups as a kernel would have them."""

from __future__ import annotations

import os
import struct
from pathlib import Path

PAGE = 4096
MAGIC = 0x316172726C6F7063
KINDS = {"u": 0, "s": 1, "fix": 2, "bool": 3}


class World:
    """A cgroup `app/worker` of this process, and pins of `app`'s policy."""

    def __init__(self, folder: Path) -> None:
        self.cgroups, self.pins = folder / "cgroups", folder / "pins"
        own = next(line[4:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::/"))
        self.own = self.cgroups / own
        self.own.mkdir(parents=True, exist_ok=True)
        self.pins.mkdir()

    def attach(self, cgroup: Path, kind: str = "") -> Path:
        """Make the folder of pins of a cgroup."""
        folder = self.pins / f"{cgroup.stat().st_ino}{kind}"
        folder.mkdir()
        return folder

    def array(self, folder: Path, name: str, size: int = 3000, width: int = 4, bits: int = 32, kind: str = "u") -> Path:
        half = -(-size * width // PAGE) * PAGE
        header = struct.pack("<QQIIII", MAGIC, size, width, bits, KINDS[kind], 0)
        path = folder / f"cpol_input_{name}"
        path.write_bytes(header + bytes(PAGE + 2 * half - len(header)))
        (folder / f"cpol_sync_{name}").touch()
        return path

    def environment(self) -> dict[str, str]:
        return {**os.environ, "FAKE_PINS": str(self.pins), "FAKE_CGROUPS": str(self.cgroups)}
