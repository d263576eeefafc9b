"""Runs in the machine: jobs of fio, and programs, short of memory, without the page cache, and with O_DIRECT.

    fio_checks.py LOADER FOLDER

FOLDER/plan.json says what to run (uncached_arms.py). The disk is a null_blk device that keeps its data in memory. It
does one request at a time, each of which takes LATENCY and moves MIB_PER_SECOND, by the machine's clock. So the disk is
the limit, and seconds are those of the machine, however busy the host is.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from disk_counts import SECTOR, counted
from guest import CGROUPS, OBJECTS, check, main, remove
from null_disk import make_timed_disk
from postgres_cluster import PROGRAMS
from resident import in_memory
from uncached_common import all_gone, prepare, uncached

SLOW = Path("/run/slow")
RESULT = Path("/run/program.json")
MIB_PER_SECOND = 8
LATENCY = 2_000_000
"""Nanoseconds."""
SPARE = {"read": 2 << 20, "mix": 68 << 20, "write": 68 << 20}
"""Memory of the starved arm beyond what the job itself needs, which is what it takes with O_DIRECT. A cgroup may have a
fifth of what is left dirty; with less than this its writers would wait for their quota and not for the disk. Together
it is about the 96 MiB that no_fscache's experiments left to jobs that write."""

MORE = 8 << 20
"""What is added if the job is killed for lack of memory."""

POSTGRES_SPARE = {"read": (10 << 20,), "write": (16 << 20, 20 << 20, 24 << 20)}
"""The first is the arm "starved"; the others show how far it depends on the size. With 2 MiB it is killed. With 32 MiB
nothing is short: `write` reads 19 MiB and writes as much beside its log."""

SIZES = ("peak", "needs", "cache", "left")
"""Figures that runs have in common, in bytes or pages."""

POSTGRES_RUNS = {"read": 1, "write": 3}
"""Runs of each arm, since the order of four clients differs between them; each with a seed of its own."""

UNCACHED = {"uncached": (), "begun": ("--set", "waits=false")}
"""Options of `cpolc uncached`, by arm. `begun` only begins to write, as no_fscache does."""

Figures = dict[str, Any]
PLAN = json.loads((OBJECTS / "plan.json").read_text())


def make_disk(file_system: str) -> None:
    subprocess.run(["modprobe", "-q", file_system], check=False)
    device = make_timed_disk("slow", PLAN["disk_mib"], LATENCY, MIB_PER_SECOND)
    # Or ext4 has blocks of 1 KiB, since the disk is small, and writes its tables while jobs run.
    as_usual = ["-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"] if file_system == "ext4" else []
    subprocess.run([f"mkfs.{file_system}", "-q", *as_usual, device], check=True)
    SLOW.mkdir()
    subprocess.run(["mount", device, SLOW], check=True)


def fill(path: Path, mib: int) -> None:
    piece = random.Random(5).randbytes(1 << 20)
    with path.open("wb", buffering=0) as file:
        for _ in range(mib):
            file.write(piece)
    os.sync()


def left_cached(path: Path) -> int:
    """Pages of the file, or of the files in the folder, in the cache."""
    files = [one for one in path.rglob("*") if one.is_file() and one.stat().st_size] if path.is_dir() else [path]
    told = subprocess.run(
        ["fincore", "-n", "-b", "-r", "-o", "PAGES", *files], capture_output=True, text=True, check=True
    )
    return sum(map(int, told.stdout.split()))


def in_cgroup(words: list[str], limit: int) -> int:
    """Run the command in a cgroup; return the most memory that it took.

    Raises:
        subprocess.CalledProcessError: it failed, or was killed because the limit is too low.
    """
    path = CGROUPS / "arm"
    path.mkdir()
    (path / "memory.max").write_text(str(limit) if limit else "max")
    (path / "memory.oom.group").write_text("1")
    script = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
    try:
        subprocess.run(["sh", "-c", script, path, *words], check=True)
        return int((path / "memory.peak").read_text())
    finally:
        (path / "cgroup.kill").write_text("1")
        remove(path)


def run_arm(arm: str, words: list[str], limit: int, data: Path) -> Figures:
    """Run the command; return what the disk did, what was left in the cache, and what the policy counted."""
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")
    # Programs and libraries are cached by others, so that they are no part of what the arm is charged.
    subprocess.run(["fio", "--version"], check=True, stdout=subprocess.DEVNULL)
    data.stat()
    figures: Figures = {}
    before, begun = counted(SLOW), time.monotonic()
    if arm in UNCACHED:
        assert uncached(*words, place=SLOW, options=UNCACHED[arm]) == 0, words
    else:
        try:
            figures["peak"] = in_cgroup(words, limit if arm.startswith("starved") else 0)
        except subprocess.CalledProcessError as error:
            if error.returncode != -signal.SIGKILL or not limit:
                raise
            return run_arm(arm, words, limit + MORE, data)
    figures["elapsed"] = time.monotonic() - begun
    figures["left"] = left_cached(data)
    os.sync()
    for name, now, then in zip(("reads", "read", "writes", "written"), counted(SLOW), before, strict=True):
        figures[name] = (now - then) * (SECTOR if name in ("read", "written") else 1)
    if arm in UNCACHED:
        assert all_gone()
    return figures


