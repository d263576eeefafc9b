"""Replay a plan of the query executor under several policies, and print their misses.

    python replay.py EXECUTOR DATABASE CAPACITY STEP...

`query` runs in the reference interpreter, and is told before each step what the executor would tell it. Policies are
asked for 32 pages at a time, as the kernel does.
"""

from __future__ import annotations

import subprocess
import sys
from array import array
from pathlib import Path

from cpol.compiler import compile_file
from cpol.runtime.machine.interp import Machine
from cpol.runtime.simulate.simulator import Simulator
from cpol.runtime.simulate.traces import Numbers, belady_misses

STDLIB = Path(__file__).resolve().parents[2] / "stdlib"
OTHERS = ("lru", "linux_lru", "mglru", "lfu", "s3fifo", "mru")
BATCH = 32


class Executor:
    """A plan on a database."""

    def __init__(self, program: str, database: str, plan: list[str]) -> None:
        self.program, self.database, self.plan = program, database, plan

    def _run(self, *words: str) -> list[str]:
        done = subprocess.run([self.program, *words], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def reads(self) -> list[int]:
        """The page of each read."""
        return [int(line) for line in self._run("run", self.database, *self.plan, "trace")]

    def announced(self, step: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the policy is told before a step, from 1 on: `next` and `later` of each page."""
        lines = self._run("announce", self.database, str(step), *self.plan)
        pairs = [line.split() for line in lines]
        return tuple(int(pair[0]) for pair in pairs), tuple(int(pair[1]) for pair in pairs)

    def told_misses(self, capacity: int, batch: int) -> int:
        """The misses of the policy `query`, which is told."""
        rest, step, misses = self.reads(), 0, 0
        pages = len(self.announced(1)[0])
        machine = Machine(compile_file(STDLIB / "query.cpol"), capacity, {"pages": pages, "all": 1}, batch)
        while rest:
            step += 1
            soon, later = self.announced(step)
            machine.fill("next", (0,), soon)
            machine.fill("later", (0,), later)
            number = sum(one == step for one in soon)
            misses += sum(not machine.request(0, page) for page in rest[:number])
            rest = rest[number:]
        return misses


def main() -> None:
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    executor, capacity = Executor(sys.argv[1], sys.argv[2], sys.argv[4:]), int(sys.argv[3])
    trace = executor.reads()
    print(f"{len(trace):,} reads of {len(set(trace)):,} pages; capacity {capacity:,}")
    for name in OTHERS:
        found = Simulator(compile_file(STDLIB / f"{name}.cpol"), capacity, batch=BATCH).run(trace)
        print(f"{name:<12}{found.misses:>8,}")
    print(f"{'query':<12}{executor.told_misses(capacity, BATCH):>8,}")
    print(f"{'Belady':<12}{belady_misses(Numbers().of(array('Q', trace)), capacity):>8,}")


if __name__ == "__main__":
    main()
