"""Runs in the machine (see guest.py): the graph engine of examples/graph under several policies; pages that it reads.

`plan.json` beside the objects says the limit, the pages that are pinned, and the engine's words for each workload. The
graph and the engine lie there, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import DISK, OBJECTS, cgroup, check, good, main, no_bpf_left, no_complaint, nothing_left, obj, remove

LRU_GEN = Path("/sys/kernel/mm/lru_gen/enabled")
OWN_TABLES = 64
"""Pages. Without them the engine would be out of memory: what it caches itself cannot be reclaimed."""
ARMS = ("default LRU", "MGLRU", "lfu", "graph", "graph, pinned", "own cache")

Figures = dict[str, float]
"""Pages read from the disk and seconds; of policies how many pages they own in the end, and how many are pinned."""


def run(arm: str, words: list[str], plan: dict[str, int], pages: int) -> Figures:
    """Run the engine with a cold cache in a new cgroup. `pages`: of its own cache."""
    policy = arm.split(",")[0] if arm.startswith(("lfu", "graph")) else None
    path = cgroup("engine", plan["limit"])
    if LRU_GEN.exists():
        LRU_GEN.write_text("y" if arm == "MGLRU" else "n")
    if policy:
        told = ("--set", f"pages={plan['pages']}", "--input", f"edges={DISK / 'edges'}") if policy == "graph" else ()
        good("attach", obj(policy), path, *told)
    how = {"graph": ["tell"], "graph, pinned": ["tell", f"hubs={plan['hubs']}"], "own cache": [f"cache={pages}"]}
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")
    enter = ["sh", "-c", f'echo $$ >{path}/cgroup.procs && exec "$0" "$@"', str(OBJECTS / "graph")]
    begun = time.monotonic()
    done = subprocess.run([*enter, words[0], str(DISK / "edges"), *words[1:], *how.get(arm, [])], capture_output=True)
    figures: Figures = {"seconds": round(time.monotonic() - begun, 1)}
    assert done.returncode == 0, (arm, done)
    said = done.stdout.decode().split()
    figures["pages"] = int(said[said.index("read_bytes") + 1]) // 4096
    assert "oom_kill 0" in (path / "memory.events").read_text()
    if policy:
        stat = json.loads(good("stat", path, "--json"))
        assert stat["state"] == "attached" and stat["evicted"] > 0, stat
        figures |= {
            key: stat[key] for key in ("owned", "pinned", "pin_refused", "pin_overruled", "fallback") if key in stat
        }
        good("detach", path)
        nothing_left(path)
    remove(path)
    return figures


@check
def graph_reads() -> dict[str, dict[str, Figures]]:
    plan = json.loads((OBJECTS / "plan.json").read_text())
    shutil.copy(OBJECTS / "edges", DISK / "edges")
    found: dict[str, dict[str, Figures]] = {}
    for workload, words in plan["workloads"].items():
        found[workload] = {}
        for arm in ARMS:
            if arm == "MGLRU" and not LRU_GEN.exists():
                continue
            # As many pages as the policy had, but for what the cache's own tables take.
            pages = int(found[workload].get("graph", {}).get("owned", 0)) - OWN_TABLES
            found[workload][arm] = run(arm, words, plan, pages)
            print(workload, arm, found[workload][arm], file=sys.stderr, flush=True)
    no_bpf_left()
    no_complaint()
    return found


if __name__ == "__main__":
    main()
