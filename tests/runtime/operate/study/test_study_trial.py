"""One trial, in a tree that stands for the kernel's files: what it measures, and that all comes back."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cpol.errors import UserError
from cpol.runtime.operate.study import program, settings, swap, trial
from cpol.runtime.operate.study.job import Job, Medium, read_job, word_of
from cpol.runtime.operate.study.outcome import Outcome, line_of, read_outcome
from cpol.runtime.operate.study.program import Signals, StoppedError
from cpol.runtime.operate.study.trial import Here, run_trial

LRU = "/sys/kernel/mm/lru_gen/enabled"
HUGE = "/sys/kernel/mm/transparent_hugepage/enabled"
SWAPPINESS = "/proc/sys/vm/swappiness"
WORK = """
import json, os, pathlib, sys
stat = pathlib.Path(sys.argv[1]) / "memory.stat"
stat.write_text("pgmajfault 17\\npswpin 5\\nworkingset_refault_anon 4\\nanon 7\\n")
assert int((stat.parent / "memory.max").read_text()) == 64 << 20
assert int((stat.parent / "cgroup.procs").read_text()) == 0
pathlib.Path(os.environ["CPOL_STUDY_OUT"]).write_text(
    json.dumps({"latency_ns": {"reads": [[10, 1], [20, 2]]}, "operations": 3}))
