"""`cpolc uncached` with a loader without a kernel, and folders in place of cgroups."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_loader
import pytest

from cpol.cli.uncached import warn
from cpol.errors import UserError
from cpol.runtime.operate.uncached.cgroup import PREFIX, made, parent_of, remove, sweep
from cpol.runtime.operate.uncached.run import Signals, settle

GONE = 2**22 + 1
"""No process has this number: Linux' are below 2**22."""


def cgroup(folder: Path, controllers: str = "cpu memory") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cgroup.procs").write_text("")
    (folder / "cgroup.controllers").write_text("cpu memory pids\n")
    (folder / "cgroup.subtree_control").write_text(controllers + "\n")
    return folder


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parent = cgroup(folder / "parent")
        self.environment = {**os.environ, "CPOL_LOADER": str(fake_loader.install(folder))}

    def start(self, *words: str, refuse: str = "") -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-c",
            "from cpol.cli.main import main; main()",
            "uncached",
            "--cgroup",
            str(self.parent),
            *words,
        ]
        environment = {**self.environment, "FAKE_REFUSE": refuse}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)

    def run(self, *words: str, refuse: str = "") -> tuple[int, str, str]:
        process = self.start(*words, refuse=refuse)
        out, said = process.communicate(timeout=120)
        return process.returncode, out, said

    def left(self) -> list[str]:
        """The cgroups that are there."""
        return [path.name for path in self.parent.iterdir() if path.is_dir()]

    def await_gone(self) -> None:
        end = time.monotonic() + 20
        while self.left() and time.monotonic() < end:
            time.sleep(0.05)
        assert not self.left()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.slow
def test_the_command_runs_in_a_cgroup_of_its_own(world: World) -> None:
    show = f"import os, pathlib; print(*(p.name for p in pathlib.Path({str(world.parent)!r}).iterdir() if p.is_dir()))"
    status, out, said = world.run(str(world.folder), "--set", "waits=false", "--", sys.executable, "-c", show)
    assert (status, said) == (0, "")
    assert out.startswith(PREFIX) and not world.left()
    unpinned, look = fake_loader.calls(world.folder)
    assert look == ["stat", "--all"]
    sets = ["--set", "waits=false", "--set", "leaves=true"]
    assert unpinned[0] == "attach-unpinned" and unpinned[1:7] == [*sets, "--input", f"devices={world.folder}"]
    assert unpinned[-1] == str(world.parent / out.strip())


@pytest.mark.slow
@pytest.mark.parametrize(("code", "status"), [("exit 7", 7), ("kill -TERM $$", 128 + signal.SIGTERM)])
def test_its_exit_code_is_passed_on(world: World, code: str, status: int) -> None:
    assert world.run(str(world.folder), "--", "sh", "-c", code)[0] == status
    assert not world.left()


@pytest.mark.slow
def test_words_are_no_shell_strings(world: World) -> None:
    status, out, _ = world.run(str(world.folder), "--", "echo", "$HOME; true", "--cgroup", "*")
    assert (status, out) == (0, "$HOME; true --cgroup *\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_leaves_nothing(world: World, number: int) -> None:
    process = world.start(str(world.folder), "--", "sh", "-c", "echo runs; exec sleep 60")
    assert process.stdout is not None and process.stdout.readline() == "runs\n"
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert not world.left()


@pytest.mark.slow
def test_a_hangup_under_nohup_ends_nothing(world: World) -> None:
    """Neither cpolc nor the command, which begins with SIGHUP ignored, too."""
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = world.start(str(world.folder), "--", "sh", "-c", "echo runs; kill -HUP $$ $PPID; sleep 1; echo still")
    finally:
        signal.signal(signal.SIGHUP, ignored)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out, said) == (0, "runs\nstill\n", "")
    assert not world.left()


def test_a_signal_while_the_command_starts_reaches_it() -> None:
    """It may run before cpolc has noted which process it is."""
    signals = Signals()

    def start() -> subprocess.Popen[bytes]:
        child = subprocess.Popen(["sleep", "60"])
        signal.raise_signal(signal.SIGHUP)
        return child

    with signals.handled():
        assert signals.started(start).wait(timeout=30) == -signal.SIGHUP


@pytest.mark.slow
def test_a_killed_cpolc_leaves_nothing(world: World) -> None:
    process = world.start(str(world.folder), "--", "sh", "-c", "echo runs; exec sleep 5 >/dev/null 2>&1")
    assert process.stdout is not None and process.stdout.readline() == "runs\n"
    assert world.left()
    process.kill()
    process.communicate(timeout=30)
    world.await_gone()


TELL = """
import json, pathlib, sys
folder = next(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir())
policy = {"cgroup": folder.stat().st_ino, "path": str(folder), "name": "uncached", "kind": "prefetch", "waiting": 2}
pathlib.Path(sys.argv[2]).write_text(json.dumps([policy]))
"""
"""The command says that workers of the kernel have two ranges of its cgroup's files."""


@pytest.mark.slow
def test_it_waits_for_the_kernels_workers(world: World) -> None:
    told = world.folder / "state.stat"
    process = world.start(str(world.folder), "--", sys.executable, "-c", TELL, str(world.parent), str(told))
    end = time.monotonic() + 60
    while fake_loader.calls(world.folder).count(["stat", "--all"]) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert process.poll() is None and world.left()
    told.write_text(told.read_text().replace('"waiting": 2', '"waiting": 0'))
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out, said) == (0, "", "")
    world.await_gone()


