"""What `cpolc sim` foretells of a recording, beside what policies missed in the machine (foretold_runs.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

NEAR = 0.05
"""A row that is not marked differs by no more."""


@dataclass(frozen=True)
class Row:
    policy: str
    foretold: int
    real: int
    doubts: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """Of what was foretold, as a share of what was real."""
        return (self.foretold - self.real) / self.real

    @property
    def is_near(self) -> bool:
        return abs(self.difference) <= NEAR


def simulate(recording: Path, policies: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The rows of `cpolc sim` with its defaults, by policy."""
    words = ["sim", *policies, "--trace", str(recording), "--json"]
    command = [str(Path(sys.executable).with_name("cpolc")), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {row["policy"]: row for row in map(json.loads, done.stdout.splitlines())}


def compare(recording: Path, figures: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """A row for each policy that ran, the fewest foretold misses first."""
    policies = [name for name in figures if name != "default"]
    told = simulate(recording, policies)
    rows = [Row(name, told[name]["misses"], figures[name]["misses"], tuple(told[name]["doubts"])) for name in policies]
    return sorted(rows, key=lambda row: row.foretold)


def ranks(numbers: Sequence[int]) -> list[int]:
    """The rank of each, from 1. Equal ones have the same."""
    return [1 + sum(other < one for other in numbers) for one in numbers]


def kendall(rows: Sequence[Row]) -> tuple[float, int, int]:
    """Kendall's tau (b, which leaves ties out). Then the pairs in the real order, and those in the other."""
    agree = disagree = differ_foretold = differ_real = 0
    for one, other in combinations(rows, 2):
        foretold, real = one.foretold - other.foretold, one.real - other.real
        agree, disagree = agree + (foretold * real > 0), disagree + (foretold * real < 0)
        differ_foretold, differ_real = differ_foretold + (foretold != 0), differ_real + (real != 0)
    pairs = (differ_foretold * differ_real) ** 0.5
    return (agree - disagree) / pairs if pairs else 1.0, agree, disagree


def best_is_near(rows: Sequence[Row]) -> bool:
    """Whether the policy with the fewest foretold misses really missed at most NEAR more than the best one."""
    chosen = min(rows, key=lambda row: row.foretold)
    return chosen.real <= min(row.real for row in rows) * (1 + NEAR)


def table(rows: Sequence[Row]) -> str:
    """The table, and what it comes to. Rows that differ by more than NEAR are bold; `?` is the simulator's mark."""
    foretold, real = ranks([row.foretold for row in rows]), ranks([row.real for row in rows])
    lines = ["| policy | foretold | real | difference | rank foretold | rank real |", "| --- " * 6 + "|"]
    for row, first, second in zip(rows, foretold, real, strict=True):
        mark = f"? ({', '.join(row.doubts)})" if row.doubts else ""
        difference = f"{row.difference * 100:+.1f} %"
        bold = "" if row.is_near else "**"
        cells = (row.policy, f"{row.foretold:,}{mark}", f"{row.real:,}", f"{bold}{difference}{bold}", first, second)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    tau, agree, disagree = kendall(rows)
    best, chosen = min(rows, key=lambda row: row.real), min(rows, key=lambda row: row.foretold)
    lines += [
        "",
        f"Kendall's tau {tau:.2f}: {agree} pairs foretold in the real order, {disagree} in the other, "
        f"{len(rows) * (len(rows) - 1) // 2 - agree - disagree} tied.",
        f"Foretold as the best: {chosen.policy}, with {chosen.real:,} real misses; the best: {best.policy}, with "
        f"{best.real:,}. {'Within' if best_is_near(rows) else 'Not within'} {NEAR * 100:.0f} %.",
    ]
    return "\n".join(lines)
