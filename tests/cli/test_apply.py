"""`cpolc apply` and `cpolc status` with a loader that needs no kernel, on a tree of folders in place of cgroups."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import fake_loader
import pytest
from click.testing import CliRunner, Result

from cpol.cli import apply_watch
from cpol.cli.main import cli
from cpol.runtime.apply import config

SERVE = """
import pathlib, sys
from cpol.runtime.apply import config
config.CGROUPS = pathlib.Path(sys.argv.pop(1))
from cpol.cli.main import main
main()
"""


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


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setattr(config, "CGROUPS", made.cgroups)
    monkeypatch.setenv("CPOL_LOADER", str(made.loader))
    return made


def test_each_cgroup_gets_its_policy_once(world: World) -> None:
    for name in ("a1", "a2", "b"):
        world.cgroup(name)
    world.rule("web", "lru", "a*", "set = n=1\ninput = hot=/x\ninput-group = daemon")
    done = world.apply()
    assert done.exit_code == 0 and "2 changed, 0 as they should be, 0 failed" in done.output, done.output
    assert world.policies() == {"a1": "lru", "a2": "lru"}
    options = fake_loader.attached(world.folder)["a1"]["options"]
    assert options[:6] == ["--set", "n=1", "--input", "hot=/x", "--input-group", "daemon"]
    before = world.changes()
    done = world.apply()
    assert done.exit_code == 0 and "0 changed, 2 as they should be" in done.output
    assert world.changes() == before


@pytest.mark.parametrize("change", ["object", "setting", "policy"])
def test_what_changed_is_replaced(world: World, change: str) -> None:
    world.cgroup("a")
    world.rule("web", "lru", "a")
    assert world.apply().exit_code == 0
    if change == "object":
        (world.folder / "lru.bpf.o").write_text("lru ")
    else:
        world.rule("web", "lfu" if change == "policy" else "lru", "a", "set = n=2" if change == "setting" else "")
    done = world.apply()
    assert "replace" in done.output and "1 changed" in done.output
    assert "--replace" in world.changes()[-1]
    assert "1 as they should be" in world.apply().output


def test_what_no_rule_names_any_more_is_detached(world: World) -> None:
    world.cgroup("a"), world.cgroup("b")
    world.rule("web", "lru", "?")
    assert world.apply().exit_code == 0
    world.rule("zz", "none", "b")
    assert "says none" in world.apply().output and world.policies() == {"a": "lru"}
    (world.rules / "web.conf").unlink()
    assert "no rule names the cgroup" in world.apply().output and world.policies() == {}
    world.rule("web", "lru", "?")
    assert world.apply().exit_code == 0 and world.policies() == {"a": "lru"}
    assert world.apply("--detach").exit_code == 0 and world.policies() == {}


def test_policies_of_others_stay(world: World) -> None:
    path = world.cgroup("a")
    assert world.run("attach", str(world.folder / "lfu.bpf.o"), str(path)).exit_code == 0
    world.rule("web", "lru", "a")
    done = world.apply()
    assert done.exit_code == 0 and "lfu was attached by another command; --take-over replaces it" in done.output
    assert world.policies() == {"a": "lfu"}
    assert world.apply("--detach").exit_code == 0 and world.policies() == {"a": "lfu"}
    assert world.apply("--take-over").exit_code == 0 and world.policies() == {"a": "lru"}


def change_state(world: World, cgroup: str, **facts: str) -> None:
    path = world.folder / "state"
    policies = json.loads(path.read_text())
    for one in policies.values():
        if one["path"].endswith(f"/{cgroup}"):
            one.update(facts)
    path.write_text(json.dumps(policies))


def test_policy_that_was_overruled_is_not_attached_again(world: World) -> None:
    """It would end in the same way. Another object gets its turn, and so does what a killed command broke off."""
    world.cgroup("a")
    world.rule("web", "lru", "a")
    assert world.apply().exit_code == 0
    before = world.changes()
    change_state(world, "a", state="overruled", exit="watchdog", message="starves")
    assert world.apply().exit_code == 0 and world.changes() == before
    change_state(world, "a", state="broken off")
    assert "a killed command left it" in world.apply().output and "--replace" in world.changes()[-1]
    change_state(world, "a", state="overruled")
    (world.folder / "lru.bpf.o").write_text("lru  ")
    assert "1 changed" in world.apply().output


@pytest.mark.parametrize(
    ("state", "tag", "stays"),
    [
        ("attached", "", True),
        ("overruled", "", True),
        ("ended", "", True),
        ("overruled", "trial:1", True),
        ("broken off", "trial:1", True),
        ("broken off", "", False),
    ],
)
def test_policy_of_others_stays_in_each_state(world: World, state: str, tag: str, stays: bool) -> None:
    """Who attached it by hand mends it, and a trial rolls back. Only what a killed command left is nobody's."""
    path = world.cgroup("a")
    assert world.run("attach", str(world.folder / "lfu.bpf.o"), str(path)).exit_code == 0
    change_state(world, "a", state=state, tag=tag)
    world.rule("web", "lru", "a")
    done = world.apply()
    assert done.exit_code == 0 and world.policies() == {"a": "lfu" if stays else "lru"}, done.output
    assert ("--take-over replaces it" in done.output) == stays
    assert world.apply("--take-over").exit_code == 0 and world.policies() == {"a": "lru"}


