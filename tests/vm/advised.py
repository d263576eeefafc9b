"""What `cpolc advise` says of a recording, beside what its policies read in the machine (tests/bench/advise)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

FIRST = 3
"""So many policies of an advice are run."""
NEAR = 0.05
"""A cell that differs by more is bold."""
WORSE = 0.02
"""With `try`, the ranking's first may read so much more than the default."""
GAIN = 0.03
"""With `keep`, no policy may save so much."""
DISK = "/mnt"

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """A policy: the disk reads that were foretold of the whole run, and those of the machine."""

    policy: str
    foretold: int
    measured: int = 0
    failure: str = ""

    @property
    def difference(self) -> float:
        """Of what was foretold, as a share of what was measured."""
        return self.foretold / max(1, self.measured) - 1

    @property
    def is_near(self) -> bool:
        return not self.failure and abs(self.foretold - self.measured) <= NEAR * self.measured


@dataclass(frozen=True)
class Advised:
    """A workload's advice."""

    work: str
    verdict: str
    default: Cell
    cells: list[Cell]
    plan: list[dict[str, Any]]
    """As foretold_runs.Attached has them."""
    agains: list[int]
    """What other runs under the default read."""
    skipped: list[str] = field(default_factory=list)

    def measured(self, figures: Json) -> Advised:
        """The same with what the second machine measured."""
        cells = [
            replace(cell, failure=each["failure"]) if "failure" in each else replace(cell, measured=each["pages"])
            for cell, each in zip(self.cells, (figures[str(number)] for number in range(len(self.plan))), strict=True)
        ]
        return replace(self, cells=cells, agains=[*self.agains, figures["again"]["pages"]])

    @property
    def usual(self) -> int:
        """The default's disk reads: the median of all its runs."""
        runs = sorted([self.default.measured, *self.agains])
        return runs[len(runs) // 2]

    @property
    def noise(self) -> float:
        """How far the runs of the default are apart, as a share of the usual one."""
        runs = [self.default.measured, *self.agains]
        return (max(runs) - min(runs)) / max(1, self.usual)

    @property
    def failings(self) -> list[str]:
        """What the advice did not keep."""
        found = []
        ran = [cell for cell in self.cells if not cell.failure]
        if self.verdict == "try" and ran and ran[0] is self.cells[0] and ran[0].measured > (1 + WORSE) * self.usual:
            found.append(f"the first reads {(ran[0].measured / self.usual - 1) * 100:.1f} % more than the default")
        best = min((cell.measured for cell in ran), default=self.usual)
        if self.verdict == "keep" and best < (1 - GAIN) * self.usual:
            found.append(f"keep, but a policy saves {(1 - best / self.usual) * 100:.1f} %")
        return found


def ask(recording: Path) -> dict[str, Any]:
    """What `cpolc advise` says, as JSON."""
    command = [str(Path(sys.executable).with_name("cpolc")), "advise", str(recording), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def of(work: str, advice: Json, recorded: Json, paths: Mapping[str, str]) -> Advised:
    """The first policies that another run can be given.

    What an input names is known there by other names: threads by their parts of the workload, files by their paths.
    """
    parts = {str(thread): part for part, thread in recorded["threads"].items()}
    cells, plan, skipped = [], [], []
    for row in advice["policies"]:
        if len(plan) == FIRST:
            break
        told = plan_of(row, parts, paths)
        if told is None:
            skipped.append(row["policy"])
            continue
        plan.append(told)
        cells.append(Cell(named(row), whole(row)))
    default = Cell(advice["default"]["policy"], whole(advice["default"]), recorded["recorded"]["pages"])
    return Advised(work, advice["verdict"], default, cells, plan, [], skipped)


def whole(row: Json) -> int:
    """The disk reads of the whole run, with readahead played anew if it was: `reads` is the half that judges."""
    said = row["with_readahead"] or {"chosen_by": row["chosen_by_reads"], "reads": row["reads"]}
    return int(said["chosen_by"]) + int(said["reads"])


def named(row: Json) -> str:
    return " ".join([row["policy"], *(f"{name}={value}" for name, value in row["params"].items())])


def plan_of(row: Json, parts: Mapping[str, str], paths: Mapping[str, str]) -> dict[str, Any] | None:
    """How to attach it in another run; None: its input names what does not live there."""
    plan = {"policy": row["policy"], "settings": [f"{name}={value}" for name, value in row["params"].items()]}
    if (told := row["input"]) is None:
        return plan
    plan["input"] = told["name"]
    if told["name"] == "scanners":
        if not set(told["keys"]) <= parts.keys():
            return None
        return plan | {"parts": [parts[key] for key in told["keys"]]}
    if told["name"] in ("kept", "scattered"):
        if not set(told["keys"]) <= paths.keys():
            return None
        return plan | {"values": [f"{DISK}{paths[key]}" for key in told["keys"]]}
    return plan | {"values": told["keys"]}


def table(found: Sequence[Advised]) -> str:
    """The table, and what it comes to, less advice that was withheld. Cells that differ by more than NEAR are bold."""
    lines = ["| workload | advice | policy | foretold | measured | difference | of the default |", "| --- " * 7 + "|"]
    for each in found:
        lines.append(line(each.work, each.verdict, each.default, each.usual))
        lines += [line("", "", cell, each.usual) for cell in each.cells]
    cells = [cell for each in found if each.verdict != "withheld" for cell in (each.default, *each.cells)]
    near = sum(cell.is_near for cell in cells)
    lines += [
        "",
        f"{near} of {len(cells)} cells are within {NEAR * 100:.0f} % ({near / max(1, len(cells)) * 100:.0f} %).",
    ]
    for each in found:
        runs = ", ".join(f"{run:,}" for run in (each.default.measured, *each.agains))
        lines.append(f"{each.work}: the default read {runs} ({each.noise * 100:.1f} % apart).")
        if each.skipped:
            lines.append(f"{each.work}: not run, since its input names what has gone: {', '.join(each.skipped)}.")
        lines += [f"{each.work}: {failing}." for failing in each.failings]
        lines += [f"{each.work}: {cell.policy}: {cell.failure}" for cell in each.cells if cell.failure]
    return "\n".join(lines)


def line(work: str, verdict: str, cell: Cell, usual: int) -> str:
    bold = "" if cell.is_near else "**"
    measured, difference = f"{cell.measured:,}", f"{bold}{cell.difference * 100:+.1f} %{bold}"
    if cell.failure:
        measured = difference = "not run"
    share = f"{cell.measured / max(1, usual):.2f}" if not cell.failure else ""
    return f"| {' | '.join((work, verdict, cell.policy, f'{cell.foretold:,}', measured, difference, share))} |"
