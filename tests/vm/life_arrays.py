"""Checks in the machine (life_checks.py): arrays of user space, from files and by libcpol."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from guest import DISK, OBJECTS, PINS, bpf, cgroup, check, good, no_bpf_left, nothing_left, obj, refused, remove, run_in
from life_common import Reader, pins_of, small_file

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from cpol import app

app.find = lambda: OBJECTS / "libcpol.so"  # type: ignore[attr-defined]
NOBODY, GROUP = 54321, 1234
PAGES = 32


def sizes(path: Path) -> list[int]:
    stat = json.loads(good("stat", path, "--json"))
    lists = dict(zip(stat["list_names"], stat["lists"], strict=True))
    return [lists[name] for name in ("plain", "once", "twice", "thrice")]


def states(path: Path) -> dict[str, int]:
    return dict(json.loads(good("stat", path, "--state", "--json"))["states"])


def uncached(name: str, pages: int) -> Path:
    """Make a file that is not in the page cache. Other files stay there: the cgroup's processes need them."""
    path = small_file(name, pages)
    handle = os.open(path, os.O_RDONLY)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(handle)
    return path


def read_new(path: Path, name: str) -> list[int]:
    """Read a new file of 32 pages in the cgroup; return how many folios came to each list."""
    file = uncached(name, PAGES)
    before = sizes(path)

    def work() -> None:
        handle = os.open(file, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_RANDOM)
        for page in range(PAGES):
            os.pread(handle, 1, page * 4096)

    run_in(path, work)
    return [now - then for now, then in zip(sizes(path), before, strict=True)]


@check
def arrays_are_loaded_from_files() -> None:
    path, text, binary = cgroup("one"), Path("/tmp/text"), Path("/tmp/binary")
    text.write_text("1\n" * 4 + "2\n" * 3 + "0\n" + "3\n" * 2)
    good("attach", obj("arrays"), path)
    assert read_new(path, "untold") == [PAGES, 0, 0, 0]
    assert states(path)["sizes"] == 64 + 2000 + (1 << 24)
    assert good("input", path, "where", "load", text) == "where: 10 of 64 entries loaded, version 1\n"
    assert read_new(path, "told") == [PAGES - 9, 4, 3, 2]
    assert good("input", path).splitlines()[:2] == [
        "where            array of u2; 64 entries, version 1",
        "whole            array of u32; 2000 entries, version 0",
    ]
    shown = json.loads(good("input", path, "--json"))
    assert shown[0] == {
        "name": "where", "kind": "array", "key": "index", "type": "u2", "default": 0, "elements": 64, "version": 1
    }  # fmt: skip
    assert good("input", path, "where", "list").split() == [
        f"{n}={v}" for n, v in enumerate([1] * 4 + [2] * 3 + [0] + [3] * 2) if v
    ]
    assert json.loads(good("input", path, "where", "list", 9, 10, 99, "--json")) == [
        {"index": 9, "value": 3}, {"index": 10, "value": 0}, {"index": 99, "value": 0}
    ]  # fmt: skip

    # Negative and fractional values, and a file that does not look like what it is.
    binary.write_bytes(struct.pack("<3h", 0, 2, -1))
    assert good("input", path, "offset", "load", binary, "--json") == '{"loaded": 3, "version": 1}\n'
    assert read_new(path, "offset") == [0, 0, PAGES - 9, 9]
    good("input", path, "offset", "clear")
    text.write_text("0.25\n-7\n1.75\n")
    good("input", path, "share", "load", text)
    assert good("input", path, "share", "list").split() == ["0=0.25", "1=-7", "2=1.75"]
    text.write_text("true\nfalse\n")
    good("input", path, "yes", "load", text)
    assert read_new(path, "both") == [0, 0, PAGES - 9, 9]
    binary.write_bytes(b"11\n")
    refused("entry 0 of .* is 49, which is no u2", "input", path, "where", "load", binary, "--format", "binary")

    # What is wrong changes nothing.
    for content, words in (
        ("1\n4\n", "text:2: an entry of where must be a whole number from 0 to 3, not `4`"),
        ("1\n\n", "text:2: an entry of where must be"),
        ("0\n" * 65, "has more than the 64 entries of where"),
    ):
        text.write_text(content)
        refused(words, "input", path, "where", "load", text)
    binary.write_bytes(bytes(5))
    refused("has 5 bytes, which is no multiple of the 2 bytes", "input", path, "offset", "load", binary)
    binary.write_bytes(bytes(65))
    refused("has more than the 64 entries", "input", path, "where", "load", binary)
    refused("No such file", "input", path, "where", "load", "/tmp/none")
    refused("/tmp is no file", "input", path, "where", "load", "/tmp")
    refused("where is an array: it takes list, load FILE and clear, not add", "input", path, "where", "add", 1)
    refused("has no input wher; it has: where, whole", "input", path, "wher", "list")
    assert "version 1" in good("input", path).splitlines()[0]

    # A replacement has arrays of its own, and may bring what they hold.
    text.write_text("1\n" * 64)
    good("attach", obj("arrays"), path, "--replace", "--input", f"where=@{text}", "--set", "pages=64")
    assert read_new(path, "filled") == [0, PAGES, 0, 0]
    refused("where is an array: write where=@FILE", "attach", obj("arrays"), path, "--replace", "--input", "where=1")
    refused(
        "has more than the 3 entries",
        "attach",
        obj("arrays"),
        path,
        "--replace",
        "--set",
        "pages=3",
        "--input",
        f"where=@{text}",
    )
    assert read_new(path, "as_before") == [0, PAGES, 0, 0]
    good("detach", path)
    nothing_left(path)
    remove(path)