"""


class World:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.cgroup = root / "cgroups" / "cpol-study-1-0"
        self.here = Here(root, root / "cgroups", root / "own")
        self.files = {LRU: "0x0007\n", HUGE: "always [madvise] never\n", SWAPPINESS: "60\n"}
        for name, text in self.files.items():
            self.path(name).parent.mkdir(parents=True, exist_ok=True)
            self.path(name).write_text(text)
        (root / "proc/vmstat").write_text("pswpin 100\npswpout 7\n")
        (root / "cgroups").mkdir()
        (root / "cgroups/cgroup.controllers").write_text("memory\n")
        (root / "cgroups/cgroup.subtree_control").write_text("memory\n")
        (root / "own").write_text("0::/\n")

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    @contextmanager
    def made(self, parent: Path, warn: Callable[[str], None], prefix: str) -> Iterator[Path]:
        assert parent == self.root / "cgroups" and self.cgroup.name.startswith(prefix)
        self.cgroup.mkdir()
        for name, text in {
            "cgroup.procs": "",
            "memory.stat": "pgmajfault 2\npswpin 0\n",
            "memory.swap.max": "max\n",
            "memory.peak": "4096\n",
            "cgroup.kill": "",
            "cgroup.events": "populated 0\n",
        }.items():
            (self.cgroup / name).write_text(text)
        try:
            yield self.cgroup
        finally:
            shutil.rmtree(self.cgroup)

    def state(self) -> dict[str, str]:
        paths = (path for path in self.root.rglob("*") if path.is_file() and path.name != "drop_caches")
        return {str(path.relative_to(self.root)): path.read_text().strip() for path in paths}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path / "root")
    monkeypatch.setattr(trial, "made", world.made)
    monkeypatch.setattr(swap, "SWAPS", tmp_path / "swaps")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "swaps").write_text("Filename Type Size Used Priority\n")
    return world


def job(*words: str, **more: Any) -> Job:
    found = Job("a", words, (), "/", 60, 64 << 20, Medium(), ((LRU, "0"), (HUGE, "never"), (SWAPPINESS, "100")))
    return replace(found, **more)


def no_policy(_: str) -> trial.AbstractContextManager[Path]:
    raise AssertionError


def ran(world: World, what: Job) -> Outcome:
    """Run a trial, and check that all is as it was."""
    before, folders = world.state(), set(world.root.parent.iterdir())
    try:
        found = run_trial(what, no_policy, Signals(), world.here)
    finally:
        after = world.state()
        assert after.pop(HUGE.lstrip("/")) in ("madvise", "always [madvise] never")
        before.pop(HUGE.lstrip("/"))
        assert after == before
        assert set(world.root.parent.iterdir()) == folders, "the trial's own folder stays"
    assert not found.left
    assert read_outcome(line_of(found), "a") == found
    return found


def test_what_is_measured(world: World) -> None:
    found = ran(world, job(sys.executable, "-c", WORK, str(world.cgroup)))
    assert not found.failure, found.stderr
    assert found.counters == {"pgmajfault": 15, "pswpin": 5, "pswpout": 0, "workingset_refault_anon": 4}
    assert found.latency == {"reads": ((10, 1), (20, 2))} and found.operations == 3
    assert found.peak == 4096 and found.seconds > 0 and found.exit == 0
    assert found.settings == {LRU: ("0x0007", "0"), HUGE: ("madvise", "never"), SWAPPINESS: ("60", "100")}


def test_without_swap_it_may_not_swap(world: World, tmp_path: Path) -> None:
    copy = f"import shutil; shutil.copy({str(world.cgroup / 'memory.swap.max')!r}, {str(tmp_path / 'seen')!r})"
    run_trial(job(sys.executable, "-c", copy), no_policy, Signals(), world.here)
    assert (tmp_path / "seen").read_text() == "0"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((sys.executable, "-c", "import sys; sys.exit('no memory')"), "exit code 1"),
        (("/bin/sh", "-c", "kill -9 $$"), "ended by signal 9"),
        (("/bin/sh", "-c", "echo x >$CPOL_STUDY_OUT"), "the program wrote to $CPOL_STUDY_OUT no JSON"),
        (("/bin/sh", "-c", """echo '{"latency_ns": {"r": [[2, 1], [1, 1]]}}' >$CPOL_STUDY_OUT"""), "sort its pairs"),
        (("/bin/sh", "-c", """echo '{"latency_ns": {"r": [[2, -1]]}}' >$CPOL_STUDY_OUT"""), "no pair"),
        (("/bin/sh", "-c", """echo '{"operations": 1.5}' >$CPOL_STUDY_OUT"""), "no count"),
        (("/bin/sh", "-c", """echo '{"ops": 1}' >$CPOL_STUDY_OUT"""), "no object with the keys"),
        (("/bin/sh", "-c", "mkfifo $CPOL_STUDY_OUT"), "the program wrote to $CPOL_STUDY_OUT what is no regular file"),
        (("/bin/sh", "-c", "mkdir $CPOL_STUDY_OUT"), "what is no regular file"),
        (("/bin/sh", "-c", "ln -s /dev/zero $CPOL_STUDY_OUT"), "what is no regular file"),
    ],
)
def test_a_program_that_fails(words: tuple[str, ...], why: str, world: World) -> None:
    found = ran(world, job(*words))
    assert why in found.failure and not found.counts
    assert ("no memory" in found.stderr) == ("no memory" in words[-1])


@pytest.mark.slow
def test_a_program_that_takes_too_long(world: World) -> None:
    found = ran(world, job("/bin/sh", "-c", "sleep 60 & sleep 60", timeout=1))
    assert found.failure == "it took longer than 1 s" and found.exit == -signal.SIGKILL


def test_a_program_that_leaves_others_running_failed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def emptied(cgroup: Path) -> None:
        (cgroup / "cgroup.events").write_text("populated 0\n")

    monkeypatch.setattr(program, "emptied", emptied)
    monkeypatch.setattr(program, "LINGERING", 0.1)
    found = ran(world, job("sh", "-c", f"echo populated 1 > {world.cgroup}/cgroup.events"))
    assert found.exit == 0 and found.failure == trial.WENT_ON and not found.counts
    assert ran(world, job("true")).counts


def test_the_killer_of_the_kernel_makes_a_failure(world: World) -> None:
    """Even if the program goes on without the process that was killed."""
    events = world.cgroup / "memory.events"
    found = ran(world, job("/bin/sh", "-c", f"echo oom_kill 2 >{events}"))
    assert found.failure == "the kernel killed 2 of its processes for want of memory" and found.oom_kills == 2


def test_prepare_comes_before_and_has_the_same_folder(world: World) -> None:
    both = {"prepare": ("/bin/sh", "-c", "echo hello >$0", "{scratch}/made"), "folder": str(world.root)}
    found = ran(
        world,
        job("/bin/sh", "-c", 'test "$(cat $0)" = hello && test "$PWD" = $1', "{scratch}/made", str(world.root), **both),
    )
    assert not found.failure
    found = ran(world, job("true", prepare=("/bin/sh", "-c", "echo no disk >&2; exit 5")))
    assert found.failure == "`prepare` failed: exit code 5" and found.stderr == "no disk\n" and found.seconds == 0


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (((LRU, "0"), ("/sys/none", "1")), "there is no file /sys/none in this machine"),
        (((LRU, "0"), ("/sys/out", "1")), "which is not under /sys or /proc/sys"),
        (((LRU, "0"), ("/sys/kernel", "1")), "there is no file /sys/kernel"),
    ],
)
def test_settings_that_cannot_be_written(settings: tuple[tuple[str, str], ...], why: str, world: World) -> None:
    (world.root / "secret").write_text("x")
    (world.root / "sys/out").symlink_to(world.root / "secret")
    with pytest.raises(UserError, match=why):
        ran(world, job("true", settings=settings))


def test_what_a_link_of_sysfs_leads_to_is_written(world: World) -> None:
    (world.root / "sys/link").symlink_to(world.path(SWAPPINESS))
    assert ran(world, job("true", settings=(("/sys/link", "1"),))).settings == {"/sys/link": ("60", "1")}


@pytest.mark.parametrize("step", ["swapping", "limit", "governed", "drop_caches", "counted", "_count", "_tell"])
def test_all_comes_back_from_each_step(step: str, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise UserError("this step fails")

    monkeypatch.setattr(trial, step, fails)
    with pytest.raises(UserError, match="this step fails"):
        ran(world, job("true"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("of", ["command", "prepare"])
def test_a_signal_ends_it_and_all_comes_back(number: signal.Signals, of: str, world: World, tmp_path: Path) -> None:
    began, signals = tmp_path / "began", Signals()
    words = ("/bin/sh", "-c", f"touch {began}; exec sleep 60")

    def kill() -> None:
        while not began.exists():
            pass
        os.kill(os.getpid(), number)

    before = world.state()
    before.pop(HUGE.lstrip("/"))
    thread = threading.Thread(target=kill)
    with signals.handled():
        thread.start()
        with pytest.raises(StoppedError) as stopped:
            run_trial(job(*words) if of == "command" else job("true", prepare=words), no_policy, signals, world.here)
        thread.join()
    after = world.state()
    after.pop(HUGE.lstrip("/"))
    assert stopped.value.number == number and after == before


def test_a_signal_waits_while_something_is_changed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes while a setting is written: the trial ends before its program, and puts the setting back."""
    signals, write = Signals(), settings.write

    def written(path: Path, value: str) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        write(path, value)

    monkeypatch.setattr(settings, "write", written)
    monkeypatch.setattr(program, "run", lambda *_: pytest.fail("the program ran"))
    with signals.handled(), pytest.raises(StoppedError):
        run_trial(job("true"), no_policy, signals, world.here)
    assert world.path(LRU).read_text() == "0x0007" and world.path(SWAPPINESS).read_text() == "60"


