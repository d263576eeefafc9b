"""Checks in the machine (attach_checks.py): the loader's messages, and what it leaves behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from attach_policies import POLICIES
from guest import (
    LOADER,
    OBJECTS,
    PINS,
    big_file,
    cgroup,
    check,
    eventually,
    good,
    kernel_lines,
    no_bpf_left,
    no_complaint,
    nothing_left,
    obj,
    read_whole,
    refused,
    remove,
    run_in,
)

ROUNDS = 9


@check
def killed_loader_leaves_no_partial_state() -> dict[str, int]:
    """SIGKILL at any time: the policy is attached completely or not at all, and the cgroup keeps working."""
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
            eventually(lambda: not kernel_lines(path), "the killed loader's policy is still attached")
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
def stale_pin_folder_is_removed() -> None:
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
def missing_file_systems_are_mounted() -> None:
    path = cgroup("one")
    """bpffs is; debugfs, where a distribution may have none, is not needed."""
    for mount in ("/sys/fs/bpf", "/sys/kernel/debug"):
        subprocess.run(["umount", "-l", mount], capture_output=True, check=False)
    assert good("list") == "no policy is attached\n"
    refused("has no policy", "detach", path)
    good("attach", obj("fifo"), path)
    assert "name               fifo" in good("stat", path)
    assert not os.path.ismount("/sys/kernel/debug")
    assert PINS.stat().st_mode & 0o777 == 0o700
    good("detach", path)
    nothing_left(path)
    remove(path)


@check
def object_of_another_version_is_explained() -> str:
    path = cgroup("one")
    said = refused(
        "cache_ext in this kernel is of another version of cpol than the object;", "attach", obj("newer"), path
    )
    assert "bpf_cache_ext_of_a_later_version" in said
    nothing_left(path)
    remove(path)
    no_bpf_left()
    return said


@check
def verifier_refusal_is_explained() -> str:
    path = cgroup("one")
    said = refused("the kernel's verifier refused the policy lfu", "attach", obj("refused"), path)
    found = re.search(r"^  at: +lfu\.cpol:\d+: (.*)$", said, re.MULTILINE)
    assert found and "freq" in found[1], said
    assert re.search(
        r"^  means:  the program does not test whether |^  means:  a number is used as an address", said, re.MULTILINE
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
def loader_is_clean_under_sanitizers() -> None:
    """Runs the code that needs a kernel with cache_ext: load, attach, pin, a refusal by the verifier."""
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
def kernel_log_is_clean() -> None:
    no_complaint()
    assert kernel_lines() == []


@check
def unreadable_pins_are_kept() -> None:
    """`list` tells what is attached from a read-only bpffs and behind another one. No command removes pins there."""
    path = cgroup("one")
    good("attach", obj("fifo"), path)
    shown = good("list")
    mount("-o", "remount,ro", "/sys/fs/bpf")
    assert good("list") == shown
    for words in (("detach", path), ("attach", obj("lfu"), path, "--replace")):
        refused("cannot open the pins of cgroup [0-9]+ in .*Read-only file system; nothing was changed", *words)
    good("detach", "--gone")
    mount("-o", "remount,rw", "/sys/fs/bpf")
    assert good("list") == shown
    mount("-t", "bpf", "bpf", "/sys/fs/bpf")
    hidden = good("list")
    assert hidden.startswith("fifo ") and "its pins are not in /sys/fs/bpf/cpol" in hidden, hidden
    (row,) = json.loads(good("list", "--json"))
    assert (row["policy"], row["state"]) == ("fifo", "not pinned")
    refused("fifo governs .*, but its pins are not in /sys/fs/bpf/cpol", "detach", path)
    subprocess.run(["umount", "/sys/fs/bpf"], check=True)
    # Something else than a bpffs: nothing is mounted over it, and nothing is left behind.
    mount("-t", "tmpfs", "tmpfs", "/sys/fs/bpf")
    before = Path("/proc/self/mounts").read_text()
    refused("another file system than bpffs is mounted on /sys/fs/bpf, and may hide", "attach", obj("lfu"), path)
    refused("fifo governs .*, but its pins are not in /sys/fs/bpf/cpol", "detach", path)
    for words in (("set", path), ("stat", path, "--state"), ("rollback", path)):
        refused("fifo governs .*, but its pins are not in /sys/fs/bpf/cpol", *words)
    assert Path("/proc/self/mounts").read_text() == before
    assert "its pins are not in /sys/fs/bpf/cpol" in good("list")
    subprocess.run(["umount", "/sys/fs/bpf"], check=True)
    assert good("list") == shown
    PINS.chmod(0o755)
    refused("lets others read or write it; run chmod go-rw", "list")
    PINS.chmod(0o700)
    good("detach", path)
    assert good("list") == "no policy is attached\n"
    nothing_left(path)
    remove(path)


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)
