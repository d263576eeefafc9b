"""Run fio and programs in a machine, short of memory, without the page cache, and with O_DIRECT (fio_checks.py)."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from checks import passed, run_checks
from kernels import kernel_and_environment
from postgres_cluster import make_cluster
from vm_types import CHECKOUT

from cpol.cli.objects import object_of
from cpol.runtime.operate import loader

PAPER = {
    "sequential read": {"rw": "read", "numjobs": 1},
    "sequential write": {"rw": "write", "numjobs": 1},
    "sequential mix": {"rw": "rw", "numjobs": 4},
    "random read": {"rw": "randread", "numjobs": 10},
    "random write": {"rw": "randwrite", "numjobs": 4},
    "random mix": {"rw": "randrw", "numjobs": 4},
}
"""The jobs of no_fscache's experiments: blocks of 256 KiB or 4 KiB, 60 % of a mix are reads, one file."""

PROGRAMS_MIB = {"sqlite": 16, "postgres": 125}
"""What their data take."""

Figures = dict[str, dict[str, dict[str, Any]]]
"""By job and arm."""


def jobs(engines: tuple[str, ...], file_mib: int, sequential_mib: int, random_ios: int) -> dict[str, dict[str, Any]]:
    """The six jobs for each engine. All processes of a job together move `sequential_mib`, or do `random_ios`.

    Processes that go through the file in order begin at different places, or they would read what another one has just
    read."""
    plan: dict[str, dict[str, Any]] = {}
    for engine in engines:
        for name, job in PAPER.items():
            processes = int(str(job["numjobs"]))
            options = {**job, "ioengine": engine, "rwmixread": 60}
            if name.startswith("sequential"):
                share = file_mib // processes
                options |= {"bs": "256k", "size": f"{share}m", "offset_increment": f"{share}m"}
                options["io_size"] = f"{sequential_mib // processes}m"
            else:
                options |= {"bs": "4k", "size": f"{file_mib}m", "io_size": f"{random_ios // processes * 4}k"}
            plan[f"{engine}: {name}"] = options
    return plan


def make_base(path: Path, mib: int) -> None:
    """A database with a row a page, on which sqlite_work.py works."""
    source = random.Random(11)
    base = sqlite3.connect(path)
    base.execute("create table rows (id integer primary key, data blob)")
    with base:
        rows = ((source.randbytes(3796),) for _ in range(mib << 8))
        base.executemany("insert into rows (data) values (?)", rows)
    base.close()


def run_arms(
    folder: Path,
    plan: Mapping[str, Mapping[str, Any]],
    *,
    module: bool,
    file_system: str,
    file_mib: int,
    programs: Mapping[str, Sequence[str]] = {},
) -> dict[str, Figures]:
    """Run the jobs of the plan, and the parts of the programs; return the figures of each check (fio_checks.py)."""
    with object_of("uncached"):
        pass  # compiled, since clang takes minutes in the machine
    folder.mkdir()
    parts = {name: programs.get(name, ()) for name in PROGRAMS_MIB}
    needs = sum(PROGRAMS_MIB[name] for name in parts if parts[name])
    content = {"file_system": file_system, "jobs": plan, "file_mib": file_mib, **parts}
    content["disk_mib"] = max(320, file_mib + 2 * needs + 128)
    (folder / "plan.json").write_text(json.dumps(content))
    if parts["sqlite"]:
        make_base(folder / "base", PROGRAMS_MIB["sqlite"])
    if parts["postgres"]:
        make_cluster(folder / "cluster.tar")
    kernel, environment = kernel_and_environment("module" if module else "patched")
    try:
        results = run_checks(
            kernel,
            CHECKOUT / "tests" / "vm" / "fio_checks.py",
            folder,
            str(loader.find()),
            str(folder),
            environment=environment,
            accel="icount",
            timeout=7200,
        )
    finally:
        shutil.rmtree(folder / "disk", ignore_errors=True)
    for name in ("jobs", *parts):
        passed(results, name)
    return {name: results[name]["figures"] for name in ("jobs", *parts)}
