"""What tests of trials share: folders in place of cgroups, and a loader that needs no kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fake_loader
import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.operate.apply import config
from cpol.runtime.operate.trial import follow

SERVE = """
import pathlib, sys
from cpol.runtime.operate.trial import follow
from cpol.runtime.operate.apply import config
config.CGROUPS = pathlib.Path(sys.argv[1], "cgroup")
follow.FOLDER = pathlib.Path(sys.argv.pop(1), "trials")
from cpol.cli.main import main
main()
"""
SHORT = {"--trial": "300ms", "--before": "300ms"}


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
        (path / "cgroup.procs").write_text("")
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
        times = [word for option in SHORT if option not in words for word in (option, SHORT[option])]
        return self.run("attach", self.object("lru"), str(path), "--replace", "--keep-if", rule, *times, *words)

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
    monkeypatch.setattr(follow, "FOLDER", made.trials)
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


def running(world: World) -> dict[str, Any]:
    (path,) = world.trials.glob("*.json")
    return dict(json.loads(path.read_text()))


def wait_for(world: World, window: str, process: Process) -> None:
    """Wait until the first counters of a window are noted."""
    eventually(lambda: [*world.trials.glob("*.json")] and running(world)["members"][0][window], process.said)
