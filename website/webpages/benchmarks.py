"""A page of drawings of what was measured, from the JSON beside docs/measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from webpages.drawings import bars

COLUMNS = {
    "vanilla": "no patches",
    "none": "patched, idle",
    "leave": "no-op",
    "noop": "empty FIFO",
    "lfu": "lfu",
    "s3fifo": "s3fifo",
    "lfu_map": "lfu, hash map",
    "stock": "no module",
    "module-none": "module, idle",
    "module-leave": "module, no-op",
    "module-noop": "module, empty FIFO",
    "module-lfu": "module, lfu",
    "module-s3fifo": "module, s3fifo",
}
"""Columns of kernel-cost.json, in the order of its page."""

COSTS = {"hit": "A cached read of 4 KiB", "miss": "A miss, reclaim included"}


def page(measured: Path) -> str:
    """The page."""
    parts = [
        "# Benchmarks",
        "Drawn from the JSON files that the benchmarks write. [All pages](../docs/measured/README.md)",
    ]
    parts += ["## What the kernel executes", "Instructions; [how](../docs/measured/kernel-cost.md)."]
    cost = _read(measured / "kernel-cost.json")["figures"]
    for key, title in COSTS.items():
        rows = [(label, cost[key][column]) for column, label in COLUMNS.items() if column in cost[key]]
        parts += [f"### {title}", bars(rows, "", f"{title}: instructions by kernel and policy")]
    parts += [
        "## What a neighbour feels",
        "A miss in a cgroup without a policy; [how](../docs/measured/neighbours.md).",
    ]
    neighbours = _read(measured / "neighbours.json")["figures"]
    for kernel, figures in neighbours.items():
        worst = sorted(
            ((name, arm["beside"]["miss"] - arm["attached"]["miss"]) for name, arm in figures["arms"].items()
             if "miss" in arm.get("beside", {}) and "miss" in arm.get("attached", {})),
            key=lambda row: -row[1],
        )[:10]  # fmt: skip
        what = f"The ten policies beside which it grows most, of {len(figures['arms'])}: instructions more"
        alone = f"Alone it takes {figures['alone']['miss']:,.0f}."
        parts += [f"### On the {'patched kernel' if kernel == 'patched' else 'kernel with the module'}",
                  f"{what}. {alone}", bars(worst, "", what)]  # fmt: skip
    sweeps = _read(measured / "sweeps.json")
    parts += ["## Sweeps", "Seconds; [how](../docs/measured/sweeps.md)."]
    for key, title in (("small", "Many small traces"), ("large", "A large trace")):
        rows = [(way, figures["seconds"]) for way, figures in sweeps[key].items()]
        parts += [f"### {title}", bars(rows, "s", f"{title}: seconds by way")]
    return "\n\n".join(parts) + "\n"


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
