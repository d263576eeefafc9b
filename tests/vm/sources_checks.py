"""Runs in the machine (see guest.py): random policies are attached, read a file twice the limit, and are detached.

Each object is one policy, made from source text (tests/sources). The verifier must accept what the compiler accepts.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import (
    CHECKS,
    OBJECTS,
    big_file,
    cgroup,
    good,
    main,
    no_complaint,
    nothing_left,
    obj,
    read_whole,
    remove,
    run_in,
)

LIMIT = 4 << 20
SIZE = 2 * LIMIT


def works(name: str) -> dict[str, int]:
    path, file = cgroup("sources", LIMIT), big_file("whole", SIZE)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    good("attach", obj(name), path)
    run_in(path, lambda: read_whole(file))
    stat = json.loads(good("stat", path, "--json"))
    assert stat["name"] == name and stat["nomem"] == 0, stat
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {key: value for key, value in stat.items() if isinstance(value, int)}


for policy in sorted(found.name.removesuffix(".bpf.o") for found in OBJECTS.glob("*.bpf.o")):
    CHECKS[policy] = partial(works, policy)


@partial(CHECKS.__setitem__, "log")
def log() -> dict[str, int]:
    no_complaint()
    return {}


if __name__ == "__main__":
    main()
