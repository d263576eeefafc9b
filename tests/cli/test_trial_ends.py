"""Trials that something comes between: a signal, another command, a reboot, a loader that fails."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import fake_loader
import pytest
from trial_world import SERVE, Process, World, ended, eventually, running, wait_for

from cpol.runtime.operate import loader
from cpol.runtime.operate.trial import follow
from cpol.runtime.operate.trial import run as trial_run

pytestmark = pytest.mark.slow


@pytest.mark.long
@pytest.mark.parametrize("how", ["overruled", "detached", "replaced", "removed", "ctrl-c"])
def test_trial_that_is_disturbed(world: World, start: Callable[..., Process], how: str) -> None:
    path = world.cgroup("a")
    words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "1h", "--before", "100ms")
    process = start(*words, "--keep-if", "refaults <= before", "--json")
    eventually(lambda: world.policies() == {"a": "lru"}, process.said)
    assert world.kept() == ["a"]
    if how == "overruled":
        world.change("a", state="overruled", exit="watchdog", message="rotates")
    elif how == "detached":
        assert world.run("detach", str(path)).exit_code == 0
    elif how == "replaced":
        assert world.run("attach", world.object("mru"), str(path), "--replace").exit_code == 0
    elif how == "removed":
        path.rename(world.folder / "removed")
    else:
        process.process.send_signal(signal.SIGINT)
    assert process.process.wait(60) == 3, process.said()
    facts = json.loads(process.said().splitlines()[-1])
    assert facts["result"] == "rolled back"
    why = {
        "overruled": "governs .* no more: it is overruled (watchdog: rotates)", "detached": "another command detached",
        "replaced": "another command detached or replaced", "removed": "was removed", "ctrl-c": "ended by SIGINT",
    }[how]  # fmt: skip
    assert why.split(" .* ")[-1] in facts["why"], facts
    expected = {"detached": {}, "replaced": {"a": "mru"}}.get(how, {"a": "lfu"})
    if how != "removed":
        assert world.policies() == expected and not world.kept()
    ended(world)


def test_closed_terminal_rolls_back(world: World) -> None:
    path = world.cgroup("a")
    words = ["attach", world.object("lru"), str(path), "--replace", "--trial", "1h", "--before", "100ms"]
    master, slave = pty.openpty()
    program = [sys.executable, "-c", SERVE, str(world.folder), *words, "--keep-if", "refaults <= before"]
    with subprocess.Popen(["setsid", "--ctty", *program], stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        eventually(lambda: world.policies() == {"a": "lru"})
        os.close(master)
        process.wait(60)
    assert world.policies() == {"a": "lfu"} and not world.kept()
    assert "this command was ended by SIGHUP" in ended(world)["why"]


def test_hangup_under_nohup_goes_on(world: World, start: Callable[..., Process]) -> None:
    path = world.cgroup("a")
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "1s", "--before", "100ms")
        process = start(*words, "--keep-if", "refaults <= before")
    finally:
        signal.signal(signal.SIGHUP, ignored)
    eventually(lambda: world.policies() == {"a": "lru"}, process.said)
    process.process.send_signal(signal.SIGHUP)
    assert process.process.wait(60) == 0, process.said()
    assert world.policies() == {"a": "lru"}


@pytest.mark.long
@pytest.mark.parametrize("phase", ["before", "trial"])
def test_killed_trial_is_resumed(world: World, start: Callable[..., Process], phase: str) -> None:
    path = world.cgroup("a")
    words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "2s", "--before", "2s")
    process = start(*words, "--keep-if", "refaults < before")
    eventually(lambda: list(world.trials.glob("*.json")) and running(world)["phase"] == phase, process.said)
    done = world.run("trial", "resume", str(path))
    assert done.exit_code == 1 and "another process goes on" in done.stderr
    process.process.kill()
    process.process.wait()
    assert "phase" in world.run("trial", "status").stdout
    done = world.try_(path)
    assert done.exit_code == 1 and f"has the trial {running(world)['id']}" in done.stderr, done.output
    done = world.run("trial", "resume", "--all")
    assert done.exit_code == 0 and running(world)["phase"] == phase, "it is not due"
    done = world.run("trial", "resume", str(path))
    assert done.exit_code == 3 and "(0 against 0)" in done.stdout, done.output
    assert world.policies() == {"a": "lfu"} and ended(world)["result"] == "rolled back"


def test_killed_trial_is_stopped(world: World, start: Callable[..., Process]) -> None:
    path = world.cgroup("a")
    words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "1h", "--before", "100ms")
    process = start(*words, "--keep-if", "refaults <= before")
    eventually(lambda: world.policies() == {"a": "lru"}, process.said)
    process.process.kill()
    process.process.wait()
    done = world.run("trial", "stop", str(path))
    assert done.exit_code == 3 and "`cpolc trial stop` ended it" in done.stdout, done.output
    assert world.policies() == {"a": "lfu"}
    assert world.run("trial", "stop", str(path)).exit_code == 1
    ended(world)


@pytest.mark.long
def test_resumed_trial_attaches_in_the_folder_of_the_first(
    world: World, start: Callable[..., Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An input may name a file by a relative path."""
    path, folder = world.cgroup("a"), world.folder / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "200ms", "--before", "2s")
    process = start(*words, "--keep-if", "refaults <= before", "--input", "hot=orders")
    wait_for(world, "before", process)
    process.process.kill()
    process.process.wait()
    monkeypatch.chdir("/")
    done = world.run("trial", "resume", str(path))
    assert done.exit_code == 0, done.output
    assert fake_loader.attached(world.folder)["a"]["folder"] == str(folder)