def test_cgroup_that_came_again_gets_it_again(world: World) -> None:
    world.cgroup("a")
    world.rule("web", "lru", "a")
    assert world.apply().exit_code == 0
    world.remove("a")
    world.cgroup("a")
    done = world.apply()
    assert "lru is detached" in done.output and "attach   " in done.output
    assert fake_loader.attached(world.folder)["a"]["cgroup"] == (world.cgroups / "a").stat().st_ino


def test_dry_run_tries_and_changes_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        world.cgroup(name)
    world.rule("1", "lru", "[ac]")
    assert world.apply().exit_code == 0
    world.rule("1", "lru", "[ab]", "set = n=1")
    state, before = (world.folder / "state").read_text(), len(world.changes())
    done = world.apply("--dry-run")
    assert done.exit_code == 0 and "3 would be changed, 0 as they should be, 0 failed" in done.output, done.output
    assert [line.split()[0] for line in done.output.splitlines()[:3]] == ["replace", "attach", "detach"]
    assert (world.folder / "state").read_text() == state
    tried = world.changes()[before:]
    assert len(tried) == 2 and all("--dry-run" in words for words in tried)
    monkeypatch.setenv("FAKE_REFUSE", "lru")
    done = world.apply("--dry-run")
    assert done.exit_code == 1 and done.output.count("would fail: the verifier refuses lru") == 2


