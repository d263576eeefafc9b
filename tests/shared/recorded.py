"""Recordings that the machine might have made: the model of the kernel's default says what it read from the disk."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.simulator import Simulator

HEAD = "cpol-record 3\n# time_ns,event,file,page,pages,thread,process,comm[,first,last]\n"
TENTH = 100_000_000
"""Nanoseconds from one request to the next: recordings are long enough for advice."""


class Read(NamedTuple):
    file: int
    page: int
    thread: int = 1
    comm: str = "app"
    writes: bool = False


def recorded(path: Path, reads: Iterable[Read], room: int, *, off: int = 0, lost: int = 0) -> Path:
    """Write the recording. `off`: of so many hits, one is told as a read from the disk, which no model foretells."""
    made = compiled(resolve("linux_lru"))
    kernel = Simulator(made.policy, room, batch=32, code=made.code)
    lines, events, misses, hits = [HEAD, "name,8:0:1,/srv/index\n", f"room,0,{room},{room}\n"], 0, 0, 0
    for number, each in enumerate(reads):
        where = f"8:0:{each.file},{each.page},1,{each.thread},{each.thread},{each.comm}"
        after = kernel.run([each.file << 32 | each.page]).misses
        hits += after == misses
        if after > misses or (off and hits % off == 0):
            lines.append(f"{number * TENTH},added,{where}\n")
            events += 1
        lines.append(f"{number * TENTH + 1},{'dirtied' if each.writes else 'accessed'},{where}\n")
        events += 1
        misses = after
    path.write_text("".join([*lines, f"end,{events},{lost}\n"]))
    return path


def loop(pages: int, times: int) -> Iterator[Read]:
    """A file, read again and again."""
    return (Read(2, page) for _ in range(times) for page in range(pages))


def points(pages: int, requests: int, seed: int = 1) -> Iterator[Read]:
    """Points of a file that are all as likely: no policy knows better."""
    source = random.Random(seed)
    return (Read(2, source.randrange(pages)) for _ in range(requests))


def points_beside_scans(hot: int, rounds: int, seed: int = 1) -> Iterator[Read]:
    """One thread reads points of a small file, another one scans a large one."""
    source = random.Random(seed)
    place = 0
    for _ in range(rounds):
        yield from (Read(1, source.randrange(hot), 7, "server") for _ in range(20))
        for _ in range(40):
            yield Read(2, place, 8, "scan")
            place += 1


def asking(path: Path, reads: Sequence[Read], room: int, silent: int = 0) -> Path:
    """The recording, with the requests that had to wait. `silent`: of so many, one is not told."""
    recorded(path, reads, room)
    lines, missed = list[str](), 0
    for line in path.read_text().splitlines():
        if ",added," in line:
            missed += 1
            lines += [line.replace(",added,", ",missed,")] * (not silent or missed % silent > 0)
        lines.append(line)
    events = sum(line[0].isdigit() for line in lines)
    path.write_text("\n".join([*lines[:-1], f"end,{events},0", ""]))
    return path


def apart(requests: int) -> list[Read]:
    """Points that lie so far apart that nothing is read ahead, and none of them at the beginning of the file."""
    return [each._replace(page=3 * each.page + 3) for each in points(150, requests)]
