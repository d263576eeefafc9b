"""Checks in the machine (attach_checks.py): dozens of cgroups, each with a policy of its own."""

from __future__ import annotations

import json
from pathlib import Path

from guest import (
    PINS,
    big_file,
    cgroup,
    check,
    good,
    kernel_lines,
    no_bpf_left,
    no_complaint,
    obj,
    read_whole,
    remove,
    run_in,
)

COUNT = 40
POLICIES = ("fifo", "lfu")
READ_EVERY = 10
"""One cgroup of so many reads."""
MIB = 1 << 20


@check
def dozens_of_cgroups_with_policies() -> dict[str, int]:
    """Each is attached, listed, counted and changed alone. Half are detached; half go, and are swept up together."""
    file = big_file("whole", 8 * MIB)
    paths = [cgroup(f"many-{number}", 4 * MIB) for number in range(COUNT)]
    for number, path in enumerate(paths):
        good("attach", obj(POLICIES[number % 2]), path)
    for path in paths[::READ_EVERY]:
        Path("/proc/sys/vm/drop_caches").write_text("1")  # else it is another one's that has it cached
        run_in(path, lambda: read_whole(file))
    listed = {line["cgroup"]: line for line in json.loads(good("list", "--json"))}
    assert len(listed) == COUNT, len(listed)
    for number, path in enumerate(paths):
        assert listed[path.stat().st_ino]["policy"] == POLICIES[number % 2], (path, listed)
        (line,) = kernel_lines(path)
        assert line["state"] == "attached", line
        assert (int(line["evicted"]) > 0) == (number % READ_EVERY == 0), line
    assert len(good("list").splitlines()) == COUNT
    for path in paths[::2]:
        good("detach", path)
    for path in paths[1::2]:
        remove(path)
    good("detach", "--gone")
    assert not kernel_lines() and not [*PINS.iterdir()]
    for path in paths[::2]:
        remove(path)
    no_bpf_left()
    no_complaint()
    return {"cgroups": COUNT}