def test_one_failure_leaves_the_others(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.cgroup("a"), world.cgroup("b")
    world.rule("1", "lru", "a")
    world.rule("2", "lfu", "b")
    monkeypatch.setenv("FAKE_REFUSE", "lru")
    done = world.apply()
    assert done.exit_code == 1 and "failed: the verifier refuses lru" in done.output
    assert world.policies() == {"b": "lfu"}
    assert f"{world.rules}/1.conf:1" in done.output


def test_nothing_changes_if_a_file_is_wrong(world: World) -> None:
    world.cgroup("a")
    world.rule("1", "lru", "a")
    (world.rules / "2.conf").write_text("[x]\npolicy = lru\ncgroup = nowhere\n")
    done = world.apply()
    assert done.exit_code == 1 and "2.conf:3:10: " in done.output, done.output
    (world.rules / "2.conf").write_text("[x]\npolicy = no_such\nunit = a.service\n")
    done = world.apply()
    assert done.exit_code == 1 and "2.conf:1: " in done.output and "no_such" in done.output
    (world.rules / "2.conf").write_text("[x]\npolicy = /no/such.bpf.o\nunit = a.service\n")
    done = world.apply()
    assert done.exit_code == 1 and "2.conf:1: no such object" in done.output
    assert world.policies() == {} and not world.changes()


def add_prefetcher(world: World, cgroup: str) -> None:
    """Put a policy that only prefetches beside the one of a cgroup, as by hand."""
    path = world.folder / "state"
    policies = json.loads(path.read_text())
    (one,) = (one for one in policies.values() if one["path"].endswith(f"/{cgroup}"))
    policies["beside"] = {**one, "policy": "ahead", "kind": "prefetch", "tag": ""}
    path.write_text(json.dumps(policies))


def test_policy_that_prefetches_beside_stays(world: World) -> None:
    path = world.cgroup("a")
    world.rule("1", "lru", "a")
    assert world.apply().exit_code == 0
    tag = fake_loader.attached(world.folder)["a"]["tag"]
    add_prefetcher(world, "a")
    assert "1 as they should be" in world.apply().output
    done = world.apply("--detach")
    assert done.exit_code == 0 and world.policies() == {"a": "ahead"}, done.output
    assert world.changes()[-1] == ["detach", "--tag", tag, "--id", str(path.stat().st_ino)]


def test_prefetcher_of_a_rule_goes_alone(world: World) -> None:
    world.cgroup("a")
    world.rule("1", "lru", "a")
    assert world.apply().exit_code == 0
    change_state(world, "a", kind="prefetch")
    tag = fake_loader.attached(world.folder)["a"]["tag"]
    assert world.apply("--detach").exit_code == 0
    number = str((world.cgroups / "a").stat().st_ino)
    assert world.changes()[-1] == ["detach", "--prefetch", "--tag", tag, "--id", number] and world.policies() == {}


def test_json(world: World) -> None:
    path = world.cgroup("a")
    world.rule("1", "lru", "a")
    done = world.apply("--json")
    assert json.loads(done.stdout) == [
        {
            "cgroup": str(path), "id": path.stat().st_ino, "action": "attach", "policy": f"{world.folder}/lru.bpf.o",
            "why": "it has no policy", "rule": f"{world.rules}/1.conf:1", "error": None,
        }
    ]  # fmt: skip


def test_status_of_a_unit(world: World) -> None:
    path = world.cgroup("web.slice/nginx.service")
    world.rule("1", "lru", "web.slice/nginx.service")
    words = ("--config", str(world.rules))
    done = world.run("status", "nginx", *words)
    assert done.exit_code == 1 and "policy    none" in done.output and "[1] " in done.output
    assert world.apply().exit_code == 0
    (path / "policy.stat").write_text('{"hits": 1234, "misses": 5}')
    done = world.run("status", "nginx", *words)
    assert done.exit_code == 0, done.output
    for line in (f"cgroup    {path}", "unit      nginx.service", "policy    lru", "hits      1,234"):
        assert line in done.output
    assert "attached  by cpolc apply, 0 s ago" in done.output
    facts = json.loads(world.run("status", str(path), "--json", *words).stdout)
    assert facts["state"] == "attached" and facts["statistics"] == {"hits": 1234, "misses": 5}
    assert facts["rule"]["where"] == f"{world.rules}/1.conf:1"
    change_state(world, "nginx.service", state="overruled", exit="watchdog", message="starves")
    done = world.run("status", "nginx.service", *words)
    assert done.exit_code == 1 and "overruled (watchdog: starves)" in done.output
    done = world.run("status", "apache", *words)
    assert done.exit_code == 1 and "the unit apache.service has no cgroup" in done.output
    assert "there is no cgroup /nowhere" in world.run("status", "/nowhere", *words).output


def test_status_takes_cgroups_only(world: World) -> None:
    """The number of another folder's or file's inode may be that of a cgroup."""
    world.cgroup("a")
    outside = world.folder / "outside"
    outside.mkdir()
    (outside / "cgroup.procs").write_text("")
    (world.cgroups / "folder").mkdir()
    for word in ("../outside", "a/../../outside", "a/../a", "a/memory.current", "folder"):
        done = world.run("status", f"{world.cgroups}/{word}", "--config", str(world.rules))
        assert done.exit_code == 1 and f"there is no cgroup {world.cgroups}/{word}" in done.output, done.output
    assert "policy    none" in world.run("status", f"{world.cgroups}/a", "--config", str(world.rules)).output


def test_status_has_the_statistics_of_the_policy_that_it_shows(world: World) -> None:
    """Not of one that ended before, nor of the one beside it that evicts or prefetches."""
    path = world.cgroup("a")
    world.rule("1", "lru", "a")
    assert world.apply().exit_code == 0
    add_prefetcher(world, "a")
    number = path.stat().st_ino
    evicts = {"path": str(path), "cgroup": number, "name": "lru", "state": "attached", "hits": 1}
    prefetches = {**evicts, "kind": "prefetch", "hits": 2}
    ended = {**evicts, "state": "ended", "exit": "replaced", "held": False, "hits": 3}
    (world.folder / "state.stat").write_text(json.dumps([ended, prefetches, evicts]))

    def hits() -> int:
        return int(json.loads(world.run("status", str(path), "--json").stdout)["statistics"]["hits"])

    assert hits() == 1
    policies = json.loads((world.folder / "state").read_text())
    one, beside = policies[str(number)], policies["beside"]
    one["tag"], beside["tag"] = "", one["tag"]  # `cpolc apply` attached the other one
    (world.folder / "state").write_text(json.dumps(policies))
    assert hits() == 2


@pytest.fixture
def service(world: World) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start `cpolc apply --watch`; returns once it is ready."""
    started = []

    def start() -> subprocess.Popen[str]:
        words = [sys.executable, "-c", SERVE, str(world.cgroups), "apply", "--watch", "--config", str(world.rules)]
        with (world.folder / "out").open("w") as out:
            process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, text=True, env=os.environ)
        started.append(process)
        eventually(lambda: "watching" in (world.folder / "out").read_text(), world.folder / "out")
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def eventually(condition: Callable[[], object], out: Path) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, out.read_text()
        time.sleep(0.05)


@pytest.mark.long
def test_watch_serves_cgroups_that_come_later(world: World, service: Callable[[], subprocess.Popen[str]]) -> None:
    out = world.folder / "out"
    world.cgroup("a1")
    world.rule("1", "lru", "a*")
    process = service()
    assert world.policies() == {"a1": "lru"}
    world.cgroup("a2"), world.cgroup("b")
    eventually(lambda: world.policies() == {"a1": "lru", "a2": "lru"}, out)
    first = fake_loader.attached(world.folder)["a2"]["cgroup"]
    world.remove("a2")
    eventually(lambda: world.policies() == {"a1": "lru"}, out)
    path = world.cgroup("a2")
    eventually(lambda: world.policies().get("a2") == "lru", out)
    assert fake_loader.attached(world.folder)["a2"]["cgroup"] == path.stat().st_ino != first

    late = world.cgroup("a3", memory=False)
    time.sleep(0.5)
    assert "a3" not in world.policies()
    (late / "memory.current").write_text("0")
    eventually(lambda: world.policies().get("a3") == "lru", out)

    assert world.run("detach", str(world.cgroups / "a1")).exit_code == 0
    world.cgroup("a4")
    eventually(lambda: world.policies().get("a4") == "lru", out)
    assert "a1" not in world.policies(), "what an operator detaches stays detached"
    world.rule("1", "lfu", "a*")
    process.send_signal(signal.SIGHUP)
    eventually(lambda: set(world.policies().values()) == {"lfu"} and "a1" in world.policies(), out)
    (world.rules / "1.conf").write_text("nonsense")
    process.send_signal(signal.SIGHUP)
    eventually(lambda: "the rules stay as they were" in out.read_text(), out)
    world.cgroup("a5")
    eventually(lambda: world.policies().get("a5") == "lfu", out)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0, out.read_text()
    assert len(world.policies()) == 5


def test_watch_killed_and_started_again(world: World, service: Callable[[], subprocess.Popen[str]]) -> None:
    world.cgroup("a")
    world.rule("1", "lru", "?")
    process = service()
    process.kill()
    process.wait()
    world.remove("a")
    world.cgroup("b")
    (world.folder / "out").write_text("")
    service()
    assert world.policies() == {"b": "lru"}


@pytest.mark.parametrize("late", [False, True])
def test_watch_tries_again_after_the_loader_failed(world: World, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    """Also if it fails for a cgroup whose memory controller came late, and if it fails twice."""
    monkeypatch.setattr(apply_watch, "FAILED_SECONDS", 0.0)
    monkeypatch.setattr(apply_watch, "RETRIES", (0.0,))
    world.rule("1", "lru", "a")
    service = apply_watch.Service(world.rules)
    service.all()
    path = world.cgroup("a", memory=not late)
    if late:
        service.changed()
        (path / "memory.current").write_text("0")
    monkeypatch.setenv("FAKE_REFUSE", "list")
    service.again() if late else service.changed()
    assert service.due() == 0
    service.again()
    monkeypatch.delenv("FAKE_REFUSE")
    assert service.due() == 0 and world.policies() == {}
    service.again()
    assert world.policies() == {"a": "lru"} and service.due() is None


def test_watch_attaches_the_object_that_it_took(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one that lies there when a cgroup comes, which may be half written."""
    scratch = world.folder / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    world.cgroup("a1")
    world.rule("1", "lru", "a*")
    with closing(apply_watch.Service(world.rules)) as service:
        service.all()
        (world.folder / "lru.bpf.o").write_text("half")
        world.cgroup("a2")
        service.changed()
        assert world.policies() == {"a1": "lru", "a2": "lru"}
        service.reload()
        assert world.policies() == {"a1": "half", "a2": "half"}
    assert not [*scratch.iterdir()]


def test_watch_goes_alone(world: World) -> None:
    assert world.apply("--watch", "--dry-run").exit_code == 2