def test_it_does_not_wait_for_ever(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cgroup(world.parent / "governed")
    monkeypatch.setenv("CPOL_LOADER", world.environment["CPOL_LOADER"])
    monkeypatch.setattr("cpol.runtime.operate.uncached.run.SETTLING", 0.3)
    subprocess.run([sys.executable, "-c", TELL, world.parent, world.folder / "state.stat"], check=True)
    said: list[str] = []
    settle(folder, said.append)
    (one,) = said
    assert "still writes back 2 ranges" in one


@pytest.mark.long
def test_a_policy_that_ends_before_the_command_is_an_error(world: World) -> None:
    status, _, said = world.run(str(world.folder), "--", "sleep", "60", refuse="early")
    assert status == 1
    assert "the policy was detached while sleep ran" in said
    assert not world.left()


@pytest.mark.slow
def test_a_policy_that_cannot_be_attached_runs_nothing(world: World) -> None:
    status, out, said = world.run(str(world.folder), "--", "echo", "ran", refuse="attached")
    assert (status, out) == (1, "")
    assert said == "cpol-loader: error: the kernel has no policies\n"
    assert not world.left()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["/no/such", "--", "true"], "neither a block device nor a directory"),
        (["/dev/null", "--", "true"], "neither a block device nor a directory"),
        (["/", "--", "no-such-program"], "there is no program no-such-program"),
        (["/"], "Missing argument"),
    ],
)
def test_what_cannot_run_is_one_error(world: World, words: list[str], said: str) -> None:
    status, out, error = world.run(*words)
    assert status in (1, 2) and not out
    assert said in error
    assert not fake_loader.calls(world.folder)


@pytest.mark.slow
def test_a_comma_in_the_path(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader splits at commas, so the message asks for a link, and what that leads to may have one."""
    folder, link = world.folder / "a,b", world.folder / "link"
    folder.mkdir()
    link.symlink_to(folder)
    status, _, said = world.run(str(folder), "--", "true")
    assert status == 1 and f"{folder} has a comma in it" in said and "name a link to it without one" in said
    monkeypatch.chdir(folder)
    assert world.run(".", "--", "true")[0] == 1
    assert not fake_loader.calls(world.folder)
    assert world.run(str(link), "--", "true")[0] == 0
    assert f"devices={link}" in fake_loader.calls(world.folder)[0]


@pytest.mark.slow
def test_a_cgroup_without_the_memory_controller(world: World) -> None:
    cgroup(world.parent, "cpu")
    status, _, said = world.run("/", "--", "true")
    assert status == 1 and "does not hand the memory controller on" in said


def test_the_nearest_cgroup_that_hands_memory_on(tmp_path: Path) -> None:
    cgroup(tmp_path / "root", "cpu memory")
    cgroup(tmp_path / "root" / "user.slice", "memory pids")
    cgroup(tmp_path / "root" / "user.slice" / "session", "")
    own = tmp_path / "own"
    own.write_text("1:name=systemd:/\n0::/user.slice/session\n")
    assert parent_of(None, tmp_path / "root", own) == tmp_path / "root" / "user.slice"
    cgroup(tmp_path / "root" / "user.slice", "pids")
    assert parent_of(None, tmp_path / "root", own) == tmp_path / "root"
    cgroup(tmp_path / "root", "cpu")
    with pytest.raises(UserError, match="hands on the memory controller"):
        parent_of(None, tmp_path / "root", own)
    (tmp_path / "root" / "cgroup.controllers").unlink()
    with pytest.raises(UserError, match=r"cgroup2 is not mounted on .*; boot with") as hybrid:
        parent_of(None, tmp_path / "root", own)
    assert "subtree_control" not in str(hybrid.value), "which is not there"
    own.write_text("1:name=systemd:/\n")
    with pytest.raises(UserError, match="no cgroup2"):
        parent_of(None, tmp_path / "root", own)


def test_the_next_run_sweeps_what_was_killed(tmp_path: Path) -> None:
    names = [f"{PREFIX}{os.getpid()}-ab12", f"{PREFIX}x-ab12", "other-1-2"]
    for name in names:
        (tmp_path / name).mkdir()
    sweep(tmp_path, print)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def test_a_sweep_spares_makers_that_it_cannot_see(tmp_path: Path) -> None:
    """Their numbers are those of another pid namespace, and mean nothing here."""
    with made(tmp_path, print) as folder:
        other = folder.rename(tmp_path / f"{PREFIX}{GONE}-ab12")
        program = (
            f"from pathlib import Path; from {sweep.__module__} import sweep; sweep(Path({str(tmp_path)!r}), print)"
        )
        subprocess.run([sys.executable, "-c", program], check=True)
        assert other.exists()


def test_cgroups_that_the_command_made_go_too(tmp_path: Path) -> None:
    with made(tmp_path, print) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700, "another user could lock it, and keep its maker waiting"
        (folder / "job" / "part").mkdir(parents=True)
        (folder / "other").mkdir()
    assert not list(tmp_path.iterdir())


def test_what_stays_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "job" / "part").mkdir(parents=True)
    (tmp_path / "job" / "part" / "file").touch()
    remove(tmp_path / "job", warn, 0)
    assert f"warning: {tmp_path}/job/part stays: it cannot be removed: Directory not empty" in capsys.readouterr().err
