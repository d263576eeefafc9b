"""A disk of the machine: a raw image, with optional limits per second."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

_SUFFIX = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_AMOUNT = re.compile(r"(\d+)([kmg]?)", re.IGNORECASE)


@dataclass(frozen=True)
class Disk:
    """A raw image as a virtio disk; the first is /dev/vda in the guest, the second /dev/vdb."""

    path: Path
    bps: int = 0
    """Bytes per second, reads and writes together; 0: no limit."""
    iops: int = 0
    """Requests per second; 0: no limit."""
    readonly: bool = False

    @classmethod
    def parse(cls, text: str) -> Disk:
        """Read `FILE[:bps=N][:iops=N][:ro]`, where N may end in k, M or G (powers of 1024).

        Raises:
            ValueError: an option is unknown, or its value is malformed.
        """
        file, *options = text.split(":")
        limits = {"bps": 0, "iops": 0}
        readonly = False
        for option in options:
            name, _, value = option.partition("=")
            if option == "ro":
                readonly = True
            elif name in limits:
                limits[name] = _amount(value)
            else:
                raise ValueError(f"unknown disk option `{option}`: known are bps=N, iops=N and ro")
        return cls(Path(file), limits["bps"], limits["iops"], readonly)

    def arguments(self, number: int) -> list[str]:
        """QEMU's arguments for this disk, the `number`-th.

        A disk with limits goes through the host's page cache, so that its speed depends on the limit and not on other
        work of the host's disk. A disk without limits bypasses that cache where the file system can.
        """
        direct = not (self.bps or self.iops) and opens_direct(self.path)
        drive = [
            f"if=none,id=disk{number},format=raw,discard=unmap",
            f"file={quote(self.path.resolve())}",
            f"cache={'none' if direct else 'writeback'}",
        ]
        if self.readonly:
            drive.append("readonly=on")
        if self.bps:
            drive.append(f"throttling.bps-total={self.bps}")
        if self.iops:
            drive.append(f"throttling.iops-total={self.iops}")
        return ["-drive", ",".join(drive), "-device", f"virtio-blk-pci,drive=disk{number}"]


def _amount(text: str) -> int:
    found = _AMOUNT.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise ValueError(f"`{text}` is not an amount: write a positive number, such as 500 or 9M (k, M or G)")
    return int(found[1]) * _SUFFIX[found[2].lower()]


def quote(value: object) -> str:
    """Quote a value for QEMU's option parser, which reads a double comma as one comma."""
    return str(value).replace(",", ",,")


def opens_direct(path: Path) -> bool:
    """Whether the file system of `path` can bypass the host's page cache."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        return False
    return True
