"""Runs in the machine: shared code of the scripts of checks (SCRIPT LOADER OBJECTS [CHECK...]).

A check is a function that returns figures or raises its failure. For each check, and at the end, a line of JSON goes to
standard output. Uses only the standard library, so that it starts fast.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import random
import re
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from guest_stacks import end_watch, watch

LOADER, OBJECTS = sys.argv[1], Path(sys.argv[2])
CGROUPS = Path("/sys/fs/cgroup")
PINS = Path("/sys/fs/bpf/cpol")
STAT = Path("/proc/cache_ext/stat")
DISK = Path("/mnt")
LIMIT = 12 << 20
PAIR = re.compile(r'(\w+)=(?:"([^"]*)"|(\S*))')

CHECKS: dict[str, Callable[[], object]] = {}


def check(function: Callable[[], object]) -> Callable[[], object]:
    CHECKS[function.__name__] = function
    return function


def load(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LOADER, *map(str, words)], capture_output=True, text=True, check=False)


def good(*words: object) -> str:
    done = load(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(pattern: str, *words: object) -> str:
    done = load(*words)
    assert done.returncode == 1, f"exit code {done.returncode}: {done.stdout}"
    assert re.search(pattern, done.stderr), done.stderr
    return done.stderr


def cgroup(name: str, limit: int = LIMIT) -> Path:
    path = CGROUPS / name
    path.mkdir(exist_ok=True)
    (path / "memory.max").write_text(str(limit))
    return path


def remove(path: Path) -> None:
    for _ in range(50):
        try:
            path.rmdir()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{path} cannot be removed: {(path / 'cgroup.procs').read_text()}")


def obj(name: str) -> Path:
    return OBJECTS / f"{name}.bpf.o"


def run_in(path: Path, work: Callable[[], None]) -> None:
    """Run `work` in a child process in the cgroup."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            (path / "cgroup.procs").write_text(str(os.getpid()))
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0, "the workload failed"


def big_file(name: str, size: int) -> Path:
    """Make a file with known pseudo-random contents, and drop it from the page cache."""
    path = DISK / name
    if not path.exists():
        source = random.Random(name)
        path.write_bytes(source.randbytes(1 << 20) * (size >> 20))
    subprocess.run(["sync"], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    return path


def read_whole(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 18):
            pass


def scan_and_points(path: Path) -> None:
    """Read the file twice, then single pages with a skewed distribution."""
    size = path.stat().st_size
    source = random.Random(3)
    read_whole(path)
    with path.open("rb", buffering=0) as file:
        for _ in range(1500):
            page = int(size / 4096 * source.random() ** 4)
            os.pread(file.fileno(), 100, page * 4096)
    read_whole(path)


def statistics_lines(file: Path | None = None) -> list[dict[str, str]]:
    """Return the kernel's lines. A value with spaces is in quotation marks."""
    lines = (file or STAT).read_text().splitlines()
    return [{key: words or word for key, words, word in PAIR.findall(line)} for line in lines]


def kernel_lines(path: Path | None = None, file: Path | None = None) -> list[dict[str, str]]:
    """Return the lines of policies that have not ended. `file`: not those that evict."""
    lines = [line for line in statistics_lines(file) if line["state"] != "ended"]
    return [line for line in lines if path is None or line["cgroup"] == str(path.stat().st_ino)]


def ended(path: Path) -> list[dict[str, str]]:
    """Return the lines of the cgroup's policies that have ended, with a link or without, the last one last."""
    lines = [line for line in statistics_lines() if line.get("exit")]
    lines = [line for line in lines if line["cgroup"] == str(path.stat().st_ino)]
    return sorted(lines, key=lambda line: int(line["ended_ms"]))


def eventually(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"after {seconds} s: {what}"
        time.sleep(0.05)


def bpf_objects() -> tuple[int, int, int]:
    """Return the numbers of programs, maps and links in the kernel."""
    return count_ids(11), count_ids(12), count_ids(31)


def bpf(command: int, attributes: ctypes.Array[ctypes.c_char]) -> int:
    return int(LIBC.syscall(321, command, attributes, len(attributes)))


LIBC = ctypes.CDLL(None, use_errno=True)


def count_ids(command: int) -> int:
    count, last = 0, 0
    while True:
        attributes = ctypes.create_string_buffer(struct.pack("III", last, 0, 0), 12)
        if bpf(command, attributes) != 0:
            return count
        last = struct.unpack_from("I", attributes, 4)[0]
        count += 1


BEFORE = bpf_objects()


def map_value(path: Path) -> bytes:
    """Return the single value of a pinned array map."""
    name = ctypes.create_string_buffer(str(path).encode())
    fd = bpf(7, ctypes.create_string_buffer(struct.pack("QII", ctypes.addressof(name), 0, 0), 16))
    assert fd >= 0, os.strerror(ctypes.get_errno())
    info = ctypes.create_string_buffer(80)
    assert bpf(15, ctypes.create_string_buffer(struct.pack("IIQ", fd, len(info), ctypes.addressof(info)), 16)) == 0
    size = struct.unpack_from("I", info, 12)[0]
    key, value = ctypes.create_string_buffer(4), ctypes.create_string_buffer(size)
    attributes = struct.pack("IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(value), 0)
    assert bpf(1, ctypes.create_string_buffer(attributes, 32)) == 0
    os.close(fd)
    return value.raw


def nothing_left(path: Path) -> None:
    """Check that the cgroup has no pin and no policy, and that no BPF program is left."""
    pins = PINS / str(path.stat().st_ino)
    assert not pins.exists() and not pins.with_name(f"{pins.name}_new").exists()
    eventually(lambda: not kernel_lines(path), f"a policy is still in {STAT}")


def no_bpf_left() -> None:
    eventually(lambda: bpf_objects() == BEFORE, f"programs, maps, links: {bpf_objects()}, before: {BEFORE}")


COMPLAINTS = re.compile(r"WARNING|\bBUG\b|Oops|\bstall|\bhung\b|lockup|page allocation failure")


def no_complaint() -> None:
    """Check that the kernel's log has no problem; show the first one with its context."""
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout.splitlines()
    first = next((number for number, line in enumerate(log) if COMPLAINTS.search(line)), None)
    assert first is None, "\n".join(log[first : first + 40])


def load_module() -> None:
    """Load the module that CPOL_MODULE names, if it names one."""
    if module := os.environ.get("CPOL_MODULE"):
        subprocess.run(["insmod", module], check=True)


def main(*modules: str) -> None:
    """Run the checks that the command line names, or all: first the script's, then the modules'."""
    for module in modules:
        importlib.import_module(module)
    load_module()
    DISK.mkdir(exist_ok=True)
    subprocess.run(["mount", "/dev/vda", str(DISK)], check=True)
    wanted = sys.argv[3:] or list(CHECKS)
    for name in wanted:
        begun = time.monotonic()
        result: dict[str, object] = {"name": name}
        watch()
        try:
            result["figures"] = CHECKS[name]()
        except Exception:
            result["failure"] = traceback.format_exc()
            for line in kernel_lines() if STAT.exists() else []:
                load("detach", "--id", line["cgroup"])
            with suppress(AssertionError):
                for path in CGROUPS.iterdir():
                    if path.is_dir():
                        remove(path)
        end_watch()
        result["seconds"] = round(time.monotonic() - begun, 2)
        print(json.dumps(result), flush=True)
    print(json.dumps({"name": "done"}), flush=True)
