"""Runs in the machine (see guest.py): problems of the gallery, each under the kernel's default and under a policy.

    gallery_checks.py LOADER OBJECTS

Each problem of plan.json is a check (gallery_works.py makes it). gallery_reads and the traces are in OBJECTS, too. The
figures are the pages that a run read from the disk, and the most pages of files that were cached. CPOL_MODULE names a
module to load first.
"""

from __future__ import annotations

import json
import random
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from foretold_runs import Attached, without_generations
from guest import CHECKS, DISK, OBJECTS, cgroup, good, kernel_lines, main, nothing_left, remove
from recorder import Recorder

PAGE = 4096
CHUNK = 4096
"""Pages that are written at a time."""
SAMPLE_SECONDS = 0.1
SHOWN = ("fallback", "nomem", "offences")
FOLDER = DISK / "gallery"
START = OBJECTS / "recorded.start"

PLAN: Mapping[str, Any] = json.loads((OBJECTS / "plan.json").read_text())
Counts = dict[str, int]


def make_files(sizes: Sequence[int]) -> None:
    """The files, by number. Each page has contents of its own, so that nothing of it is a hole."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    some = random.Random(1).randbytes(PAGE * CHUNK)
    for number, pages in enumerate(sizes):
        with (FOLDER / str(number)).open("wb") as file:
            for first in range(0, pages, CHUNK):
                file.write(some[: PAGE * min(CHUNK, pages - first)])


def empty_caches() -> None:
    subprocess.run(["umount", DISK], check=True)
    subprocess.run(["mount", "/dev/vda", DISK], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")


def pages_read() -> int:
    """Of the disk, since the machine began."""
    return int(Path("/sys/class/block/vda/stat").read_text().split()[2]) * 512 // PAGE


def file_pages(path: Path) -> int:
    lines = (line.split() for line in (path / "memory.stat").read_text().splitlines())
    return next(int(value) for name, value in lines if name == "file") // PAGE


def one_run(name: str, problem: Mapping[str, Any], attached: Attached | None, record: Path | None = None) -> Counts:
    """Run it in a new cgroup, with an empty cache. The reader's own memory is charged to the root."""
    path = cgroup("gallery", problem["memory"] * PAGE)
    empty_caches()
    words = [OBJECTS / "gallery_reads", OBJECTS / f"{name}.trace"]
    words += [word for each in problem["readers"] for word in (each["command"], str(FOLDER / str(each["file"])))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin and reader.stdout
        threads = {str(place): int(id) for place, id in enumerate(reader.stdout.readline().split())}
        if attached:
            attached.attach(path, threads)
            if problem["replays"]:
                good("input", path, "start", "load", START)
        recorder = Recorder(["cpolc", "record", path, "-o", record], OBJECTS / "recorder") if record else None
        (path / "cgroup.procs").write_text(str(reader.pid))
        before, begun, room = pages_read(), time.monotonic(), 0
        reader.stdin.write("go\n")
        reader.stdin.flush()
        while not select.select([reader.stdout], [], [], SAMPLE_SECONDS)[0]:
            room = max(room, file_pages(path))
        assert int(reader.stdout.readline()) == problem["requests"]
        counts: Counts = {"pages": pages_read() - before, "seconds": round(time.monotonic() - begun)}
        counts["room"] = max(room, file_pages(path))
        if recorder:
            recorder.end()
    assert reader.returncode == 0
    if attached:
        line = next((line for line in kernel_lines(path) if line["name"] == problem["policy"][:15]), {})
        counts |= {each: int(line[each]) for each in SHOWN if each in line}
        good("detach", path)
        nothing_left(path)
    remove(path)
    return counts


def make_start(name: str, problem: Mapping[str, Any]) -> None:
    """Record the start, as a user does, and make the policy's input of it."""
    recording = OBJECTS / "start.rec"
    one_run(name, problem, None, recording)
    words = ["cpolc", "record", "--replay", recording, "-o", START]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def both(name: str, problem: Mapping[str, Any]) -> dict[str, Counts]:
    make_files(problem["sizes"])
    with without_generations():
        found = {"before": one_run(name, problem, None)}
        if problem["replays"]:
            make_start(name, problem)
        values = [str(FOLDER / value) if problem["input"] == "scattered" else value for value in problem["values"]]
        wanted = Attached(problem["policy"], (), problem["input"], tuple(values), tuple(problem["parts"]))
        found["after"] = one_run(name, problem, wanted)
    shutil.rmtree(FOLDER)
    return found


CHECKS.clear()  # the one of foretold_runs
for name in PLAN:
    CHECKS[name] = partial(both, name, PLAN[name])

if __name__ == "__main__":
    main()
