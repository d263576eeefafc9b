"""Runs in the machine, in a cgroup: ripgrep passes over a tree. `search_passes.py RG TREE PATTERN PASSES`

It prints "ready", waits for a line, searches once to fill the cache, and prints the seconds and the pages that the
PASSES after that read from the disk, as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path


def pages_read() -> int:
    """Pages that this process' children have read from the disk so far, and itself."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["read_bytes"]) // 4096


def main(rg: str, tree: str, pattern: str, passes: str) -> None:
    def search() -> None:
        words = [rg, "--no-config", "--sort", "path", "--no-mmap", "--count", pattern, tree]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

    print("ready", flush=True)
    sys.stdin.readline()
    search()
    before, begun = pages_read(), time.monotonic()
    for _ in range(int(passes)):
        search()
    seconds = time.monotonic() - begun
    print(json.dumps({"passes": int(passes), "seconds": seconds, "pages": pages_read() - before}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
