"""`cpolc attach --trial` and `cpolc trial` with a loader that needs no kernel, on folders in place of cgroups."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fake_loader
import pytest
from click.testing import CliRunner, Result

from cpol.cli import trial_begin, trying
from cpol.cli.main import cli
from cpol.runtime import loader
from cpol.runtime.apply import config
from cpol.runtime.trial import run as trial_run
from cpol.runtime.trial.state import Store, Trial

SERVE = """
import pathlib, sys
from cpol.cli import trying
from cpol.runtime.apply import config
config.CGROUPS = pathlib.Path(sys.argv[1], "cgroup")
trying.FOLDER = pathlib.Path(sys.argv.pop(1), "trials")
from cpol.cli.main import main
main()
"""
SHORT = ("--trial", "300ms", "--before", "300ms")


class World:
    """A tree of cgroups whose counters grow as the test says, and three objects."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cgroups, self.trials = folder, folder / "cgroup", folder / "trials"
        self.loader = fake_loader.install(folder)
        self.cgroups.mkdir()
        for name in ("lru", "lfu", "mru"):
            (folder / f"{name}.bpf.o").write_text(name)

    def cgroup(self, name: str, refaults: int = 0, policy: str = "lfu") -> Path:
        path = self.cgroups / name
        path.mkdir()
        (path / "memory.stat").write_text(f"workingset_refault_file {refaults}\npgsteal 7\npgmajfault 1\n")
        (path / "memory.pressure").write_text("some avg10=0.00 total=1000\nfull avg10=0.00 total=10\n")
        if policy:
            assert self.run("attach", self.object(policy), str(path)).exit_code == 0
        return path

    def object(self, name: str) -> str:
        return str(self.folder / f"{name}.bpf.o")

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(cli, [*words], prog_name="cpolc")

    def try_(self, path: Path | str, *words: str, rule: str = "refaults <= before") -> Result:
        return self.run("attach", self.object("lru"), str(path), "--replace", "--keep-if", rule, *SHORT, *words)

    def policies(self) -> dict[str, str]:
        return {name: one["policy"] for name, one in fake_loader.attached(self.folder).items()}

    def kept(self) -> list[str]:
        return [name for name, one in fake_loader.attached(self.folder).items() if one["kept"]]

    def change(self, cgroup: str, **facts: str) -> None:
        state = self.folder / "state"
        policies = json.loads(state.read_text())
        for one in policies.values():
            if one["path"].endswith(f"/{cgroup}"):
                one.update(facts)
        state.write_text(json.dumps(policies))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setattr(config, "CGROUPS", made.cgroups)
    monkeypatch.setattr(trying, "FOLDER", made.trials)
    monkeypatch.setenv("CPOL_LOADER", str(made.loader))
    return made


class Process:
    """`cpolc` as a process of its own."""

    def __init__(self, world: World, *words: str) -> None:
        self.out = world.folder / f"out-{time.monotonic_ns()}"
        command = [sys.executable, "-c", SERVE, str(world.folder), *words]
        with self.out.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=os.environ)

    def said(self) -> str:
        return self.out.read_text()


@pytest.fixture
def start(world: World) -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def make(*words: str) -> Process:
        started.append(Process(world, *words))
        return started[-1]

    yield make
    for one in started:
        one.process.kill()
        one.process.wait()


