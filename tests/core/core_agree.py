"""Policies as programs on the core, and whether they do what the interpreter does."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from core_build import OUT, ROOT, build
from core_events import Events

from cpol.compiler import ir
from cpol.compiler.backend import c
from cpol.compiler.compiled import compiled
from cpol.compiler.ir import uses
from cpol.compiler.toolchain.files import write_atomically
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET
from cpol.runtime.explore.check.scenario import Scenario

AGREE = OUT / "agree"
FOLDERS = ("stdlib", "tests/core/policies", "examples/literature", "examples/car", "examples/clock-pro", "examples/mq")
PATHS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.cpol"))]
PATHS.append(ROOT / "tests/compiler/whole/several_arrays.cpol")
POLICIES = [
    policy for path in PATHS if not (policy := compiled(path).policy).prefetches and not uses.of(policy).reclaim
]
"""Those that run on the core of cache_ext, some with what none of them has, and those of the literature.

Not those that ask for evictions: when these come is the kernel's own matter (drivers/cases/wanted.c).
"""


def build_policies() -> None:
    """Make `build/core/agree/POLICY` of each policy, out of the C that is compiled for the kernel."""
    AGREE.mkdir(parents=True, exist_ok=True)
    wanted = {AGREE / f"{policy.name}.c": c.generate(policy, CACHE_EXT_TARGET).encode() for policy in POLICIES}
    for path, generated in wanted.items():
        if not path.exists() or path.read_bytes() != generated:
            write_atomically(path, generated)
    build("agree", "POLICIES=" + " ".join(path.stem for path in wanted))


@dataclass(frozen=True)
class Difference:
    """The first answer of the core that is not the interpreter's."""

    events: Events
    line: int
    """Of the driver's input, from 1."""
    expected: str
    got: str
    said: str


def events_of(policy: ir.Policy, scenario: Scenario) -> Events:
    """Run the scenario in the interpreter."""
    events = Events(policy, scenario)
    for action in scenario.actions:
        events.perform(action)
    events.end()
    return events


def difference(program: Path, events: Events) -> Difference | None:
    """Run the same events on the core."""
    done = subprocess.run([program], input=events.text, capture_output=True, text=True, timeout=600)
    for wanted, got in zip_longest(events.answers, done.stdout.splitlines()):
        if wanted is None or wanted[1] != got:
            line, expected = wanted or (len(events.lines), "nothing")
            return Difference(events, line, expected, got or "nothing", done.stderr)
    if done.returncode:
        return Difference(events, len(events.lines), "a good end", "a bad one", done.stderr)
    return None


def explain(program: Path, found: Difference, seed: str, file: Path) -> str:
    file.write_text(found.events.text)
    event = found.events.lines[found.line - 1] or "end"
    return (
        f"{program.name}, seed {seed}, at line {found.line} of {file} ({event}):\n"
        f"the interpreter: {found.expected}\n"
        f"the core:        {found.got}\n"
        f"again: {program} <{file}\n{found.said}"
    )
