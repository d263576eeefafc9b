"""Runs in the machine (guest.py says how): attaches policies, and looks at what becomes of them."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I leaves it out

from guest import (
    CGROUPS,
    CHECKS,
    DISK,
    LIMIT,
    LOADER,
    OBJECTS,
    PINS,
    STAT,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    main,
    map_value,
    no_bpf_left,
    nothing_left,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
    scan_and_points,
)

ROUNDS = 9
POLICIES = ("fifo", "lfu", "mru", "s3fifo")


def attach_works(name: str) -> dict[str, float]:
    path = cgroup("one")
    file = big_file("whole", 24 << 20)
    begun = time.monotonic()
    assert good("attach", obj(name), path).startswith(f"{name} is attached to {path}")
    took = time.monotonic() - begun
    assert json.loads(good("list", "--json")) == [
        {"cgroup": path.stat().st_ino, "path": str(path), "policy": name, "state": "attached"}
    ]
    assert good("list").split() == [name, str(path)]
    run_in(path, lambda: scan_and_points(file))
    stat = json.loads(good("stat", path, "--json"))
    assert (stat["cgroup"], stat["name"], stat["path"]) == (path.stat().st_ino, name, str(path))
    assert stat["added"] >= 6144, stat
    assert stat["evicted"] >= 3000, stat
    assert stat["nomem"] == 0, stat
    assert 0 < stat["owned"] <= LIMIT // 4096 and stat["owned"] == sum(stat["lists"]), stat
    assert stat["fallback"] <= stat["evicted"] // 4, stat
    assert "oom_kill 0" in (path / "memory.events").read_text()
    assert good("detach", path) == f"{name} is detached from {path}\n"
    nothing_left(path)
    run_in(path, lambda: scan_and_points(file))
    remove(path)
    no_bpf_left()
    assert good("list") == "no policy is attached\n"
    assert good("list", "--json") == "[]\n"
    return {"attach": took, **{key: value for key, value in stat.items() if isinstance(value, int)}}


for policy in POLICIES:
    CHECKS[f"attach_works_{policy}"] = lambda name=policy: attach_works(name)  # type: ignore[misc]  # a default binds the name


@check
def the_rest_of_the_stdlib_works() -> dict[str, int]:
    path, file, evicted = cgroup("one"), big_file("whole", 24 << 20), {}
    names = {found.name.removesuffix(".bpf.o") for found in OBJECTS.glob("*.bpf.o")}
    for name in sorted(names - {*POLICIES, "everything", "refused", "noop", "admit"}):  # those two govern nothing
        good("attach", obj(name), path)
        run_in(path, lambda: read_whole(file))
        stat = json.loads(good("stat", path, "--json"))
        evicted[name] = stat["evicted"]
        # lirs offers what readahead has still locked (its queue is 1 %): then the kernel helps itself
        assert stat["name"] == name and stat["evicted"] + stat["fallback"] > 2000 and stat["nomem"] == 0, stat
        good("detach", path)
        nothing_left(path)
        Path("/proc/sys/vm/drop_caches").write_text("3")
    remove(path)
    no_bpf_left()
    return evicted


@check
def every_construct_loads() -> None:
    """The policy that says everything once: the verifier accepts all of it."""
    path = cgroup("one")
    file = big_file("whole", 24 << 20)
    good("attach", obj("everything"), path, "--set", "bias=-100", "--set", "eager=false", "--set", "share=-0.5")
    run_in(path, lambda: scan_and_points(file))
    assert json.loads(good("stat", path, "--json"))["evicted"] > 0
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def two_cgroups_two_policies() -> None:
    left, right = cgroup("left"), cgroup("right")
    files = big_file("left", 20 << 20), big_file("right", 20 << 20)
    good("attach", obj("mru"), left)
    good("attach", obj("lfu"), right)
    assert [line["policy"] for line in json.loads(good("list", "--json"))] == ["mru", "lfu"]
    pids = []
    for path, file in zip((left, right), files, strict=True):
        pid = os.fork()
        if pid == 0:
            (path / "cgroup.procs").write_text(str(os.getpid()))
            scan_and_points(file)
            os._exit(0)
        pids.append(pid)
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in pids)
    for path, name in ((left, "mru"), (right, "lfu")):
        stat = json.loads(good("stat", path, "--json"))
        assert stat["name"] == name and stat["evicted"] > 1000 and stat["added"] > 4000, stat
    good("detach", left)
    assert [line["policy"] for line in json.loads(good("list", "--json"))] == ["lfu"]
    good("detach", right)
    for path in (left, right):
        nothing_left(path)
        remove(path)


@check
def a_second_policy_is_refused() -> None:
    path = cgroup("one")
    good("attach", obj("lfu"), path)
    pins = sorted(pin.name for pin in (PINS / str(path.stat().st_ino)).iterdir())
    refused(
        f"{path} has the policy lfu already; .* --replace, or detach it first: cpolc detach {path}",
        "attach",
        obj("mru"),
        path,
    )
    assert sorted(pin.name for pin in (PINS / str(path.stat().st_ino)).iterdir()) == pins
    assert [line["name"] for line in kernel_lines(path)] == ["lfu"]
    good("detach", path)
    refused("has no policy", "detach", path)
    refused("has no policy", "stat", path)
    nothing_left(path)
    remove(path)


@check
def of_many_at_once_one_wins() -> None:
    path = cgroup("one")
    command = [LOADER, "attach", str(obj("fifo")), str(path)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    said = [racer.communicate() for racer in racers]
    assert sorted(racer.returncode for racer in racers) == [0, 1, 1, 1], said
    assert all("has the policy fifo already" in words[1] for words in said if words[1]), said
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def a_killed_loader_leaves_nothing_that_matters() -> dict[str, int]:
    """SIGKILL at any time: the policy is attached whole or not at all, and either way the cgroup goes on."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    begun = time.monotonic()
    good("attach", obj("s3fifo"), path)
    took = time.monotonic() - begun
    good("detach", path)
    attached = stale = 0
    for step in range(ROUNDS):
        process = subprocess.Popen([LOADER, "attach", str(obj("s3fifo")), str(path)], stdout=subprocess.DEVNULL)
        time.sleep(took * (step + 1) / ROUNDS)
        process.send_signal(signal.SIGKILL)
        process.wait()
        pins = PINS / str(path.stat().st_ino)
        staged = pins.with_name(f"{pins.name}_new")
        if (pins / "link").exists() or (staged / "link").exists():
            attached += 1
            assert good("detach", path).startswith("s3fifo is detached")
        else:
            stale += pins.exists() or staged.exists()
            eventually(lambda: not kernel_lines(path), "the policy of a killed loader is still attached")
            if step % 2:
                good("attach", obj("fifo"), path)
                good("detach", path)
            else:
                refused("has no policy", "detach", path)
        nothing_left(path)
    run_in(path, lambda: read_whole(file))
    remove(path)
    no_bpf_left()
    return {"rounds": ROUNDS, "attached": attached, "stale": stale}