def forked(path: Path, work: Callable[[], None]) -> int:
    """Run `work` in the cgroup in a process that goes on."""
    pid = os.fork()
    if pid == 0:
        (path / "cgroup.procs").write_text(str(os.getpid()))
        try:
            work()
        finally:
            os._exit(1)
    return pid


@check
def a_handler_reads_one_version() -> dict[str, int]:
    """An application below the policy's cgroup publishes as fast as it can; handlers compare all entries."""
    path, file = cgroup("one"), uncached("loop", 16)
    good("attach", obj("arrays"), path)
    inner = path / "inner"
    inner.mkdir()

    def publish() -> None:
        with app.Policy() as policy, policy.array("whole") as whole:
            for number in range(1, 1 << 31):
                with whole.version() as entries:
                    entries[:] = memoryview(struct.pack("<I", number) * len(whole)).cast("I")

    writer = forked(inner, publish)
    with app.Policy(inner) as policy, policy.array("whole") as whole:
        with Reader(path, file):
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and (states(path)["looked"] < 3000 or whole.published < 30):
                time.sleep(0.5)
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        found, versions = states(path), whole.published
        assert len(set(whole.entries)) == 1
        with whole.version(zero=True):  # the writer has ended: its version does not count
            pass
        assert whole.published == versions + 1
        assert found["looked"] >= 500 and versions >= 10 and found["torn"] == 0, (found, versions)

        # The check can fail: somebody who writes into the published version is seen.
        with Reader(path, file):
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not states(path)["torn"]:
                address = app._Library.get().cpol_array_entries(whole.pointer)
                for number in range(2000):
                    ctypes.c_uint32.from_address(address + 4 * 1000).value = number
        assert states(path)["torn"] > 0
    inner.rmdir()
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"calls": found["looked"], "versions": versions}


def as_user(groups: list[int], path: Path, work: Callable[[], None]) -> None:
    """Run `work` in the cgroup as a user that is not root."""

    def unprivileged() -> None:
        app._Library.get()  # while its file can be read
        os.setgroups(groups)
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        work()

    run_in(path, unprivileged)


