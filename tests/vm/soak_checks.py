"""Runs in the machine (guest.py): an unattended time of churn and load, and what is left of it.

It goes on for CPOL_SOAK_SECONDS by the machine's clock at least, and until CPOL_SOAK_CGROUPS have come. CPOL_SEED
chooses the order of what happens. Three cgroups with policies read all the time. Beside them cgroups come, get policies
in every way, and go in every way. What could leak is counted before and after, each time with nothing cached and all
cgroups gone that came meanwhile.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import (
    CGROUPS,
    DISK,
    PINS,
    big_file,
    bpf_objects,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    load,
    main,
    no_complaint,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
)
from killing import killed_at
from life_common import Reader

SECONDS = float(os.environ.get("CPOL_SOAK_SECONDS", "60"))
AT_LEAST = int(os.environ.get("CPOL_SOAK_CGROUPS", "0"))
SEED = int(os.environ.get("CPOL_SEED", "0"))
CPOLC = os.environ["CPOL_CPOLC"]
POLICIES = ("fifo", "lfu", "mru", "s3fifo")
STEADY = {"steady-lfu": "lfu", "steady-s3fifo": "s3fifo", "steady-both": "double"}
WARM = 16
"""Cgroups that come and go before the first count: every way of them at least once."""
FILE = DISK / "soak"
LOOKS = 6
"""How often memory is looked at on the way."""

Way = Callable[[Path, random.Random], None]
WAYS: dict[str, Way] = {}


def way(function: Way) -> Way:
    WAYS[function.__name__] = function
    return function


def read_in(path: Path) -> None:
    run_in(path, lambda: read_whole(FILE))


@way
def attach_and_detach(path: Path, source: random.Random) -> None:
    good("attach", obj(source.choice(POLICIES)), path)
    read_in(path)
    good("stat", path)
    good("detach", path)


@way
def removed_with_its_policy(path: Path, source: random.Random) -> None:
    good("attach", obj(source.choice(POLICIES)), path)
    read_in(path)


@way
def replaced(path: Path, source: random.Random) -> None:
    for number, policy in enumerate(source.sample(POLICIES, 3)):
        good("attach", obj(policy), path, *(["--replace"] if number else []))
        read_in(path)
    good("detach", path)


@way
def changed_while_it_runs(path: Path, source: random.Random) -> None:
    good("attach", obj("live"), path)
    good("set", path, f"share={source.choice((0.1, 0.2, 0.4))}")
    read_in(path)
    good("list", "--json")
    good("detach", path)


@way
def loader_is_killed(path: Path, source: random.Random) -> None:
    killed_at(source.randrange(1, 12), "attach", obj("live"), path)
    load("detach", path)


@way
def limits_change(path: Path, source: random.Random) -> None:
    good("attach", obj(source.choice(POLICIES)), path)
    for _ in range(3):
        (path / "memory.max").write_text(str(source.randrange(4, 24) << 20))
        read_in(path)
        with suppress(OSError):
            (path / "memory.reclaim").write_text(str(1 << 20))
    if source.random() < 0.5:
        good("detach", path)


@way
def refused_at_attach(path: Path, _: random.Random) -> None:
    refused("", "attach", FILE, path)
    refused("must be a number from", "attach", obj("live"), path, "--set", "share=0.9")


@way
def both_kinds(path: Path, source: random.Random) -> None:
    good("attach", obj("double"), path)
    read_in(path)
    if source.random() < 0.5:
        good("detach", path)


@way
def by_the_service(path: Path, _: random.Random) -> None:
    """Its name has the service attach a policy to it."""
    eventually(lambda: bool(kernel_lines(path)), "cpolc apply --watch has not attached it", 120)
    read_in(path)


def come_and_go(number: int, source: random.Random) -> str:
    """One cgroup comes, lives in some way, and goes."""
    name = list(WAYS)[number % len(WAYS)] if number < WARM else source.choice(list(WAYS))
    path = cgroup(f"{'rule' if name == 'by_the_service' else 'churn'}-{number}", source.randrange(4, 16) << 20)
    WAYS[name](path, source)
    remove(path)
    return name


def memory_kib() -> int:
    """What the kernel holds for itself and cannot give back, in KiB."""
    wanted = ("SUnreclaim", "Percpu", "VmallocUsed", "PageTables", "KernelStack")
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return sum(int(lines[name].split()[0]) for name in wanted)


def objects_of_slabs() -> dict[str, int]:
    """Active objects of the core's own slabs."""
    lines = (line.split() for line in Path("/proc/slabinfo").read_text().splitlines())
    return {line[0]: int(line[1]) for line in lines if line[0].startswith(("cache_ext", "prefetch_ext"))}