@check
def what_is_written_is_read_back() -> None:
    path = cgroup("one")
    for name in POLICIES:
        good("attach", obj(name), path)
        file = DISK / f"written-{name}"

        block = random.Random(name).randbytes(1 << 20)

        def write(file: Path = file, block: bytes = block) -> None:
            with file.open("wb", buffering=0) as out:
                for number in range(16):
                    out.write(block[number:] + block[:number])
                    if number % 4 == 3:  # docs/stock-kernel.md, Limits: a group full of dirty pages
                        os.fdatasync(out.fileno())
                os.ftruncate(out.fileno(), 14 << 20)
                out.seek(5 << 20)
                out.write(b"in the middle")
            read_whole(file)

        run_in(path, write)
        expected = bytearray(b"".join(block[number:] + block[:number] for number in range(14)))
        expected[5 << 20 : (5 << 20) + 13] = b"in the middle"
        for _ in range(2):
            digest = hashlib.sha256(file.read_bytes())
            assert digest.digest() == hashlib.sha256(expected).digest(), f"{name}: not what was written"
            subprocess.run(["sync"], check=True)
            Path("/proc/sys/vm/drop_caches").write_text("3")
        good("detach", path)
        file.unlink()
    nothing_left(path)
    remove(path)


def ghost_is_whole(pins: Path, name: str, record: int = 0) -> tuple[int, int]:
    """Entries and capacity of a ghost; its ring and its chains have the same entries, and records are those of their
    entries if they are file and index (bpf_ghost.h)."""
    stride = 8 + record

    def are_sizes(capacity: int, last: int, crowded: int, buckets: int) -> bool:
        return capacity > 0 and last - crowded == stride * (capacity // 28 + 1) and buckets == capacity // 4 + 1

    rodata, value = map_value(pins / "rodata"), map_value(pins / f"data_ghost_{name}")
    words = struct.unpack_from(f"{len(rodata) // 8}Q", rodata)
    four = next(four for four in zip(words, words[1:], words[2:], words[3:], strict=False) if are_sizes(*four))
    capacity, last, _, buckets = four
    _, count, span, oldest, newest, _ = struct.unpack_from("6I", value)
    value = value[24:]
    slots = {at: struct.unpack_from("2I", value, at) for at in range(0, last + 1, stride)}
    entries = [at for step in range(0, span, stride) if slots[at := (oldest - stride + step) % last + stride][0]]
    chained = []
    for (at,) in struct.iter_unpack("I", value[last + stride : last + stride + 4 * buckets]):
        while at:
            chained.append(at)
            assert len(chained) <= count, (name, len(chained), count)
            at = slots[at][1]
    assert count == len(entries) <= capacity and sorted(chained) == sorted(entries), (name, count, len(entries))
    if not entries:
        assert span == 0, (name, span)
        return 0, capacity
    assert entries[0] == oldest and entries[-1] == newest == (oldest - stride + span - stride) % last + stride
    for at in entries if record == 16 else ():
        file, index = struct.unpack_from("2Q", value, at + 8)
        mixed = (file + index * 0x9E3779B97F4A7C15) % 2**64
        assert (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 % 2**64 >> 32 == slots[at][0], (name, file, index)
    return count, capacity


@check
def params_and_ghosts_reach_the_kernel() -> dict[str, int]:
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    assert "sample = 7)" in good("attach", obj("lfu"), path, "--set", "sample=7")
    assert struct.unpack_from("I", map_value(PINS / str(path.stat().st_ino) / "rodata"))[0] == 7
    good("detach", path)
    good("attach", obj("s3fifo"), path)
    pins = PINS / str(path.stat().st_ino)
    run_in(path, lambda: scan_and_points(file))
    run_in(path, lambda: scan_and_points(file))
    count, capacity = ghost_is_whole(pins, "recent")
    assert count > 0 and LIMIT // 4096 // 2 < capacity <= LIMIT // 4096, (count, capacity)
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"entries": count, "capacity": capacity}


@check
def ghosts_whose_entries_leave_from_the_middle() -> dict[str, int]:
    """Each hit makes a hole in both; there are few spare slots, so passes take holes out every hundred hits or so."""
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    good("attach", obj("turning"), path)
    pins = PINS / str(path.stat().st_ino)

    def hit() -> None:
        source = random.Random(7)
        with file.open("rb", buffering=0) as points:
            for _ in range(20000):
                os.pread(points.fileno(), 100, source.randrange(1000) * 4096)

    found = {}
    for _ in range(3):
        run_in(path, hit)
        for name, record in (("plain", 0), ("named", 16)):
            found[name], capacity = ghost_is_whole(pins, name, record)
            assert found[name] == capacity, (name, found, capacity)
    # Now they leave with their folios, perhaps all of them.
    run_in(path, lambda: scan_and_points(file))
    for name, record in (("plain", 0), ("named", 16)):
        ghost_is_whole(pins, name, record)
    good("detach", path)
    nothing_left(path)
    remove(path)
    return found


@check
def a_removed_cgroup() -> None:
    path = cgroup("gone")
    number = path.stat().st_ino
    good("attach", obj("mru"), path)
    remove(path)
    assert json.loads(good("list", "--json")) == [
        {"cgroup": number, "path": None, "policy": "mru", "state": "cgroup removed"}
    ]
    assert f"cpolc detach --id {number}" in good("list")
    assert good("detach", "--id", number).startswith("mru is detached")
    assert not (PINS / str(number)).exists()
    no_bpf_left()


@check
def nested_cgroups_and_the_memory_controller() -> None:
    outer = cgroup("outer")
    inner = outer / "inner"
    inner.mkdir()
    refused(
        rf"{inner} has no memory controller; turn it on: echo \+memory > {outer}/cgroup.subtree_control",
        "attach",
        obj("fifo"),
        inner,
    )
    (outer / "cgroup.subtree_control").write_text("+memory")
    good("attach", obj("fifo"), inner)
    os.chdir(inner)
    assert good("stat", ".").splitlines()[0].split() == ["path", str(inner)]
    os.chdir("/")
    good("detach", inner)
    nothing_left(inner)
    remove(inner)
    remove(outer)


@check
def the_root_and_strangers_are_refused() -> None:
    refused("is the root cgroup", "attach", obj("fifo"), CGROUPS)
    path = cgroup("one")
    # pytest's folder is for root only, and the refusal meant here is not that of a file.
    readable = Path("/run/fifo.bpf.o")
    shutil.copyfile(obj("fifo"), readable)
    readable.chmod(0o644)
    command = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        LOADER,
        "attach",
        str(readable),
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "no permission: this needs root" in done.stderr, done.stderr
    PINS.mkdir(mode=0o700, exist_ok=True)
    assert PINS.stat().st_mode & 0o077 == 0
    PINS.chmod(0o755)
    refused("not a folder that only its owner", "attach", obj("fifo"), path)
    PINS.chmod(0o700)
    os.chown(PINS, 65534, 65534)
    refused("not a folder that only its owner", "attach", obj("fifo"), path)
    os.chown(PINS, 0, 0)
    nothing_left(path)
    remove(path)


@check
def a_stale_folder_is_swept() -> None:
    path = cgroup("one")
    stale = PINS / str(path.stat().st_ino)
    stale.mkdir(mode=0o700, parents=True)
    assert good("list") == "no policy is attached\n"
    good("attach", obj("fifo"), path)
    good("detach", path)
    stale.mkdir(mode=0o700)
    refused("has no policy", "detach", path)
    nothing_left(path)
    remove(path)


@check
def file_systems_are_mounted_when_missing() -> None:
    path = cgroup("one")
    for mount in ("/sys/fs/bpf", "/sys/kernel/debug/tracing", "/sys/kernel/debug"):
        subprocess.run(["umount", mount], capture_output=True, check=False)
    assert good("list") == "no policy is attached\n"
    refused("has no policy", "detach", path)
    good("attach", obj("fifo"), path)
    assert "name               fifo" in good("stat", path)
    assert PINS.stat().st_mode & 0o777 == 0o700
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def what_the_verifier_refuses_is_explained() -> str:
    path = cgroup("one")
    said = refused("the kernel's verifier refused the policy lfu", "attach", obj("refused"), path)
    found = re.search(r"^  at: +lfu\.cpol:\d+: (.*)$", said, re.MULTILINE)
    assert found and "freq" in found[1], said
    assert re.search(
        r"^  means:  a .*, and that was not tested$|^  means:  a number is used as an address", said, re.MULTILINE
    )
    assert re.search(r"^  reason: .*invalid mem access", said, re.MULTILINE), said
    log = re.search(r"^  log: +(/\S+)$", said, re.MULTILINE)
    assert log and Path(log[1]).stat().st_mode & 0o777 == 0o600, said
    assert "processed " in Path(log[1]).read_text()
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return said


@check
def the_loader_is_clean_under_sanitizers() -> None:
    """What only a kernel with cache_ext reaches: loading, attaching, pinning, a refusal by the verifier."""
    clean = (OBJECTS / "sanitized-loader").read_text()
    path = cgroup("one")
    environment = {**os.environ, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99"}
    for expected, *words in (
        (0, "attach", obj("s3fifo"), path, "--set", "threshold=1"),
        (1, "attach", obj("mru"), path),
        (0, "list", "--json"),
        (0, "stat", path, "--json"),
        (0, "stat", path),
        (0, "detach", path),
        (1, "detach", path),
        (1, "attach", obj("refused"), path),
        (0, "list"),
    ):
        done = subprocess.run([clean, *map(str, words)], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == expected and "Sanitizer" not in done.stderr, (words, done.returncode, done.stderr)
    nothing_left(path)
    remove(path)


@check
def many_attach_and_detach_cycles() -> None:
    path, file = cgroup("one"), big_file("whole", 24 << 20)
    pid = os.fork()
    if pid == 0:
        (path / "cgroup.procs").write_text(str(os.getpid()))
        while True:
            read_whole(file)
    try:
        for step in range(4):
            good("attach", obj(POLICIES[step % 4]), path)
            time.sleep(0.3)
            good("detach", path)
            nothing_left(path)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    remove(path)
    no_bpf_left()


@check
def the_kernel_is_content() -> None:
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout
    bad = [
        line
        for line in log.splitlines()
        if re.search(r"WARNING|\bBUG\b|Oops|\bstall|\bhung\b|lockup|page allocation failure", line)
    ]
    assert not bad, "\n".join(bad)
    assert STAT.read_text() == ""


main()
