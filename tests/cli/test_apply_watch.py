"""`cpolc apply --watch`: cgroups that come later get their policies."""

from __future__ import annotations

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
from apply_world import World

from cpol.cli.apply import Journal, rules_of
from cpol.runtime.operate.apply import service as apply_service

SERVE = """
import pathlib, sys
from cpol.runtime.operate.apply import config
config.CGROUPS = pathlib.Path(sys.argv.pop(1))
from cpol.cli.main import main
main()
"""


@pytest.fixture
def service(tree: World) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start `cpolc apply --watch`; returns once it is ready."""
    started = []

    def start() -> subprocess.Popen[str]:
        words = [sys.executable, "-c", SERVE, str(tree.cgroups), "apply", "--watch", "--config", str(tree.rules)]
        with (tree.folder / "out").open("w") as out:
            process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, text=True, env=os.environ)
        started.append(process)
        eventually(lambda: "watching" in (tree.folder / "out").read_text(), tree.folder / "out")
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


@pytest.mark.slow
@pytest.mark.parametrize("there", [False, True])
def test_a_folder_without_rules_is_told(tree: World, service: Callable[[], subprocess.Popen[str]], there: bool) -> None:
    if there:
        (tree.rules / "README").write_text("text")
        (tree.rules / "empty.conf").write_text("# nothing\n")
    process = service()
    out = tree.folder / "out"
    assert out.read_text().startswith(f"note: no file *.conf in {tree.rules} has a section")
    process.send_signal(signal.SIGHUP)
    eventually(lambda: out.read_text().count("no file *.conf") == 2, out)
    tree.cgroup("a")
    tree.rule("1", "lru", "a")
    process.send_signal(signal.SIGHUP)
    eventually(lambda: tree.policies() == {"a": "lru"}, out)
    assert out.read_text().count("no file *.conf") == 2


@pytest.mark.long
def test_watch_serves_cgroups_that_come_later(tree: World, service: Callable[[], subprocess.Popen[str]]) -> None:
    out = tree.folder / "out"
    tree.cgroup("a1")
    tree.rule("1", "lru", "a*")
    process = service()
    assert tree.policies() == {"a1": "lru"}
    tree.cgroup("a2"), tree.cgroup("b")
    eventually(lambda: tree.policies() == {"a1": "lru", "a2": "lru"}, out)
    first = fake_loader.attached(tree.folder)["a2"]["cgroup"]
    tree.remove("a2")
    eventually(lambda: tree.policies() == {"a1": "lru"}, out)
    path = tree.cgroup("a2")
    eventually(lambda: tree.policies().get("a2") == "lru", out)
    assert fake_loader.attached(tree.folder)["a2"]["cgroup"] == path.stat().st_ino != first

    late = tree.cgroup("a3", memory=False)
    time.sleep(0.5)
    assert "a3" not in tree.policies()
    (late / "memory.current").write_text("0")
    eventually(lambda: tree.policies().get("a3") == "lru", out)

    assert tree.run("detach", str(tree.cgroups / "a1")).exit_code == 0
    tree.cgroup("a4")
    eventually(lambda: tree.policies().get("a4") == "lru", out)
    assert "a1" not in tree.policies(), "what an operator detaches stays detached"
    tree.rule("1", "lfu", "a*")
    process.send_signal(signal.SIGHUP)
    eventually(lambda: set(tree.policies().values()) == {"lfu"} and "a1" in tree.policies(), out)
    (tree.rules / "1.conf").write_text("nonsense")
    process.send_signal(signal.SIGHUP)
    eventually(lambda: "the rules stay as they were" in out.read_text(), out)
    tree.cgroup("a5")
    eventually(lambda: tree.policies().get("a5") == "lfu", out)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0, out.read_text()
    assert len(tree.policies()) == 5


@pytest.mark.slow
def test_watch_killed_and_started_again(tree: World, service: Callable[[], subprocess.Popen[str]]) -> None:
    tree.cgroup("a")
    tree.rule("1", "lru", "?")
    process = service()
    process.kill()
    process.wait()
    tree.remove("a")
    tree.cgroup("b")
    (tree.folder / "out").write_text("")
    service()
    assert tree.policies() == {"b": "lru"}


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True])
def test_watch_tries_again_after_the_loader_failed(tree: World, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    """Also if it fails for a cgroup whose memory controller came late, and if it fails twice."""
    monkeypatch.setattr(apply_service, "FAILED_SECONDS", 0.0)
    monkeypatch.setattr(apply_service, "RETRIES", (0.0,))
    tree.rule("1", "lru", "a")
    service = apply_service.Service(tree.rules, rules_of, Journal())
    service.all()
    path = tree.cgroup("a", memory=not late)
    if late:
        service.changed()
        (path / "memory.current").write_text("0")
    monkeypatch.setenv("FAKE_REFUSE", "list")
    service.again() if late else service.changed()
    assert service.due() == 0
    service.again()
    monkeypatch.delenv("FAKE_REFUSE")
    assert service.due() == 0 and tree.policies() == {}
    service.again()
    assert tree.policies() == {"a": "lru"} and service.due() is None


@pytest.mark.slow
def test_watch_attaches_the_object_that_it_took(tree: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one that lies there when a cgroup comes, which may be half written."""
    scratch = tree.folder / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    tree.cgroup("a1")
    tree.rule("1", "lru", "a*")
    with closing(apply_service.Service(tree.rules, rules_of, Journal())) as service:
        service.all()
        (tree.folder / "lru.bpf.o").write_text("half")
        tree.cgroup("a2")
        service.changed()
        assert tree.policies() == {"a1": "lru", "a2": "lru"}
        service.reload()
        assert tree.policies() == {"a1": "half", "a2": "half"}
    assert not [*scratch.iterdir()]


def test_watch_goes_alone(tree: World) -> None:
    assert tree.apply("--watch", "--dry-run").exit_code == 2