def test_what_does_not_come_back_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run_trial(job("/bin/sh", "-c", f"rm -r {world.path(LRU).parent}"), no_policy, Signals(), world.here)
    assert len(found.left) == 1 and "not put back" in found.left[0] and LRU in found.left[0]
    assert world.path(SWAPPINESS).read_text() == "60", "what comes behind is put back all the same"


def test_a_file_that_does_not_take_back_what_it_held_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that answers in other words than it takes."""
    read = settings.read
    monkeypatch.setattr(settings, "read", lambda path: {"60": "sixty"}.get(read(path), read(path)))
    found = run_trial(job("true", settings=((SWAPPINESS, "1"),)), no_policy, Signals(), world.here)
    assert found.left == [] and world.path(SWAPPINESS).read_text() == "sixty", "it reads as it did"
    monkeypatch.setattr(settings, "read", lambda path: f"{read(path)} of 200")
    found = run_trial(job("true", settings=((SWAPPINESS, "1"),)), no_policy, Signals(), world.here)
    assert len(found.left) == 1 and "was 'sixty of 200', and is 'sixty of 200 of 200'" in found.left[0]


@pytest.mark.parametrize("held", [("0", "20"), ("4096", "0")])
@pytest.mark.parametrize(("one", "other"), settings.TWO_WAYS)
@pytest.mark.parametrize("written", [(0,), (1,), (0, 1), (1, 0)])
def test_a_setting_with_two_files(
    one: str, other: str, held: tuple[str, str], written: tuple[int, ...], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the kernel has it: dirty_bytes refuses 0, and overcommit_kbytes takes it, and then both are 0."""
    names = (one, other)
    for name, value in zip(names, held, strict=True):
        world.path(name).write_text(f"{value}\n")

    def write(path: Path, value: str) -> None:
        at = [world.path(name) for name in names].index(path)
        if value == "0" and "dirty" in one and not at:
            raise UserError("Invalid argument")
        path.write_text(f"{value}\n")
        world.path(names[1 - at]).write_text("0\n")

    monkeypatch.setattr(settings, "write", write)
    found = run_trial(
        job("true", settings=tuple((names[at], "50") for at in written)), no_policy, Signals(), world.here
    )
    assert found.left == []
    assert [world.path(name).read_text().strip() for name in names] == [*held]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("always [madvise] never", "madvise"),
        ("[mq-deadline] kyber bfq none", "mq-deadline"),
        ("[none]", "none"),
        ("|/bin/dump [%p] core", "|/bin/dump [%p] core"),
        ("a [b] [c]", "a [b] [c]"),
        ("4\t4\t1\t7", "4\t4\t1\t7"),
    ],
)
def test_brackets_are_a_choice_only_among_others(text: str, value: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(f"{text}\n")
    assert settings.read(tmp_path / "file") == value


@pytest.mark.parametrize("ends", [UserError("no room"), StoppedError(signal.SIGTERM)])
def test_what_does_not_come_back_is_told_without_an_outcome_too(
    ends: Exception, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> None:
        shutil.rmtree(world.path(LRU).parent)
        raise ends

    monkeypatch.setattr(program, "run", run)
    told = list[str]()
    with pytest.raises(type(ends)):
        run_trial(job("true"), no_policy, Signals(), world.here, told.append)
    assert len(told) == 1 and "not put back" in told[0] and LRU in told[0]


@pytest.mark.parametrize("number", [0, -1, 10**30])
@pytest.mark.parametrize("name", ["timeout", "limit"])
def test_numbers_of_a_job_that_no_study_has(name: str, number: int) -> None:
    with pytest.raises(UserError, match="must be there, and neither 0 nor beyond"):
        read_job(word_of(job("true", **{name: number})))


def test_two_trials_at_a_time_are_refused(world: World) -> None:
    """From another cgroup, too, such as that of another service."""
    below = world.root / "cgroups/a.service"
    below.mkdir()
    (below / "cgroup.subtree_control").write_text("memory\n")
    (world.root / "own").write_text("0::/a.service\n")
    with trial.alone(world.root / "cgroups"), pytest.raises(UserError, match="another trial runs on this machine"):
        ran(world, job("true"))


def test_other_swap_is_refused(world: World) -> None:
    swap.SWAPS.write_text("Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n")
    with pytest.raises(UserError, match=r"swaps to /dev/sda2 already, which the trial would use; swapoff it"):
        ran(world, job("true"))


PAGE = os.sysconf("SC_PAGE_SIZE")


def test_only_an_empty_device_or_swap_space_is_overwritten() -> None:
    blank, old = bytes(1 << 17), b"what was swapped"
    assert not swap.occupied(blank, blank)
    assert not swap.occupied(bytes(PAGE - 10) + b"SWAPSPACE2" + bytes(100), old)
    assert swap.occupied(bytes(1080) + b"\x53\xef" + bytes(5000), blank), "ext4's superblock"
    assert swap.occupied(bytes(0x10040) + b"_BHRfS_M", blank), "that of btrfs"
    assert swap.occupied(bytes(510) + b"\x55\xaa" + bytes(5000), blank), "a partition table"
    assert swap.occupied(blank, bytes(4096) + b"\xfc\x4e\x2b\xa9"), "a RAID that is known by its end"
    with pytest.raises(UserError, match="/dev/null is no block device"):
        swap.check_device(Path("/dev/null"))
    with pytest.raises(UserError, match="cannot use /dev/not-there"):
        swap.check_device(Path("/dev/not-there"))


@pytest.mark.parametrize("fails", ["", "mkswap", "swapon", "disksize", "swapoff"])
def test_zram_goes_with_the_trial(fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module was not loaded before, so that goes, too."""
    control, block, done, left = tmp_path / "control", tmp_path / "block", list[str](), list[str]()

    def run(*words: str) -> None:
        done.append(" ".join(words))
        if words[0] == "modprobe" and words[1] == "zram":
            control.mkdir()
            (block / "zram3").mkdir(parents=True)
            (control / "hot_add").write_text("3\n")
            (control / "hot_remove").write_text("")
            (block / "zram3/comp_algorithm").write_text("")
            if fails != "disksize":
                (block / "zram3/disksize").write_text("0")
            else:
                (block / "zram3/disksize").mkdir()
        if words[0] == fails:
            raise UserError(f"{fails} failed")

    for name, value in {"CONTROL": control, "BLOCK": block, "SWAPS": tmp_path / "none", "run": run}.items():
        monkeypatch.setattr(swap, name, value)
    try:
        with swap.swapping(Medium(size=1 << 29, algorithm="lz4"), left.append):
            assert (block / "zram3/comp_algorithm").read_text() == "lz4"
            assert (block / "zram3/disksize").read_text() == str(1 << 29)
            assert done[-1] == "swapon /dev/zram3"
        assert fails in ("", "swapoff")
    except UserError:
        assert fails not in ("", "swapoff")
    assert (control / "hot_remove").read_text() == "3"
    assert done[-1] == "modprobe -r zram" and ("swapoff /dev/zram3" in done) == (fails in ("", "swapoff"))
    assert left == (["not put back: swapoff failed"] if fails == "swapoff" else [])