def fio_words(job: Figures, direct: bool, output: Path) -> list[str]:
    options = {
        **job,
        "name": "job",
        "filename": SLOW / "data",
        "iodepth": 16,
        "fallocate": "none",
        "allow_file_create": 0,
        "end_fsync": 1,
        "direct": int(direct),
        "output-format": "json",
        "output": output,
    }
    return ["fio", "--group_reporting", *(f"--{key}={value}" for key, value in options.items())]


def fio_arm(job: Figures, arm: str, limit: int) -> Figures:
    output = Path("/run/fio.json")
    figures = run_arm(arm, fio_words(job, arm == "direct", output), limit, SLOW / "data")
    told = json.loads(output.read_text())["jobs"][0]
    assert told["error"] == 0, told
    figures["asked_read"], figures["asked_written"] = told["read"]["io_bytes"], told["write"]["io_bytes"]
    figures["seconds"] = max(told["read"]["runtime"], told["write"]["runtime"]) / 1000
    return figures


@check
def jobs() -> dict[str, dict[str, Figures]]:
    if PLAN["jobs"]:
        fill(SLOW / "data", PLAN["file_mib"])
    figures: dict[str, dict[str, Figures]] = {}
    for name, job in PLAN["jobs"].items():
        arms = figures.setdefault(name, {})
        kind = "mix" if job["rw"].endswith("rw") else "read" if job["rw"].endswith("read") else "write"
        spare = SPARE[kind]
        for arm in ("direct", "starved", "uncached", *(() if kind == "read" else ("begun",))):
            arms[arm] = fio_arm(job, arm, arms.get("direct", {}).get("peak", 0) + spare)
            print(name, arm, arms[arm], file=sys.stderr, flush=True)
    return figures


def copy_to_disk(base: Path) -> Path:
    """Copy the file to the disk, or what is in the archive, whatever is there."""
    if base.suffix != ".tar":
        return Path(shutil.copy(base, SLOW / base.name))
    there = SLOW / base.stem
    shutil.rmtree(there, ignore_errors=True)
    subprocess.run(["tar", "-C", SLOW, "-xf", base], check=True)
    return there


def program_arms(part: str, script: str, base: Path, spares: Sequence[int], runs: int = 1) -> dict[str, Figures]:
    """Run what a script does with the base, in each arm; it writes its own figures to RESULT.

    The first of `spares` is the memory of the arm "starved" beyond what the program needs, in bytes. For each of the
    others there is one more such arm, "starved N MiB"."""
    starved = {f"starved {spare >> 20} MiB" if index else "starved": spare for index, spare in enumerate(spares)}
    arms: dict[str, Figures] = {}
    for arm in ("cached", *starved, "uncached", *(("begun",) if part == "write" else ())):
        limit = arms["cached"]["needs"] + starved[arm] if arm in starved else 0
        arms[arm] = together([program_run(part, script, base, arm, limit, seed) for seed in range(runs)])
        print(part, arm, arms[arm], file=sys.stderr, flush=True)
    return arms


def program_run(part: str, script: str, base: Path, arm: str, limit: int, seed: int) -> Figures:
    there = copy_to_disk(base)
    words = [sys.executable, "-I", str(Path(__file__).parent / script), str(there), part, str(seed)]
    return {**run_arm(arm, words, limit, there), **json.loads(RESULT.read_text())}


def together(runs: Sequence[Figures]) -> Figures:
    """Sums, but of sizes the largest."""
    return {
        name: max(run[name] for run in runs) if name in SIZES else sum(run[name] for run in runs) for name in runs[0]
    }


@check
def sqlite() -> dict[str, dict[str, Figures]]:
    return {
        part: program_arms(part, "sqlite_work.py", OBJECTS / "base", [SPARE[part.partition("-")[0]]])
        for part in PLAN["sqlite"]
    }


@check
def postgres() -> dict[str, dict[str, Figures]]:
    if not PLAN["postgres"]:
        return {}
    with in_memory(PROGRAMS / "postgres", PROGRAMS / "pgbench", PROGRAMS / "pg_isready"):
        return {
            part: program_arms(
                part, "postgres_work.py", OBJECTS / "cluster.tar", POSTGRES_SPARE[part], POSTGRES_RUNS[part]
            )
            for part in PLAN["postgres"]
        }


if __name__ == "__main__":
    prepare()
    make_disk(PLAN["file_system"])
main()