def raises(error: int, words: str, act: Callable[[], object]) -> None:
    try:
        act()
    except app.InputError as failure:
        assert failure.errno == error and words in str(failure), failure
    else:
        raise AssertionError("it did not fail")


def may_not_open(pin: Path) -> None:
    """Nothing but the inputs can be opened, whatever for."""
    name = ctypes.create_string_buffer(str(pin).encode())
    for flags in (0, 8, 16):  # read and write, BPF_F_RDONLY, BPF_F_WRONLY
        fd = bpf(7, ctypes.create_string_buffer(struct.pack("QII", ctypes.addressof(name), 0, flags), 16))
        assert fd < 0 and ctypes.get_errno() in (errno.EACCES, errno.EPERM), (pin, fd)


@check
def others_may_not_write_arrays() -> None:
    """Who is not in the group gets an error and no data; who is in it gets its own policy's inputs and no other's."""
    mine, other = cgroup("mine"), cgroup("other")
    Path("/sys/fs/bpf").chmod(0o1711)
    good("attach", obj("arrays"), other)

    def locked() -> None:
        raises(errno.EACCES, "no right to look into /sys/fs/bpf/cpol", app.Policy)

    PINS.chmod(0o700)
    as_user([], other, locked)
    good("attach", obj("arrays"), mine, "--input-group", GROUP)

    def member() -> None:
        with app.Policy() as policy, policy.array("where") as where, where.version() as entries:
            entries[:] = bytes([2]) * len(where)
        for pin in ("bss", "link", "rodata"):
            may_not_open(pins_of(mine) / pin)
        raises(errno.EACCES, "no right to write the input where", lambda: app.Policy(other).array("where"))
        may_not_open(pins_of(other) / "cpol_input_where")
        may_not_open(pins_of(other) / "manifest")

    def stranger() -> None:
        policy = app.Policy()
        raises(errno.EACCES, "no right to write the input where", lambda: policy.array("where"))
        for pin in ("cpol_input_where", "cpol_sync_where", "manifest", "bss"):
            may_not_open(pins_of(mine) / pin)

    as_user([], mine, stranger)
    assert read_new(mine, "stranger") == [PAGES, 0, 0, 0]
    as_user([GROUP], mine, member)
    assert read_new(mine, "member") == [0, 0, PAGES, 0]
    assert read_new(other, "other") == [PAGES, 0, 0, 0]
    with app.Policy(mine) as policy:
        where = policy.array("where")
        good("attach", obj("arrays"), mine, "--replace")
        raises(errno.ESTALE, "was replaced or detached", lambda: where.version().__enter__())
        where.close()
        good("detach", mine)
    raises(errno.ENOENT, "no policy governs", lambda: app.Policy(mine))
    good("detach", other)
    for path in (mine, other):
        nothing_left(path)
        remove(path)
    no_bpf_left()


@check
def an_application_tells_its_policy() -> dict[str, int]:
    """examples/graph: PageRank whose policy is told reads less than one whose policy is not."""
    path, graph = cgroup("walk", 3 << 20), DISK / "graph"
    subprocess.run([OBJECTS / "walk", "make", graph, "16384", "1"], check=True)
    good("attach", obj("graph"), path, "--set", "pages=1024", "--input", f"edges={graph}")

    def rank(*words: str) -> int:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
        command = [
            "sh",
            "-c",
            f'echo $$ >{path}/cgroup.procs && exec "$0" "$@"',
            OBJECTS / "walk",
            "rank",
            graph,
            "4",
            "0.9",
        ]
        said = subprocess.run([*command, *words], capture_output=True, text=True, check=True).stdout.split()
        return int(said[-1]) // 4096

    untold, told = rank(), rank("tell")
    lists = json.loads(good("stat", path, "--json"))
    assert "version 1" in good("input", path)
    assert lists["lists"][lists["list_names"].index("hot")] > 100, lists
    assert told < untold, (told, untold)
    good("detach", path)
    nothing_left(path)
    remove(path)
    return {"untold": untold, "told": told}
