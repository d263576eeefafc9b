"""Runs in the machine (see guest.py): a prefetching policy, and what it takes from a cgroup beside it.

The machine has 1 GB. Cgroups have no limit, so the share of unused prefetched pages is a quarter of the memory.
"""

from __future__ import annotations

import mmap
import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

import scatter
from guest import (
    DISK,
    PAIR,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    main,
    no_complaint,
    obj,
    read_whole,
    remove,
    run_in,
)

STAT = Path("/proc/prefetch_ext/stat")
PAGE = mmap.PAGESIZE
HOT = 16 << 20
SPARSE = 400 << 20
STEP = 65
"""The policy reads the 64 pages behind a request."""


def group(name: str) -> Path:
    path = cgroup(name)
    (path / "memory.max").write_text("max")
    return path


def line(path: Path) -> dict[str, str]:
    """The newest line of the cgroup's prefetching policy, also of one that has ended."""
    lines = [{key: words or word for key, words, word in PAIR.findall(text)} for text in STAT.read_text().splitlines()]
    mine = [found for found in lines if found["cgroup"] == str(path.stat().st_ino)]
    return max(mine, key=lambda found: "ra_asked" in found)


def file_pages(path: Path) -> int:
    """Pages of files that the cgroup is charged for."""
    stat = dict(text.split() for text in (path / "memory.stat").read_text().splitlines())
    return int(stat["file"]) // PAGE


def sparse_file() -> Path:
    path = DISK / "sparse"
    with path.open("wb") as file:
        file.truncate(SPARSE)
    return path


def every(path: Path, step: int, first: int, pages: int) -> None:
    fd = os.open(path, os.O_RDONLY)
    for page in range(first, first + pages, step):
        os.pread(fd, 1, page * PAGE)
    os.close(fd)


@check
def what_lies_there_unused_is_judged() -> dict[str, int]:
    """Nothing is evicted. The pages that nobody reads are too many, and the watchdog ends the policy."""
    share = int(Path("/proc/meminfo").read_text().split()[1]) * 1024 // PAGE // 4
    path = group("waste")
    good("attach", obj("waste"), path)
    file = sparse_file()
    run_in(path, lambda: every(file, STEP, 0, share * 9 // 10))
    before = {key: int(line(path)[key]) for key in ("ra_prefetched", "ra_used", "ra_wasted", "over_share", "memory")}
    run_in(path, lambda: every(file, STEP, share, SPARSE // PAGE - share))
    eventually(lambda: line(path)["state"] == "overruled", f"it is not stopped: {line(path)}")
    after = {key: int(line(path)[key]) for key in before}
    found = line(path)
    good("detach", path)
    remove(path)
    file.unlink()
    no_complaint()
    assert before["ra_wasted"] == before["over_share"] == 0 and before["ra_prefetched"] > share // 2, (share, before)
    assert found["exit"] == "watchdog" and after["over_share"] >= 2000, (share, found)
    return {"share": share, **{f"before_{key}": value for key, value in before.items()}, **after}


@check
def what_is_used_is_not_judged() -> dict[str, int]:
    """The same pages, read in order: what is prefetched is used, however much of it there is."""
    path = group("reads")
    good("attach", obj("waste"), path)
    file = sparse_file()
    run_in(path, lambda: every(file, 1, 0, SPARSE // PAGE // 4))
    found = line(path)
    good("detach", path)
    remove(path)
    file.unlink()
    assert found["state"] == "attached" and found["over_share"] == "0", found
    assert int(found["ra_used"]) > 0.9 * int(found["ra_prefetched"]), found
    return {key: int(found[key]) for key in ("ra_prefetched", "ra_used", "ra_wasted")}


@check
def only_own_cache_is_dropped() -> dict[str, int]:
    """A file that another cgroup has read stays in its cache, whoever reads it then; and one's own goes."""
    victim, path = group("victim"), group("dropper")
    hot = big_file("hot", HOT)
    run_in(victim, lambda: read_whole(hot))
    before = file_pages(victim)
    good("attach", obj("dropper"), path)
    run_in(path, lambda: read_whole(hot))
    after, foreign = file_pages(victim), line(path)
    own = big_file("own", HOT)  # drops all that is cached
    run_in(path, lambda: read_whole(own))
    found = line(path)
    good("detach", path)
    remove(path)
    remove(victim)
    pages = HOT // PAGE
    assert before >= pages and after >= before - 64, (before, after, foreign)
    assert int(foreign["dropped"]) == 0 and int(foreign["left"]) >= pages, foreign
    assert int(found["dropped"]) >= 0.9 * pages, found
    return {"before": before, "after": after, "left": int(foreign["left"]), "dropped": int(found["dropped"])}


@check
def memory_is_told_whole_at_any_scatter() -> dict[str, int]:
    """What 16 MiB of cache cost, with 8 bytes of record a folio: frames side by side, and one in 8 and in 32.

    One in 64 of the machine's free memory would be less than the file, and the rest would lie side by side.
    """
    told: dict[str, int] = {}
    hot, sparse = big_file("hot", HOT), DISK / "sparse"
    for step in (1, 8, 32):
        path, filler = group("scattered"), group("filler")
        Path("/proc/sys/vm/drop_caches").write_text("3")
        if step > 1:
            run_in(filler, partial(scatter.leave_every, sparse, step))
        good("attach", obj("remembers"), path)
        empty = kernel_lines(path)[0]
        run_in(path, lambda: read_whole(hot))
        found = kernel_lines(path)[0]
        frames = scatter.frames_of(hot)
        good("detach", path)
        remove(path)
        remove(filler)
        sparse.unlink(missing_ok=True)
        owned = int(found["owned"])
        nodes = int(found["memory"]) - int(empty["memory"])
        told |= {f"owned_{step}": owned, f"nodes_{step}": nodes, f"table_{step}": int(found["shared"])}
        told[f"pages_in_64_frames_{step}"] = round(scatter.pages_in_a_block(frames))
        assert owned >= 0.8 * HOT // PAGE, (step, found)
        assert nodes <= 0.02 * owned * PAGE, (step, told)
        # Shares of the table are in it, 27 bytes a node: they cover what the table takes.
        assert owned * 27 >= int(found["shared"]) - int(empty["shared"]), told
    # Which frames the kernel gives is its own affair, such as some side by side where one in 32 is free. They differ.
    blocks = [told[f"pages_in_64_frames_{step}"] for step in (1, 8, 32)]
    assert max(blocks) >= 2 * min(blocks), told
    no_complaint()
    return told


main()
