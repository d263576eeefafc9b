#!/usr/bin/env python3
"""Run the cells of docs/measured/papers.toml: each table and figure of the papers, a fresh machine for each cell.

    scripts/reproduce [NAME…] [--keep] [--again] [--seed N] [--list]     all cells, or those whose names match
    scripts/reproduce --quick [NAME…]                                    one cell of each group, counts compared

NAME       a group, such as `ycsb`, or a cell, such as `ycsb/c/lfu/1`; `*` and `?` stand for anything
--keep     write each result to docs/measured/reproduced as it comes, and docs/measured/papers.md anew
--again    also cells that have a result in build/reproduce already
--seed     of the order, in which cells run shuffled; it is printed
--list     print the names of the cells and their commands, and run nothing
--quick    the cell of each group that papers.toml names; fail if a count is not near the kept one

Each cell leaves build/reproduce/NAME.json, and what it printed in NAME.log. If you stop it, start it again: it goes on
with the cells that have no result.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import papers

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "reproduce"
TEMPORARY = "{json}"


@dataclass(frozen=True)
class Cell:
    group: str
    name: str
    command: str

    @property
    def full_name(self) -> str:
        return f"{self.group}/{self.name}"

    def file(self, ending: str) -> Path:
        return BUILD / f"{self.full_name}{ending}"


def all_cells() -> list[Cell]:
    return [
        Cell(name, cell, command) for name, group in papers.groups().items() for cell, command in group.cells().items()
    ]


def quick_cells() -> list[Cell]:
    """The cells of `--quick`. Those of which nothing was kept are named, and left out."""
    wanted = {f"{name}/{group.quick}" for name, group in papers.groups().items() if group.quick}
    cells = [cell for cell in all_cells() if cell.full_name in wanted]
    for cell in cells:
        if cell.name not in papers.kept(cell.group):
            told = f"left out, since nothing was kept to compare with: scripts/reproduce {cell.full_name} --keep"
            print(f"reproduce: {cell.full_name}: {told}", file=sys.stderr)
    return [cell for cell in cells if cell.name in papers.kept(cell.group)]


def chosen_cells(cells: list[Cell], names: list[str]) -> list[Cell]:
    """The cells that the names mean; all if there are none.

    Raises:
        SystemExit: a name means none.
    """
    for name in names:
        if not any(is_meant(cell, name) for cell in cells):
            known = ", ".join(dict.fromkeys(cell.group for cell in cells))
            sys.exit(f"reproduce: no cell is named `{name}`; the groups are {known} (--list shows the cells)")
    return [cell for cell in cells if not names or any(is_meant(cell, name) for name in names)]


def is_meant(cell: Cell, name: str) -> bool:
    return name == cell.group or fnmatchcase(cell.full_name, name) or fnmatchcase(cell.full_name, f"{name}/*")


def commit() -> str:
    """The tree that runs. A `+` says that it differs from the commit."""
    words = ("git", "-C", str(ROOT))
    head = subprocess.run([*words, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True)
    changed = subprocess.run([*words, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
    return head.stdout.strip() + ("+" if changed.stdout else "")


def machine() -> str:
    cpu = Path("/proc/cpuinfo").read_text()
    models = [line.split(": ")[1] for line in cpu.splitlines() if line.startswith("model name")]
    qemu = subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, text=True, check=True).stdout
    version = qemu.split("version ")[1].split()[0]
    return f"{platform.machine().replace('_', '-')}, {len(models)} processors ({models[0]}), QEMU {version}"


def run(cell: Cell) -> bool:
    """Run the cell; write its result. Returns whether it succeeded."""
    result, log = cell.file(".json"), cell.file(".log")
    result.parent.mkdir(parents=True, exist_ok=True)
    made = papers.groups()[cell.group].writes
    figures = ROOT / made if made else cell.file(".figures")
    figures.unlink(missing_ok=True)
    words = [word.replace(TEMPORARY, str(figures)) for word in shlex.split(cell.command)]
    begun = time.monotonic()
    with log.open("wb") as out:
        done = subprocess.run([ROOT / words[0], *words[1:]], cwd=ROOT, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    if done.returncode or not figures.exists():
        why = f"exit code {done.returncode}" if done.returncode else f"it wrote no {figures}"
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        print(f"{tail}\nreproduce: {cell.full_name}: {why}: {shlex.join(words)}; all of it: {log}", file=sys.stderr)
        return False
    told = {
        "commit": commit(),
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "seconds": round(time.monotonic() - begun),
        "figures": json.loads(figures.read_text()),
    }
    partial = cell.file(".partial")
    partial.write_text(json.dumps(told, indent=1, sort_keys=True) + "\n")
    partial.replace(result)
    if not made:
        figures.unlink()
    return True


def keep(cells: list[Cell]) -> None:
    """Put the results of the cells into the files of their groups."""
    papers.KEPT.mkdir(exist_ok=True)
    for group in dict.fromkeys(cell.group for cell in cells):
        kept = dict(papers.kept(group))
        kept |= {cell.name: json.loads(cell.file(".json").read_text()) for cell in cells if cell.group == group}
        text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
        (papers.KEPT / f"{group}.json").write_text(text, encoding="utf-8")
    papers.kept.cache_clear()
    papers.main([])


def differences(cell: Cell, figures: Any) -> list[str]:
    """The counts of the cell that are not near those that were kept."""
    group, kept = papers.groups()[cell.group], papers.kept(cell.group)
    found = []
    for path in group.counts:
        ours = papers.at(path, figures, cell.full_name)
        before = papers.at(path, kept[cell.name]["figures"], f"{cell.group}.json")
        if abs(ours - before) > group.within * before:
            found.append(f"{cell.full_name}: {path}: {ours:,.0f}, kept {before:,.0f}; {group.within:.0%} are allowed")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("names", nargs="*")
    for flag in ("keep", "again", "list", "quick"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    chosen = parser.parse_args()
    cells = chosen_cells(quick_cells() if chosen.quick else all_cells(), chosen.names)
    if chosen.list:
        print(*(f"{cell.full_name}: {cell.command}" for cell in cells), sep="\n")
        return 0
    ran = cells if chosen.again or chosen.quick else [cell for cell in cells if not cell.file(".json").exists()]
    random.Random(chosen.seed).shuffle(ran)
    packages = sorted({name for cell in ran for name in papers.groups()[cell.group].packages})
    if packages:
        subprocess.run([ROOT / "scripts" / "apt-install", *packages], check=True)
    print(f"{len(ran)} of {len(cells)} cells to run, in the order of --seed {chosen.seed}", file=sys.stderr, flush=True)
    failed = []
    if chosen.keep and not chosen.quick:
        keep([cell for cell in cells if cell not in ran])
    for number, cell in enumerate(ran, 1):
        begun = time.monotonic()
        if not run(cell):
            failed.append(cell.full_name)
        elif chosen.keep and not chosen.quick:
            keep([cell])
        took = time.monotonic() - begun
        print(f"{number}/{len(ran)}: {cell.full_name}: {took:,.0f} s", file=sys.stderr, flush=True)
    wrong = [f"{name} failed" for name in failed]
    if chosen.quick:
        done = [cell for cell in cells if cell.full_name not in failed]
        wrong += [
            one for cell in done for one in differences(cell, json.loads(cell.file(".json").read_text())["figures"])
        ]
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