@pytest.mark.long
def test_killed_while_it_attaches(world: World, start: Callable[..., Process], monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader outlives the process, and attaches after that: it is waited for, and rolled back."""
    path = world.cgroup("a")
    monkeypatch.setenv("FAKE_SECONDS", "3")
    words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "1h", "--before", "100ms")
    process = start(*words, "--keep-if", "refaults <= before")
    eventually((world.folder / "slow.bpf.o").exists, process.said)
    assert world.policies() == {"a": "lfu"}
    process.process.kill()
    process.process.wait()
    done = world.run("trial", "stop", str(path))
    assert done.exit_code == 3 and world.policies() == {"a": "lfu"}, done.output
    time.sleep(4)
    assert world.policies() == {"a": "lfu"} and not world.kept()
    ended(world)


def test_trial_of_another_process_is_stopped(world: World, start: Callable[..., Process]) -> None:
    path = world.cgroup("a")
    words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "1h", "--before", "100ms")
    process = start(*words, "--keep-if", "refaults <= before")
    eventually(lambda: world.policies() == {"a": "lru"}, process.said)
    done = world.run("trial", "stop", str(path), "--json")
    assert done.exit_code == 3 and json.loads(done.stdout)["why"] == "`cpolc trial stop` ended it", done.output
    assert process.process.wait(60) == 3 and world.policies() == {"a": "lfu"}
    ended(world)


@pytest.mark.parametrize("phase", ["before", "trial"])
def test_after_a_reboot_it_is_not_attached(
    world: World, start: Callable[..., Process], phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = world.cgroup("a")
    words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "1h", "--before")
    process = start(*words, "1h" if phase == "before" else "100ms", "--keep-if", "refaults <= before")
    eventually(lambda: list(world.trials.glob("*.json")) and running(world)["phase"] == phase, process.said)
    process.process.kill()
    process.process.wait()
    (world.folder / "state").write_text("{}")
    boot = world.folder / "boot"
    boot.write_text("another\n")
    monkeypatch.setattr(trial_run, "BOOT_ID", boot)
    # What the killed process started may hold the trial for a moment longer; then `resume` leaves it to the next one.
    said: list[str] = []

    def is_told() -> bool:
        done = world.run("trial", "resume", "--all")
        said.append(done.output)
        return done.exit_code == 0 and "the machine was started again" in done.stdout

    eventually(is_told, lambda: "\n".join(said))
    assert world.policies() == {} and ended(world)["result"] == "rolled back"


@pytest.mark.parametrize("before", ["rollback", "detach"])
def test_rollback_leaves_what_another_command_attached(
    world: World, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """It came after the look at who has what, so the loader refuses both, and nothing may be detached."""
    path = world.cgroup("a")
    output = loader.output

    def late(words: list[str], *rest: Any) -> str:
        if words[0] == before:
            world.change("a", policy="mru", tag="by hand")
        return output(words, *rest)

    monkeypatch.setattr(loader, "output", late)
    monkeypatch.setenv("FAKE_REFUSE", "rollback")
    done = world.try_(path, rule="refaults < before")
    assert done.exit_code == 3, done.output
    assert "not rolled back: " in done.stdout and "the new policy is not there any more" in done.stdout
    assert world.policies() == {"a": "mru"}


def test_rollback_that_fails_detaches(world: World, start: Callable[..., Process]) -> None:
    path = world.cgroup("a")
    os.environ["FAKE_REFUSE"] = "rollback"
    try:
        done = world.try_(path, rule="refaults < before")
    finally:
        del os.environ["FAKE_REFUSE"]
    assert done.exit_code == 3, done.output
    assert "But: not rolled back: the kernel refuses; the new policy was detached instead." in done.stdout
    assert world.policies() == {}


@pytest.mark.long
@pytest.mark.parametrize(("rule", "after"), [("refaults < before", "lfu"), ("refaults <= before", "lru")])
def test_end_that_cannot_be_carried_out_waits(
    world: World, monkeypatch: pytest.MonkeyPatch, rule: str, after: str
) -> None:
    """While bpffs is read-only nothing is half done: the trial waits, and another process ends it afterwards."""
    path = world.cgroup("a")
    monkeypatch.setattr(follow, "RETRIES", 2)
    monkeypatch.setenv("FAKE_REFUSE", "rollback detach")
    done = world.try_(path, rule=rule)
    assert done.exit_code == 1 and f"; the trial waits: cpolc trial resume {path}, or stop" in done.stderr, done.output
    assert ("nor detached: bpffs is read-only" in done.stderr) == (after == "lfu"), done.stderr
    assert world.policies() == {"a": "lru"} and world.kept() == ["a"]
    assert running(world)["phase"] == ("back" if after == "lfu" else "keep")
    done = world.run("trial", "resume", "--all")
    assert done.exit_code == 1 and world.policies() == {"a": "lru"}, done.output
    monkeypatch.delenv("FAKE_REFUSE")
    done = world.run("trial", "resume", "--all")
    assert done.exit_code == 0, done.output
    assert world.policies() == {"a": after} and world.kept() == []
    assert ended(world)["cgroups"][0]["done"] == ended(world)["result"]
