"""Runs in the machine (see guest.py): a cgroup of two programs swaps, and a policy keeps the memory of one of them.

The one filled its array first, so the kernel's LRU takes it first. Each figure is a count.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import cgroup, check, eventually, good, main, no_complaint, obj, remove
from regime_checks import attached, shrink, start, swap

HOT, COLD = 1024, 4096
"""Pages of the arrays."""
LEFT = 3072
"""Pages that the limit leaves, and what the programs take besides."""
LIMIT = 256 << 20
"""Bytes: a share of it may be kept in a second."""
ARMS = {"none": None, "keep": "most=1048576", "few": "most=1"}


def swapped(pid: int) -> int:
    """Pages of a process that are out."""
    found = re.search(r"VmSwap:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) // 4


def one_arm(setting: str | None) -> dict[str, int]:
    path = cgroup(f"keep{time.monotonic_ns()}")
    (path / "memory.max").write_text(str(LIMIT))  # nothing is kept without one
    with swap():
        if setting:
            good("attach", obj("keep_heap"), path, "--input", "hot=hot", "--set", setting)
        hot = start(path, "hot", HOT, name="hot")
        cold = start(path, "cold", COLD)
        begun = time.monotonic()
        shrink(path, int((path / "memory.current").read_text()) - (HOT + COLD - LEFT) * 4096)
        figures = {"hot": swapped(hot.pid), "cold": swapped(cold.pid), "seconds": int(time.monotonic() - begun) + 1}
        if setting:
            told = json.loads(good("stat", "--json", path))
            figures |= {key: told[f"out_{key}"] for key in ("asked", "kept", "refused", "overruled")}
        for program in (hot, cold):  # they check what they read
            program.communicate("\n")
            assert program.returncode == 0
        if setting:
            good("detach", path)
            eventually(lambda: not attached(path), "the policy is still there")
    events = dict(line.split() for line in (path / "memory.events").read_text().splitlines())
    assert events["oom"] == "0", events
    remove(path)
    return figures


@check
def memory_of_a_command_is_kept() -> dict[str, dict[str, int]]:
    found = {arm: one_arm(setting) for arm, setting in ARMS.items()}
    print(found, file=sys.stderr, flush=True)
    no_complaint()
    return found


if __name__ == "__main__":
    main()
