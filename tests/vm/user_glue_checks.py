"""Runs in the machine (see guest.py): a policy in user space, on a kernel without module and patch.

user_glue_checks.py LOADER OBJECTS: there are record.bpf.o, replay_reads, the trace `loop`, and POLICY.so.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # python -I does not add it

from guest import (
    CGROUPS,
    DISK,
    LOADER,
    OBJECTS,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    main,
    no_bpf_left,
    no_complaint,
    nothing_left,
    read_whole,
    refused,
    remove,
    run_in,
)

PAGE = 4096
LIMIT = 4096
"""Pages: memory.max. All are for page cache: this machine charges no kernel memory."""
FILE = 6144
"""Pages of the file that is read in a loop."""
NEIGHBOUR = 1024
SOURCES = Path(__file__).parents[2] / "src"
COMMAND = ("govern", OBJECTS / "record.bpf.o")


class Governor:
    """A process that governs a cgroup."""

    def __init__(
        self,
        policy: str,
        group: Path,
        *options: object,
        words: Sequence[object] = (),
        env: dict[str, str] | None = None,
    ) -> None:
        words = words or [LOADER, *COMMAND, OBJECTS / f"{policy}.so", group, policy, *options]
        self.process = subprocess.Popen(
            [*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1, env=env
        )
        assert self.process.stderr
        self.said = self.process.stderr.readline()
        assert self.said.startswith("governing /sys/fs/cgroup/"), self.said + self.process.stderr.read()

    def statistics(self) -> dict[str, int]:
        """Ask for the figures while it runs."""
        assert self.process.stdout
        self.process.send_signal(signal.SIGUSR1)
        return figures(self.process.stdout.readline())

    def end(self, number: int | None = signal.SIGINT, code: int = 0) -> tuple[dict[str, int], str]:
        """End it. Return its last figures, and what else it said."""
        if number is not None:
            self.process.send_signal(number)
        out, said = self.process.communicate(timeout=120)
        assert self.process.returncode == code, (self.process.returncode, out, said)
        return figures(out), said


def figures(line: str) -> dict[str, int]:
    found = re.findall(r"(\w+)=(\d+)", line)
    assert found, line
    return {key: int(value) for key, value in found}


@contextmanager
def group_of(name: str, pages: int = LIMIT) -> Iterator[Path]:
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    path = cgroup(name, pages * PAGE)
    yield path
    if path.exists():
        remove(path)


@contextmanager
def reader(file: Path, trace: str, group: Path) -> Iterator[Callable[[], int]]:
    """A process in the cgroup that reads a trace of pages when it is told to, and returns what the disk had to read.

    Its own memory is charged elsewhere, since it joins the cgroup afterwards.
    """
    words = (OBJECTS / "replay_reads", file, OBJECTS / trace)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        process.stdout.readline()
        (group / "cgroup.procs").write_text(str(process.pid))

        def read() -> int:
            assert process.stdin and process.stdout
            process.stdin.write("go\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield read


def disk_pages(work: Callable[[], None], group: Path) -> int:
    """The pages that some work in the cgroup has the disk read."""
    told = OBJECTS / "pages"

    def counted() -> None:
        before = read_bytes()
        work()
        told.write_text(str((read_bytes() - before) // PAGE))

    run_in(group, counted)
    return int(told.read_text())


def read_bytes() -> int:
    found = re.search(r"^read_bytes: (\d+)$", Path("/proc/self/io").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


def loop(policy: str | None, in_kernel: bool = False) -> dict[str, object]:
    """Read a file in a loop that is larger than the limit, beside a neighbour with a cache of its own."""
    file, other = big_file("looped", FILE * PAGE), big_file("other", NEIGHBOUR * PAGE)
    with group_of("looping") as group, group_of("beside") as beside:
        run_in(beside, lambda: read_whole(other))
        governor = Governor(policy, group, "--cpu", 100) if policy and not in_kernel else None
        if in_kernel:
            good("attach", OBJECTS / f"{policy}.bpf.o", group)
        begun = time.monotonic()
        with reader(file, "loop", group) as read:
            pages = read()
        seconds = round(time.monotonic() - begun, 2)
        told = governor.end()[0] if governor else in_the_kernel(group) if in_kernel else {}
        assert disk_pages(lambda: read_whole(other), beside) == 0, "the neighbour's cache was touched"
    return {"pages": pages, "seconds": seconds, "told": told}


def in_the_kernel(group: Path) -> dict[str, int]:
    (line,) = kernel_lines(group)
    good("detach", group)
    nothing_left(group)
    return {key: int(line[key]) for key in ("misses", "evicted", "fallback")}


@check
def default() -> object:
    return loop(None)


@check
def mru() -> object:
    """The pages that came are those that the disk read; each that went is counted; nothing is lost."""
    found = loop("mru")
    told = found["told"]
    assert isinstance(told, dict)
    assert told["lost"] == told["unreachable"] == told["left_out"] == told["forgotten"] == 0, found
    assert told["added"] == found["pages"], found
    assert told["owned"] == told["added"] - told["evicted"] - told["fallback"] <= LIMIT, found
    assert told["proposed"] == told["evicted"] + told["stayed"], found
    return found


@check
def s3fifo() -> object:
    """Each page that comes or goes is counted once."""
    found = loop("s3fifo")
    told = found["told"]
    assert isinstance(told, dict)
    assert told["lost"] == told["unreachable"] == told["left_out"] == 0, found
    assert told["added"] == found["pages"], found
    went = told["evicted"] + told["fallback"] + told["forgotten"]
    assert told["owned"] == told["added"] + told["adopted"] - went, found
    assert told["evicted"] > FILE and told["fallback"] < told["evicted"] / 4, found
    return found


@check
def by_the_module() -> object:
    """The same policy in the kernel, in a machine that has the module."""
    if "CPOL_MODULE" not in os.environ:
        return "no module here"
    return loop("mru", in_kernel=True)


@check
def by_the_command() -> object:
    """`cpolc attach --glue user` compiles the policy for this processor, and becomes the process."""
    file = big_file("looped", FILE * PAGE)
    words = [sys.executable, "-c", "from cpol.cli.main import main; main()"]
    cache = OBJECTS / "cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "CPOL_CACHE": str(cache), "CPOL_LOADER": LOADER}
    with group_of("commanded") as group:
        attach = ["attach", "mru", group, "--glue", "user", "--cpu", "100", "--margin", "1M"]
        governor = Governor("mru", group, words=[*words, *attach], env=env)
        name = Path(f"/proc/{governor.process.pid}/comm").read_text()
        assert name.startswith("cpol-loader"), name
        run_in(group, lambda: read_whole(file))
        eventually(lambda: governor.statistics()["evicted"] > 0, "it evicts")
        told, _ = governor.end()
    assert told["mark"] == LIMIT - 256, told
    return told


@check
def rights_and_the_end() -> object:
    """It keeps one capability, is alone, tells its figures when asked, and ends by a signal or with the cgroup."""
    file = big_file("looped", FILE * PAGE)
    with group_of("alone") as group:
        governor = Governor("mru", group, "--cpu", 100)
        status = Path(f"/proc/{governor.process.pid}/status").read_text()
        assert re.search(r"^CapEff:\t0*4$", status, re.MULTILINE), status  # CAP_DAC_READ_SEARCH
        assert re.search(r"^CapBnd:\t0+$", status, re.MULTILINE) and "NoNewPrivs:\t1" in status, status
        assert re.search(r"^Uid:\t65534\t65534\t65534\t65534$", status, re.MULTILINE), status
        assert re.search(r"^Gid:\t65534\t65534\t65534\t65534$", status, re.MULTILINE), status
        assert re.search(r"^Groups:\t *$", status, re.MULTILINE), status
        refused("another process governs", *COMMAND, OBJECTS / "mru.so", group, "mru")
        run_in(group, lambda: read_whole(file))
        eventually(lambda: governor.statistics()["evicted"] > 0, "it evicts")
        told, said = governor.end(signal.SIGTERM)
        assert "until it was told to end" in said, said
        no_bpf_left()
        keep_out = os.open(group, os.O_RDONLY)
        fcntl.flock(keep_out, fcntl.LOCK_EX)  # anyone can, and it means nothing
        governor = Governor("mru", group)
        os.close(keep_out)
        assert "pages were cached before" in governor.process.stderr.readline()
        remove(group)
        assert "until the cgroup was removed" in governor.end(None)[1]
    no_bpf_left()
    return told


@check
def one_policy_above_and_below() -> None:
    """A cgroup that a process governs has no such cgroup above or below; one beside it may."""
    with group_of("above") as above, group_of("besides") as beside:
        (above / "cgroup.subtree_control").write_text("+memory")
        child = above / "child"
        child.mkdir()
        (child / "memory.max").write_text(str(LIMIT // 2 * PAGE))
        governor = Governor("mru", above)
        refused(f"another process governs {above} ", *COMMAND, OBJECTS / "mru.so", child, "mru")
        Governor("mru", beside).end()
        governor.end()
        governor = Governor("mru", child)
        refused(f"another process governs {child} ", *COMMAND, OBJECTS / "mru.so", above, "mru")
        governor.end()
        Governor("mru", above).end()
        (child / "memory.max").write_text("max")
        refused("is that of a cgroup above it, which others use up, too", *COMMAND, OBJECTS / "mru.so", child, "mru")
        child.rmdir()


@check
def pages_that_stay_are_counted() -> object:
    """Mapped pages stay, and the process does not spin on them: it asks less and less often."""
    file = big_file("held", 2048 * PAGE)
    with group_of("holding", 2048) as group:
        governor = Governor("mru", group, "--cpu", 100)
        ready, release = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            (group / "cgroup.procs").write_text(str(os.getpid()))
            with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ) as area:
                for _ in range(3):
                    sum(area[at * PAGE] for at in range(1900))
                    read_whole(file)
                os.write(ready[1], b"x")
                os.read(release[0], 1)
                os._exit(0)
        os.read(ready[0], 1)
        time.sleep(1)
        before = governor.statistics()
        time.sleep(2)
        after = governor.statistics()
        os.write(release[1], b"x")
        assert os.waitpid(pid, 0)[1] == 0
        governor.end()
    assert after["stayed"] + after["forgotten"] > 0, after
    assert after["calls"] - before["calls"] <= 2 * 256 + 256, (before, after)
    assert after["cpu_ms"] - before["cpu_ms"] <= 1000, (before, after)
    return {"before": before, "after": after}


@check
def unknown_pages_come_at_their_next_access() -> object:
    file = big_file("known", 1024 * PAGE)
    with group_of("knowing") as group:
        run_in(group, lambda: read_whole(file))
        governor = Governor("mru", group, "--cpu", 100)
        run_in(group, lambda: read_whole(file))
        eventually(lambda: governor.statistics()["adopted"] >= 1024, "pages are adopted")
        told, _ = governor.end()
    assert told["owned"] >= 1024, told
    return told


@check
def names_that_move_are_no_hindrance() -> object:
    """A file is opened by its handle: also after a rename, and with an odd name; one that was deleted is forgotten."""
    odd = DISK / 'a "b"\n\\040c'
    odd.mkdir(exist_ok=True)
    moved, gone = odd / "moved", odd / "gone"
    for path in (moved, gone):
        with suppress(FileNotFoundError):
            path.unlink()
        os.link(big_file(f"source.{path.name}", FILE // 2 * PAGE), path)
    with group_of("names") as group:
        governor = Governor("mru", group, "--cpu", 100)

        def work() -> None:
            for path in (moved, gone):
                with path.open("rb") as file:
                    file.read(16 * PAGE)
            time.sleep(0.5)
            moved.rename(odd / "elsewhere")
            gone.unlink()
            for _ in range(2):
                read_whole(odd / "elsewhere")
                read_whole(DISK / "source.gone")

        run_in(group, work)
        told, _ = governor.end()
    assert told["evicted"] > 0 and told["unreachable"] == 0 and told["forgotten"] == 0, told
    return told


@check
def a_name_that_is_gone_when_it_is_told() -> object:
    """A file is renamed at once after its first event: its name is asked for again."""
    first, now = DISK / "renamed", DISK / "renamed.now"
    big_file(first.name, FILE * PAGE)
    with group_of("renaming") as group:
        governor = Governor("mru", group, "--cpu", 100)

        def work() -> None:
            with first.open("rb") as file:
                file.read(16 * PAGE)
                first.rename(now)
            time.sleep(0.5)
            for _ in range(2):
                read_whole(now)

        run_in(group, work)
        told, _ = governor.end()
        now.rename(first)
    assert told["evicted"] > 1024 and told["unreachable"] <= 1024, told
    return told


@check
def a_limit_that_grows_is_told() -> None:
    with group_of("growing") as group:
        governor = Governor("mru", group)
        (group / "memory.max").write_text(str(2 * LIMIT * PAGE))
        eventually(lambda: governor.statistics()["limit"] == 2 * LIMIT, "it sees the limit")
        _, said = governor.end()
    assert "end this and attach again" in said and said.count("limit was") == 1, said


@check
def lost_events_are_counted() -> object:
    """While it is stopped, the buffer overflows. What it then has wrong, it forgets."""
    file = big_file("often", 512 * PAGE)
    with group_of("losing", 1024) as group:
        governor = Governor("mru", group, "--cpu", 100)
        run_in(group, lambda: read_whole(file))
        governor.process.send_signal(signal.SIGSTOP)
        run_in(group, lambda: [read_whole(file) for _ in range(500)] and None)
        Path("/proc/sys/vm/drop_caches").write_text("1")
        governor.process.send_signal(signal.SIGCONT)
        run_in(group, lambda: [read_whole(big_file("looped", FILE * PAGE)) for _ in range(2)] and None)
        told, _ = governor.end()
    assert told["lost"] > 0 and told["evicted"] > 0, told
    return told


@check
def too_much_time_ends_it() -> object:
    file = big_file("often", 512 * PAGE)
    with group_of("busy") as group:
        governor = Governor("mru", group, "--cpu", 1)
        pid = os.fork()
        if pid == 0:
            (group / "cgroup.procs").write_text(str(os.getpid()))
            while True:
                read_whole(file)
        governor.process.wait(timeout=300)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        told, said = governor.end(None, code=1)
    assert "it used more than 1 % of a processor in 10 s" in said, said
    return {**told, "said": said}


@check
def no_limit_is_an_error() -> None:
    (CGROUPS / "cgroup.subtree_control").write_text("+memory")
    path = CGROUPS / "free"
    path.mkdir()
    refused("has no limit, so nothing has to go; set one", *COMMAND, OBJECTS / "mru.so", path, "mru")
    path.rmdir()


@check
def nothing_is_left() -> None:
    no_bpf_left()
    no_complaint()


main()
