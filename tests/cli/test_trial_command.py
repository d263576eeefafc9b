"""`cpolc attach --trial` and `cpolc trial` with a loader that needs no kernel, on folders in place of cgroups."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path

import fake_loader
import pytest
from trial_world import Process, World, ended, wait_for

from cpol.runtime.operate.trial import begin as trial_begin
from cpol.runtime.operate.trial.state import Store, Trial


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_without_old_policy_it_is_detached(world: World) -> None:
    done = world.try_(world.cgroup("a", policy=""), rule="refaults < before")
    assert done.exit_code == 3 and "rolled back to no policy" in done.stdout, done.output
    assert world.policies() == {}


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


@pytest.mark.slow
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
        assert done.exit_code == 2 or not said.startswith("--keep-if"), done.output
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    monkeypatch.setattr("cpol.runtime.operate.trial.state.MAX_ENDED", 2)
    path = world.cgroup("a")
    for _ in range(3):
        assert world.try_(path).exit_code == 0
    assert len(Store(world.trials).ended()) == 2


@pytest.mark.slow
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
