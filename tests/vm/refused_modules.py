"""Runs in a machine with the stock kernel: changed copies of the module, which must refuse to load and say why.

  python -I refused_modules.py CACHE_EXT.KO

A copy differs from the module in a string: what it was built for, or the name of a function. Prints a line of JSON for
each copy, with what the kernel's log said.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

COPY = Path("/tmp/cache_ext.ko")


def replaced(module: bytes, was: bytes, becomes: bytes) -> bytes:
    """The module with one string of C in place of another, of the same length."""
    assert len(was) == len(becomes), (was, becomes)
    assert b"\0" + was + b"\0" in module, was
    return module.replace(b"\0" + was + b"\0", b"\0" + becomes + b"\0")


def kernel_symbols() -> list[str]:
    """The names of the kernel's symbols, without modules."""
    lines = Path("/proc/kallsyms").read_text().splitlines()
    return [line.split()[2] for line in lines if not line.endswith("]")]


def copies(module: bytes) -> Iterator[tuple[str, bytes]]:
    """A name and the changed module."""
    prototype = b"void (struct lruvec *, struct scan_control *)"
    yield "prototype", replaced(module, prototype, prototype.replace(b"scan_control", b"scan_chances"))
    layout = re.search(rb"\0(128 bytes 0x[0-9a-f]+)\0", module) or re.search(rb"\0([0-9]+ bytes 0x[0-9a-f]+)\0", module)
    assert layout
    digit = b"1" if layout[1].endswith(b"0") else b"0"
    yield "layout", replaced(module, layout[1], layout[1][:-1] + digit)
    symbols = Counter(kernel_symbols())
    # A function that the module names in a text only: it imports none of this name.
    caller = b"mark_page_accessed"
    assert symbols["vfs_getxattr_alloc"] == 1
    yield "call", replaced(module, caller, b"vfs_getxattr_alloc")
    absent = b"mark_page_accessor"
    assert symbols[absent.decode()] == 0
    yield "caller", replaced(module, caller, absent)
    twice = next(name for name, count in symbols.items() if count > 1 and len(name) == len("vm_swappiness"))
    yield "ambiguous", replaced(module, b"vm_swappiness", twice.encode())
    yield "missing", replaced(module, b"vm_swappiness", b"vm_swappiest_")


def log() -> list[str]:
    done = subprocess.run(["dmesg"], capture_output=True, text=True, check=True)
    return [line.partition("] ")[2] for line in done.stdout.splitlines()]


def main(path: Path) -> None:
    module = path.read_bytes()
    for name, copy in copies(module):
        COPY.write_bytes(copy)
        before = len(log())
        done = subprocess.run(["insmod", str(COPY)], capture_output=True, text=True, check=False)
        said = [line for line in log()[before:] if line.startswith("cache_ext: ") and "taint" not in line]
        print(json.dumps({"name": name, "code": done.returncode, "insmod": done.stderr, "said": said}), flush=True)
        subprocess.run(["rmmod", "cache_ext"], capture_output=True, check=False)
    done = subprocess.run(["insmod", str(path)], capture_output=True, text=True, check=False)
    print(json.dumps({"name": "unchanged", "code": done.returncode, "insmod": done.stderr, "said": []}), flush=True)


main(Path(sys.argv[1]))