def census(service: int) -> dict[str, int]:
    """What could leak."""
    good("detach", "--gone")
    for _ in range(3):
        Path("/proc/sys/vm/drop_caches").write_text("3")
        time.sleep(1)
    programs, maps, links = bpf_objects()
    dying = dict(line.split() for line in (CGROUPS / "cgroup.stat").read_text().splitlines())
    status = dict(line.split(":", 1) for line in Path(f"/proc/{service}/status").read_text().splitlines())
    return {
        "programs": programs,
        "maps": maps,
        "links": links,
        "pins": sum(1 for _ in PINS.rglob("*")),
        "cgroups": int(dying["nr_descendants"]),
        "processes": sum(1 for one in Path("/proc").iterdir() if one.name.isdigit() and (one / "exe").exists()),
        "descriptors of the service": len(list(Path(f"/proc/{service}/fd").iterdir())),
        **objects_of_slabs(),
        "dying cgroups": int(dying["nr_dying_descendants"]),
        "kernel KiB": memory_kib(),
        "service KiB": int(status["VmRSS"].split()[0]),
    }


EXACT = {"dying cgroups", "kernel KiB", "service KiB"}
"""What a census has that may differ a little."""


def reading() -> ExitStack:
    """Readers in the steady cgroups, until the stack is closed."""
    stack = ExitStack()
    for name in STEADY:
        stack.enter_context(Reader(CGROUPS / name, FILE))
    return stack


@check
def nothing_leaks() -> dict[str, object]:
    rules = Path("/etc/cpol.d")
    rules.mkdir(exist_ok=True)
    (rules / "soak.conf").write_text(f"[rule]\npolicy = {obj('lfu')}\ncgroup = /sys/fs/cgroup/rule-*\n")
    big_file(FILE.name, 24 << 20)
    source, ways, looks = random.Random(SEED), Counter[str](), []
    with ExitStack() as stack:
        quiet = subprocess.DEVNULL
        service = stack.enter_context(subprocess.Popen([CPOLC, "apply", "--watch"], stdout=quiet, stderr=quiet))
        stack.callback(service.kill)
        for name, policy in STEADY.items():
            good("attach", obj(policy), cgroup(name))
        number = 0
        with reading():
            while number < WARM:
                ways[come_and_go(number, source)] += 1
                number += 1
        before = census(service.pid)
        begun, pause = time.monotonic(), SECONDS / LOOKS
        readers = stack.enter_context(reading())
        while (ran := time.monotonic() - begun) < SECONDS or number < AT_LEAST:
            ways[come_and_go(number, source)] += 1
            number += 1
            if ran > pause * (len(looks) + 1):
                looks.append({"seconds": int(ran), "cgroups": number, "kernel KiB": memory_kib()})
                print(json.dumps(looks[-1]), file=sys.stderr, flush=True)
        readers.close()
        after = census(service.pid)
        for name in STEADY:
            assert len(kernel_lines(CGROUPS / name)) >= 1, name
            good("detach", CGROUPS / name)
            remove(CGROUPS / name)
        service.terminate()
        assert service.wait(60) in (0, -15)
    figures = {"seed": SEED, "seconds": int(ran), "cgroups": number, "ways": dict(ways), "looks": looks}
    figures |= {"before": before, "after": after}
    print(json.dumps(figures), file=sys.stderr, flush=True)
    no_complaint()
    came = number - WARM
    assert {key: after[key] for key in after if key not in EXACT} == {
        key: before[key] for key in before if key not in EXACT
    }, figures
    assert after["dying cgroups"] <= before["dying cgroups"] + 2, figures
    for key in ("kernel KiB", "service KiB"):
        assert after[key] - before[key] <= 1024 + came, (key, figures)
    return figures


main()
