"""What tests of sweeps share: traces, and a sweep of them in this process."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cpol.compiler.compiled import compiled
from cpol.runtime.simulate.sweep import execute, here, policies, store
from cpol.runtime.simulate.sweep.fetched import listed, local
from cpol.runtime.simulate.sweep.spec import read_spec
from cpol.runtime.simulate.sweep.unit import Found, Reading, Row, Unit, Wanted

PARAMS = "batches = [1, 4]\nwarmup = 0.1\n[params.s3fifo]\nthreshold = [1, 2]\n"


def keys(path: Path, seed: int = 1, requests: int = 2000) -> Path:
    """A trace of skewed keys."""
    source = random.Random(seed)
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{min(int(source.paretovariate(0.5)), 500)}\n" for _ in range(requests)))
    return path


def spec_in(folder: Path, more: str = "", traces: int = 3, policies: str = '"lru", "s3fifo"') -> Path:
    """A sweep of so many traces, as a file."""
    for number in range(traces):
        if not (path := folder / "traces" / f"t{number}.txt").exists():
            keys(path, number)
    path = folder / "s.toml"
    path.write_text(f'policies = [{policies}]\ntraces = ["traces/*"]\ncapacities = [0.1, 20]\n{more}')
    return path


def sweep(spec: Path, folder: Path, again: bool = False, jobs: int = 2, **more: Any) -> execute.Summary:
    """Run a sweep in this process."""
    units: Callable[..., Any] = partial(here.execute, local=local, jobs=jobs, bound=1 << 30)
    return execute.run(read_spec(spec), folder, compiled, listed, more.pop("execute", units), again, **more)


def without_seconds(rows: Sequence[Row]) -> list[Row]:
    """What is the same wherever and whenever a sweep ran."""
    return sorted((row._replace(seconds=None) for row in rows), key=repr)


def rows(folder: Path) -> list[Row]:
    return [*store.stored(folder).rows.values()]


def unit_of(path: Path) -> Unit:
    size = path.stat().st_size if path.exists() else 0
    runs = (Wanted(policies.OPTIMUM, "10", None),)
    return Unit(Found(str(path), size, ""), path.name, Reading(), {}, runs, 1, "0", "1")
