"""A page of drawings of what was measured, from the JSON beside docs/measured."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
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

KEYSTROKES = {"right": "errors, right syntax", "wrong": "errors, wrong syntax", "completion": "completion"}

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
        "What an operation in a cgroup without a policy takes more once a policy beside it has run;\n"
        "[how, and each policy](../docs/measured/neighbours.md).",
    ]
    for kernel, figures in _read(measured / "neighbours.json")["figures"].items():
        where = "patched kernel" if kernel == "patched" else "kernel with the module"
        grown = growth(figures["arms"])
        what = f"Percent of the operation's instructions, the median of {len(figures['arms'])} policies"
        parts += [f"### On the {where}", f"{what}.", bars(grown, "%", f"{what}, on the {where}")]
    parts += ["## What a keystroke takes", "Milliseconds in the language server; [how](../docs/measured/editor.md)."]
    for policy, figures in _read(measured / "editor.json")["policies"].items():
        rows = [
            (f"{what}, {which}", figures[key]["passed"][name])
            for key, what in KEYSTROKES.items()
            for name, which in (("median", "median"), ("p95", "95 %"))
        ]
        parts += [f"### In {policy}", bars(rows, "ms", f"Milliseconds a keystroke in {policy}")]
    sweeps = _read(measured / "sweeps.json")
    parts += ["## Sweeps", "Seconds; [how](../docs/measured/sweeps.md)."]
    for key, title in (("small", "Many small traces"), ("large", "A large trace")):
        rows = [(way, figures["seconds"]) for way, figures in sweeps[key].items()]
        parts += [f"### {title}", bars(rows, "s", f"{title}: seconds by way")]
    return "\n\n".join(parts) + "\n"


def growth(arms: dict[str, Any]) -> list[tuple[str, float]]:
    """Of each operation, how much more it takes beside a policy that ran than once that was attached: the median."""
    ratios: dict[str, list[float]] = {}
    for arm in arms.values():
        for operation, instructions in arm.get("beside", {}).items():
            if operation in arm.get("attached", {}):
                ratios.setdefault(operation, []).append(instructions / arm["attached"][operation])
    return [(operation, 100 * (median(found) - 1)) for operation, found in ratios.items()]


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