def eventually(condition: Callable[[], object], said: Callable[[], str] = str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, said()
        time.sleep(0.02)


def ended(world: World) -> dict[str, Any]:
    """The facts of the only trial, which has ended."""
    (facts,) = json.loads(world.run("trial", "status", "--json").stdout)
    assert facts["phase"] == "ended" and [path.name for path in world.trials.iterdir()] == ["ended"], facts
    return dict(facts)


def test_policy_is_kept(world: World) -> None:
    path = world.cgroup("a")
    done = world.try_(path, "--set", "n=1", rule="refaults <= 1.05 * before and pressure <= before")
    assert done.exit_code == 0, done.output
    assert world.policies() == {"a": "lru"} and not world.kept()
    trial = ended(world)
    assert trial["result"] == "kept" and trial["cgroups"][0]["had"] == {"evict": "lfu"}
    assert done.stdout.startswith(f"Trial {trial['trial']} on {path}: {world.object('lru')} was kept, because the rule")
    assert "refaults <= 1.05 * before holds (0 against 0); pressure <= before holds (0 against 0)" in done.stdout
    (world.folder / "no rules").mkdir()
    status = world.run("status", str(path), "--config", str(world.folder / "no rules")).stdout
    assert f"attached  by cpolc attach --trial ({trial['trial']}), " in status
    attach = fake_loader.attached(world.folder)["a"]
    assert attach["tag"] == f"trial:{trial['trial']}" and attach["options"][:2] == ["--set", "n=1"]


def test_policy_is_rolled_back(world: World) -> None:
    path = world.cgroup("a")
    done = world.try_(path, "--json", rule="refaults < before")
    assert done.exit_code == 3, done.output
    assert world.policies() == {"a": "lfu"} and not world.kept()
    facts = json.loads(done.stdout)
    assert facts["result"] == "rolled back" and facts == ended(world)
    assert facts["why"] == "the rule does not hold: refaults < before does not hold (0 against 0)"
    assert facts["measures"]["refaults"] == {"before": 0.0, "now": 0.0}
    assert facts["measures"]["io_pressure"] == {"before": None, "now": None}
    assert "was rolled back to lfu, because" in facts["text"]


def test_without_old_policy_it_is_detached(world: World) -> None:
    done = world.try_(world.cgroup("a", policy=""), rule="refaults < before")
    assert done.exit_code == 3 and "rolled back to no policy" in done.stdout, done.output
    assert world.policies() == {}


def wait_for(world: World, window: str, process: Process) -> None:
    """Wait until the first counters of a window are noted."""
    eventually(lambda: [*world.trials.glob("*.json")] and running(world)["members"][0][window], process.said)


@pytest.mark.long
def test_counters_decide(world: World, start: Callable[..., Process]) -> None:
    """They grow in the window before and not later, or the other way round."""
    for name, window, result in (("a", "before", "kept"), ("b", "after", "rolled back")):
        path = world.cgroup(name)
        words = ("attach", world.object("lru"), str(path), "--replace", "--trial", "2s", "--before", "2s")
        process = start(*words, "--keep-if", "refaults < before or refaults == 0", "--json")
        wait_for(world, window, process)
        (path / "memory.stat").write_text("workingset_refault_file 5000\n")
        process.process.wait(60)
        facts = json.loads(process.said().splitlines()[-1])
        assert facts["result"] == result, facts
        measured = facts["measures"]["refaults"]
        grown = measured["before" if window == "before" else "now"]
        assert 5000 / 20 < grown <= 2500 and 0.0 in measured.values(), measured


def test_metric_of_the_service(world: World) -> None:
    path, file = world.cgroup("a"), world.folder / "latency"
    file.write_text('# TYPE seconds gauge\nseconds{q="0.5"} 0.1\nseconds{q="0.99"} 2.5\n')
    source = f'slow={file}#seconds{{q="0.99"}}'
    done = world.try_(path, "--metric", source, "--json", rule="slow <= before and slow > 2")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["measures"]["slow"] == {"before": 2.5, "now": 2.5}


def test_nothing_changes_if_something_is_wrong(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.cgroup("a")
    file = world.folder / "metric"
    file.write_text("many words")
    for words, rule, said in (
        ((), "refalts <= before", "--keep-if:1: there is no measure `refalts`"),
        ((), "refaults <= (before", "--keep-if:13: this is no rule"),
        ((), "misses <= before and hits < nothing", "--keep-if:29: there is no measure `nothing`"),
        (("--metric", f"m={file}"), "m < 1", "has something else than a number"),
        (("--metric", "m=ftp://x/y"), "m < 1", "begins with http://HOST"),
        (("--metric", "hits=/x"), "hits < 1", "the name `hits` is taken"),
        (("--before", "5x"), "refaults < 1", "`5x` is no time"),
        (("--before", "1ms"), "refaults < 1", "from 100 ms to 30 days"),
        ((str(world.cgroups / "none"),), "refaults < 1", "there is no cgroup"),
        ((str(world.cgroup("b")),), "refaults < 1", "two groups need 4 cgroups or more, and these are 2"),
    ):
        done = world.try_(path, *words, rule=rule)
        assert done.exit_code in (1, 2) and said in done.stderr, done.output
    no_policy = world.cgroup("c", policy="")
    done = world.try_(no_policy, rule="misses <= before")
    assert done.exit_code == 1 and "has no policy now that counts it" in done.stderr, done.output
    monkeypatch.setenv("FAKE_REFUSE", "lru")
    done = world.try_(path)
    assert done.exit_code == 1 and "the verifier refuses lru" in done.stderr, done.output
    assert set(world.policies().values()) == {"lfu"}
    assert not list(world.trials.glob("*.json"))


def test_options_need_a_trial(world: World) -> None:
    path = str(world.cgroup("a"))
    for words, said in (
        (("--keep-if", "refaults < 1"), "--keep-if needs --trial TIME"),
        (("--metric", "a=/b"), "--metric needs --trial"),
        (("--seed", "0"), "--seed needs --trial"),
        (("--json",), "--json needs --trial"),
        (("--trial", "1s"), "--trial needs --keep-if RULE"),
        (("--trial", "1s", "--keep-if", "hits > 1", "--dry-run"), "goes without --dry-run"),
        ((path,), "name one CGROUP"),
    ):
        done = world.run("attach", world.object("lru"), path, *words)
        assert done.exit_code == 2 and said in done.stderr, done.output


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


def running(world: World) -> dict[str, Any]:
    (path,) = world.trials.glob("*.json")
    return dict(json.loads(path.read_text()))


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


def test_two_trials_do_not_begin_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one begins while this one tries its policy, after the look at the trials that run."""
    path = world.cgroup("a")
    dry_run = trial_begin.dry_run

    def slow(compiled: Path, trial: Trial) -> None:
        dry_run(compiled, trial)
        store = Store(world.trials)
        other = dataclasses.replace(trial, id="0badcafe")
        store.put_object(other, compiled)
        store.write(other)

    monkeypatch.setattr(trial_begin, "dry_run", slow)
    done = world.try_(path)
    assert done.exit_code == 1 and "has the trial 0badcafe; end it first" in done.stderr, done.output
    assert world.policies() == {"a": "lfu"} and not world.kept()
    assert [path.name for path in world.trials.glob("*.json")] == ["0badcafe.json"]


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
    monkeypatch.setattr(trying, "RETRIES", 2)
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


def test_two_groups(world: World) -> None:
    for number in range(6):
        world.cgroup(f"w{number}")
    pattern = str(world.cgroups / "w*")
    words = ("attach", world.object("lru"), pattern, "--replace", "--trial", "300ms", "--seed", "5")
    done = world.run(*words, "--keep-if", "refaults <= before", "--json")
    assert done.exit_code == 0, done.output
    first = json.loads(done.stdout)
    new = sorted(Path(one["path"]).name for one in first["cgroups"] if one["arm"] == "new")
    assert len(new) == 3 and first["seed"] == 5
    assert sorted(name for name, policy in world.policies().items() if policy == "lru") == new
    assert first["measures"]["refaults"] == {"low": 0.0, "high": 0.0, "before": 0.0, "now": 0.0}
    assert "assigned with --seed 5" in done.stderr and done.stderr.count("old: ") == 3
    assert "95 % of the difference: 0 to 0" in world.run("trial", "status", str(world.cgroups / "w0")).stdout
    again = world.run(*words, "--keep-if", "refaults < before", "--json")
    assert again.exit_code == 3
    assert [one["arm"] for one in json.loads(again.stdout)["cgroups"]] == [one["arm"] for one in first["cgroups"]]
    assert sorted(name for name, policy in world.policies().items() if policy == "lru") == new, "as before the second"
    done = world.run(*words, "--keep-if", "m < before", "--metric", "m=/x")
    assert done.exit_code == 1 and "leave out --metric" in done.stderr


def test_folder_and_files_are_of_root_alone(world: World, start: Callable[..., Process]) -> None:
    path = world.cgroup("a")
    assert world.try_(path).exit_code == 0
    assert world.trials.stat().st_mode & 0o777 == 0o700
    (file,) = (world.trials / "ended").glob("*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    world.trials.chmod(0o777)
    done = world.try_(path)
    assert done.exit_code == 1 and "other users can write to" in done.stderr, done.output
    world.trials.chmod(0o700)
    file.write_text('{"id": "x"}')
    done = world.run("trial", "status")
    assert done.exit_code == 1 and "is damaged" in done.stderr


@pytest.mark.long
def test_old_results_go(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpol.runtime.trial.state.MAX_ENDED", 2)
    path = world.cgroup("a")
    for _ in range(3):
        assert world.try_(path).exit_code == 0
    assert len(Store(world.trials).ended()) == 2


def test_what_is_half_written_goes(world: World) -> None:
    path = world.cgroup("a")
    assert world.try_(path).exit_code == 0
    for name in ("12345678.bpf.o", ".tmp12345"):
        (world.trials / name).touch()
    assert world.run("trial", "status").exit_code == 0
    assert len([*world.trials.iterdir()]) == 3, "somebody may complete it yet"
    for name in ("12345678.bpf.o", ".tmp12345"):
        os.utime(world.trials / name, (1, 1))
    assert world.run("trial", "status").exit_code == 0
    assert [one.name for one in world.trials.iterdir()] == ["ended"]
