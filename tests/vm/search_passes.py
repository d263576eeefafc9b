"""Runs in the machine, in a cgroup: ripgrep passes over a tree. `search_passes.py ROOT PATTERN PASSES`

ROOT has ripgrep with its libraries, and the folder `tree`. It becomes the root folder: the machine's own is the host's,
and answers by the host's clock. It prints "ready", waits for a line, searches once to fill the cache, and prints the
seconds and the pages that the PASSES after that read from the disk, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time


def pages_read(counts: int) -> int:
    """Pages that this process and its children have read from the disk so far."""
    fields = dict(line.split(": ") for line in os.pread(counts, 4096, 0).decode().splitlines())
    return int(fields["read_bytes"]) // 4096


def search(pattern: str, nowhere: int) -> None:
    """Search in a child process, which prints to `nowhere`."""
    words = ["rg", "--no-config", "--sort", "path", "--no-mmap", "--count", pattern, "/tree"]
    pid = os.posix_spawn("/usr/bin/rg", words, {}, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)])
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == 0, f"rg: exit code {status}"


def main(root: str, pattern: str, passes: str) -> None:
    counts = os.open("/proc/self/io", os.O_RDONLY)
    nowhere = os.open("/dev/null", os.O_WRONLY)
    os.chroot(root)
    os.chdir("/")
    print("ready", flush=True)
    sys.stdin.readline()
    search(pattern, nowhere)
    before, begun = pages_read(counts), time.monotonic()
    for _ in range(int(passes)):
        search(pattern, nowhere)
    seconds = time.monotonic() - begun
    print(json.dumps({"passes": int(passes), "seconds": seconds, "pages": pages_read(counts) - before}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
