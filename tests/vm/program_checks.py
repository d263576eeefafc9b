"""Runs in the machine (see guest.py): programs under a share of the memory that they want, under several policies.

The second disk is the swap device, or null_blk: the plan says. Programs of `PLAN["files"]` read files of the first
one, and begin with none of them cached; the others have their data in memory, of which the most is swapped out before
they are measured.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGINT, SIGKILL

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import DISK, LOADER, OBJECTS, cgroup, check, eventually, good, main, no_complaint, obj, remove
from regime_checks import CLUSTER, KERNEL_ARMS, PLAN, SWAP_RA, attached, shrink, swap, swap_device

PORT = "6390"
KEYS = 20_000
GETS = 4_000
"""Of redis with keys at random. `random` are uniform; `gaussian` deviate by a sixth of the range, as with memtier."""
SQL = """
import random, sqlite3, sys
db = sqlite3.connect(":memory:", isolation_level=None)
db.execute("create table account (id integer primary key, branch int, balance int, filler text)")
db.execute("create table branch (id integer primary key, balance int)")
db.execute("create table history (account int, branch int, delta int)")
db.executemany("insert into account values (?, ?, 0, ?)", ((i, i % 10, f"{i:0220d}") for i in range(50000)))
db.executemany("insert into branch values (?, 0)", ((i,) for i in range(10)))
print("ready", flush=True)
if sys.stdin.readline():
    source = random.Random(5)
    for _ in range(2000):
        account, delta = source.randrange(50000), source.randrange(-5000, 5000)
        db.execute("begin")
        db.execute("update account set balance = balance + ? where id = ?", (delta, account))
        db.execute("select balance from account where id = ?", (account,)).fetchone()
        db.execute("update branch set balance = balance + ? where id = ?", (delta, account % 10))
        db.execute("insert into history values (?, ?, ?)", (account, account % 10, delta))
        db.execute("commit")
