"""Runs in the machine (see guest.py): a start is recorded, and replayed by the policy replay when it is cold again."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import LOADER, OBJECTS, big_file, cgroup, check, eventually, good, main, no_complaint, obj, remove, run_in

LIMIT = 64 << 20
PAGE = 4096
MAPPED, READ = 4096, 1024
"""Pages of two files."""
TOUCHED = {"program": 300, "data": 100}
"""Pages that a start uses of them, at random places: the first through a mapping, the second by reads of one page."""

AROUND = Path("/sys/kernel/debug/fault_around_bytes")
"""How much a fault maps around it of what is cached."""


def is_cached(mapping: mmap.mmap, page: int) -> bool:
    """Whether a page of a mapped file is there; one that is still under way is not."""
    byte = ctypes.c_char.from_buffer(mapping, page * PAGE)
    told = (ctypes.c_ubyte * 1)()
    if ctypes.CDLL(None, use_errno=True).mincore(ctypes.c_void_p(ctypes.addressof(byte)), PAGE, told):
        raise OSError(ctypes.get_errno(), "mincore")
    return bool(told[0] & 1)


def start_program(told: Path) -> None:
    """What a start does; tell its faults that had to read, and its reads that missed."""
    source = random.Random(7)
    with (
        Path("/mnt/program").open("rb") as program,
        Path("/mnt/data").open("rb", buffering=0) as data,
        mmap.mmap(program.fileno(), 0, access=mmap.ACCESS_READ) as mapping,
        mmap.mmap(data.fileno(), 0, access=mmap.ACCESS_COPY) as looked_at,
    ):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        for page in source.sample(range(MAPPED), TOUCHED["program"]):
            assert mapping[page * PAGE] >= 0
        major = resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before
        missed = 0
        for page in source.sample(range(READ), TOUCHED["data"]):
            missed += not is_cached(looked_at, page)
            os.pread(data.fileno(), 1, page * PAGE)
    told.write_text(f"{major} {missed}")


def sectors() -> int:
    return int(Path("/sys/class/block/vda/stat").read_text().split()[2])


def cold_start(path: Path) -> dict[str, int]:
    """Start with nothing cached. Return the faults that had to read, the reads that missed, and the sectors read."""
    told = OBJECTS / "told"
    Path("/proc/sys/vm/drop_caches").write_text("3")
    before = sectors()
    run_in(path, lambda: start_program(told))
    faults, reads = map(int, told.read_text().split())
    return {"faults": faults, "reads": reads, "sectors": sectors() - before}


def record_start(path: Path, out: Path) -> None:
    """Record a cold start, up to its end: what a mapping used is told when it ends."""
    with out.open("wb") as recording:
        command = [LOADER, "record", OBJECTS / "record.bpf.o", path]
        recorder = subprocess.Popen(command, stdout=recording, stderr=subprocess.PIPE, text=True)
        assert recorder.stderr is not None
        assert recorder.stderr.readline().startswith("recording ")
        cold_start(path)
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait() == 0, recorder.stderr.read()


def made_of(recording: Path, start: Path) -> int:
    """Make the policy's input of a recording; return how many pages it has."""
    words = ["cpolc", "record", "--replay", recording, "-o", start]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return int(made.stderr.split(" pages, ")[0].rpartition(" ")[2])


@check
def a_recorded_start_is_replayed() -> dict[str, object]:
    big_file("program", MAPPED * PAGE)
    big_file("data", READ * PAGE)
    path = cgroup("starts", LIMIT)
    # A fault maps cached pages around, and the kernel cannot tell these from pages that were touched.
    record_start(path, OBJECTS / "around.rec")
    around = made_of(OBJECTS / "around.rec", OBJECTS / "around.start")
    usual = AROUND.read_text()
    AROUND.write_text(str(PAGE))
    record_start(path, OBJECTS / "app.rec")
    AROUND.write_text(usual)
    exact = made_of(OBJECTS / "app.rec", OBJECTS / "app.start")

    before = cold_start(path)
    good("attach", obj("replay"), path)
    good("input", path, "start", "load", OBJECTS / "app.start")
    after = cold_start(path)
    told = json.loads(good("stat", "--json", path))
    again = cold_start(path)
    good("input", path, "start", "load", OBJECTS / "around.start")
    blurred = cold_start(path)
    good("detach", path)
    detached = cold_start(path)
    figures: dict[str, object] = {
        "pages": [exact, around],
        "starts": {"before": before, "after": after, "again": again, "blurred": blurred, "detached": detached},
        **{key: value for key, value in told.items() if key.startswith("ra_")},
    }
    assert exact == sum(TOUCHED.values()) < around, figures
    for start in (before, detached):
        assert start["faults"] > 100 and start["reads"] == TOUCHED["data"], figures
    for start in (after, again):
        # 8 to 11 were seen; where the disk is slow, more pages are still under way.
        assert 4 * start["reads"] <= before["reads"], figures
        if "CPOL_MODULE" not in os.environ:  # a module is not asked at faults of a mapping
            assert 5 * start["faults"] <= before["faults"], figures
            assert 2 * start["sectors"] <= before["sectors"], figures
    eventually(lambda: " state=attached " not in Path("/proc/prefetch_ext/stat").read_text(), "still attached")
    remove(path)
    no_complaint()
    return figures


main()
