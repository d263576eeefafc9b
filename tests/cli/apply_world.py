"""A tree of folders in place of cgroups, with a loader that needs no kernel: for tests of `cpolc apply`."""

from __future__ import annotations

import json
from pathlib import Path

import fake_loader
import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.operate.apply import config


class World:
    """A folder with a tree of cgroups, objects, and files of rules."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cgroups, self.rules = folder, folder / "cgroup", folder / "cpol.d"
        self.loader = fake_loader.install(folder)
        for path in (self.cgroups, self.rules):
            path.mkdir()
        for name in ("lru", "lfu"):
            (folder / f"{name}.bpf.o").write_text(name)

    def cgroup(self, name: str, memory: bool = True) -> Path:
        path = self.cgroups / name
        path.mkdir(parents=True)
        (path / "cgroup.procs").write_text("")
        if memory:
            (path / "memory.current").write_text("0")
        return path

    def remove(self, name: str) -> None:
        """The folder goes out of the tree: were it removed, the next one could get the number of its inode."""
        path = self.cgroups / name
        path.rename(self.folder / f"removed-{path.stat().st_ino}")

    def rule(self, name: str, policy: str, cgroup: str, more: str = "") -> None:
        policy = policy if policy == "none" else f"{self.folder}/{policy}.bpf.o"
        text = f"[{name}]\npolicy = {policy}\ncgroup = {self.cgroups}/{cgroup}\n{more}\n"
        (self.rules / f"{name}.conf").write_text(text)

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(cli, [*words], prog_name="cpolc")

    def apply(self, *words: str) -> Result:
        return self.run("apply", "--config", str(self.rules), *words)

    def policies(self) -> dict[str, str]:
        return {name: one["policy"] for name, one in fake_loader.attached(self.folder).items()}

    def changes(self) -> list[list[str]]:
        """The loader's command lines that can change something."""
        return [words for words in fake_loader.calls(self.folder) if words[0] == "attach" or "--id" in words]


def change_state(tree: World, cgroup: str, **facts: str) -> None:
    path = tree.folder / "state"
    policies = json.loads(path.read_text())
    for one in policies.values():
        if one["path"].endswith(f"/{cgroup}"):
            one.update(facts)
    path.write_text(json.dumps(policies))


def add_prefetcher(tree: World, cgroup: str) -> None:
    """Put a policy that only prefetches beside the one of a cgroup, as by hand."""
    path = tree.folder / "state"
    policies = json.loads(path.read_text())
    (one,) = (one for one in policies.values() if one["path"].endswith(f"/{cgroup}"))
    policies["beside"] = {**one, "policy": "ahead", "kind": "prefetch", "tag": ""}
    path.write_text(json.dumps(policies))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setattr(config, "CGROUPS", made.cgroups)
    monkeypatch.setenv("CPOL_LOADER", str(made.loader))
    return made