"""
"""TPC-B in outline, as pgbench has it."""
IMPORTS = "import asyncio,ctypes,decimal,email.mime.text,http.server,json,logging.config,multiprocessing.pool,sqlite3"
"""Modules whose libraries and bytecode a cold start reads."""
KEY = "'key:' .. string.format('%012d', i)"
GET_ALL = f"for i = 0, {KEYS - 1} do redis.call('get', {KEY}) end"
FILL = "for i = {}, {} do redis.call('set', " + KEY + ", string.rep(i, 60)) end"


SLOWED = ("betweenness",)
"""Programs that a hard limit would kill, with any policy or none. The limit slows them; they are killed above it."""
KILLED_ABOVE = 2 << 20


def limit_to(path: Path, limit: int, slows: bool) -> None:
    if slows:
        (path / "memory.high").write_text(str(limit))
    (path / "memory.max").write_text(str(limit + KILLED_ABOVE * slows))


def pgmajfault(path: Path) -> int:
    return int(dict(line.split() for line in (path / "memory.stat").read_text().splitlines())["pgmajfault"])


def killed(path: Path) -> int:
    """Processes that the kernel killed since their limit left too little."""
    return int(dict(line.split() for line in (path / "memory.events").read_text().splitlines())["oom_kill"])


def sectors() -> int:
    disks = ("vda", swap_device().name)
    return sum(int(Path("/sys/class/block", disk, "stat").read_text().split()[2]) for disk in disks)


def spawn(path: Path, words: Sequence[str], environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
    def enter() -> None:
        (path / "cgroup.procs").write_text(str(os.getpid()))

    return subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=enter, env=environment
    )


class Waiting:
    """A program that says `ready`, waits for a line, works and ends."""

    operations = 0

    def __init__(self, path: Path, *words: str) -> None:
        self.process = spawn(path, words)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n", words

    def work(self) -> None:
        self.process.communicate("\n")
        assert self.process.returncode in (0, -SIGKILL)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def get(redis: socket.socket, key: int) -> None:
    """Get the value of the key.

    Raises:
        ConnectionError: the server has ended.
    """
    redis.sendall(b"GET key:%012d\r\n" % key)
    said = b""
    while not (head := re.match(rb"\$(\d+)\r\n", said)) or len(said) < head.end() + int(head[1]) + 2:
        more = redis.recv(4096)
        if not more:
            raise ConnectionError("redis has ended")
        said += more


class Redis:
    """A server with KEYS values, read at random or in order by a client outside of its cgroup."""

    def __init__(self, path: Path, how: str) -> None:
        self.how = how
        self.operations = KEYS if how == "sequential" else GETS
        self.process = spawn(path, ["redis-server", "--port", PORT, "--save", "", "--bind", "127.0.0.1"])
        eventually(lambda: self.client("redis-cli", "ping") == "PONG\n", "redis does not answer", 120)
        for first in range(0, KEYS, 2000):
            self.client("redis-cli", "eval", FILL.format(first, first + 1999), "0")
        self.client("redis-benchmark", "--version")  # so that the program is in memory

    @staticmethod
    def client(program: str, *words: str) -> str:
        return subprocess.run([program, "-p", PORT, *words], capture_output=True, text=True, check=False).stdout

    def work(self) -> None:
        if self.how == "random":
            said = self.client("redis-benchmark", "-t", "get", "-r", str(KEYS), "-n", str(GETS), "-q")
            assert "GET" in said, said
        elif self.how == "gaussian":
            source = random.Random(5)
            with suppress(ConnectionError), socket.create_connection(("127.0.0.1", int(PORT))) as redis:
                for _ in range(GETS):
                    get(redis, min(max(round(source.gauss(KEYS / 2, KEYS / 6)), 0), KEYS - 1))
        else:
            self.client("redis-cli", "eval", GET_ALL, "0")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Reading:
    """A program that reads files from its start on."""

    operations = 0

    def __init__(self, path: Path, *words: str) -> None:
        self.path, self.words = path, words
        Path("/proc/sys/vm/drop_caches").write_text("3")

    def work(self) -> None:
        process = spawn(self.path, self.words, os.environ | {"PYTHONHOME": str(DISK / "py")})
        process.communicate()
        assert process.returncode in (0, -SIGKILL), self.words

    def end(self) -> None:
        pass


def begin(name: str, path: Path) -> Waiting | Redis | Reading:
    if name.startswith("redis-"):
        return Redis(path, name.removeprefix("redis-"))
    if name == "sqlite":
        return Waiting(path, sys.executable, "-I", "-c", SQL)
    if name == "ripgrep":
        return Reading(path, "rg", "--threads", "1", "--sort", "path", "-uuu", "-c", "return", str(DISK / "py/lib"))
    if name == "python":
        return Reading(path, str(DISK / "py/bin/python"), "-c", IMPORTS)
    return Waiting(path, str(OBJECTS / "rmat"), name, "18", "1200000", "1")


def copy_python() -> None:
    """A Python of its own on the disk, so that a start reads from there."""
    (DISK / "py/bin").mkdir(parents=True)
    shutil.copy(Path(sys.executable).resolve(), DISK / "py/bin/python")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = Path(os.__file__).parent
    leave = shutil.ignore_patterns("test", "tests", "idlelib", "dist-packages", "site-packages", "config-*")
    shutil.copytree(library, DISK / "py/lib" / version, ignore=leave, symlinks=False)
    os.sync()


@contextmanager
def recording(path: Path, out: Path) -> Iterator[None]:
    with out.open("wb") as file:
        command: list[str | Path] = [LOADER, "record", OBJECTS / "record.bpf.o", path]
        recorder = subprocess.Popen(command, stdout=file, stderr=subprocess.PIPE, text=True)
        assert recorder.stderr is not None
        recorder.stderr.readline()
        yield
        recorder.send_signal(SIGINT)
        recorder.communicate()


def one_run(name: str, arm: str, limit: int, record: Path | None = None) -> dict[str, object]:
    by_vma, window = KERNEL_ARMS.get(arm, KERNEL_ARMS["vma"])
    SWAP_RA.write_text(by_vma)
    CLUSTER.write_text(window)
    path = cgroup(f"p{time.monotonic_ns()}")
    (path / "memory.max").write_text("max")
    with swap():
        is_policy = arm not in (*KERNEL_ARMS, "default")
        if is_policy:
            good("attach", obj(arm), path)
            if arm == "replay":
                good("input", path, "start", "load", OBJECTS / f"{name}.start")
        program = begin(name, path)
        try:
            if limit:
                if not isinstance(program, Reading):
                    shrink(path, limit)
                limit_to(path, limit, slows=name in SLOWED)
            held = int((path / "memory.current").read_text())
            major, read, begun = pgmajfault(path), sectors(), time.monotonic()
            if record:
                with recording(path, record):
                    program.work()
            else:
                program.work()
            figures: dict[str, object] = {"major": pgmajfault(path) - major, "sectors": sectors() - read}
            figures["seconds"] = seconds = time.monotonic() - begun
            if program.operations:
                figures["operations_per_second"] = program.operations / seconds
            figures["killed"] = killed(path)
        finally:
            program.end()
        # What Redis takes while it is filled differs from run to run.
        figures["peak"] = held if isinstance(program, Redis) else int((path / "memory.peak").read_text())
        if is_policy:
            told = json.loads(good("stat", "--json", path))
            keys = ("asked", "prefetched", "used", "wasted", "ra_asked", "ra_prefetched", "ra_used", "ra_wasted")
            figures |= {key: told[key] for key in keys} | {"stopped": told.get("code", 0)}
            good("detach", path)
            eventually(lambda: not attached(path), "the policy is still there")
    remove(path)
    return figures


@check
def programs() -> dict[str, dict[str, dict[str, object]]]:
    swap_device()  # also for arms without swap: it says that the disk does not rotate
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    if set(PLAN["files"]) & {name for name, _ in PLAN["runs"]}:
        copy_python()
    found: dict[str, dict[str, dict[str, object]]] = {}
    for name, arms in PLAN["runs"]:
        peak = one_run(name, "default", 0)["peak"]
        assert isinstance(peak, int)
        for percent in PLAN["percents"]:
            limit = peak * percent // 100
            key, out = f"{name} {percent}", Path(os.environ["CPOL_EXCHANGE"]) / f"{name}-{percent}.rec"
            if PLAN["record"]:
                one_run(name, "default", limit, out)
            if "replay" in arms and not (OBJECTS / f"{name}.start").exists():
                one_run(name, "default", 0, OBJECTS / f"{name}.rec")
                words = ("cpolc", "record", "--replay", OBJECTS / f"{name}.rec", "-o", OBJECTS / f"{name}.start")
                subprocess.run(words, check=True)
            found[key] = {"limit": {"bytes": limit}}
            for arm in arms:
                found[key][arm] = one_run(name, arm, limit)
                print(key, arm, found[key][arm], file=sys.stderr, flush=True)
    no_complaint()
    return found


if __name__ == "__main__":
    main()
