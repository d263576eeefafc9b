"""`cpolc status`, on a tree of folders in place of cgroups."""

from __future__ import annotations

import json

import pytest
from apply_world import World, add_prefetcher, change_state


@pytest.mark.slow
def test_status_of_a_unit(tree: World) -> None:
    path = tree.cgroup("web.slice/nginx.service")
    tree.rule("1", "lru", "web.slice/nginx.service")
    words = ("--config", str(tree.rules))
    done = tree.run("status", "nginx", *words)
    assert done.exit_code == 1 and "policy    none" in done.output and "[1] " in done.output
    assert tree.apply().exit_code == 0
    (path / "policy.stat").write_text('{"hits": 1234, "misses": 5}')
    done = tree.run("status", "nginx", *words)
    assert done.exit_code == 0, done.output
    for line in (f"cgroup    {path}", "unit      nginx.service", "policy    lru", "hits      1,234"):
        assert line in done.output
    assert "attached  by cpolc apply, 0 s ago" in done.output
    facts = json.loads(tree.run("status", str(path), "--json", *words).stdout)
    assert facts["state"] == "attached" and facts["statistics"] == {"hits": 1234, "misses": 5}
    assert facts["rule"]["where"] == f"{tree.rules}/1.conf:1"
    change_state(tree, "nginx.service", state="overruled", exit="watchdog", message="starves")
    done = tree.run("status", "nginx.service", *words)
    assert done.exit_code == 1 and "overruled (watchdog: starves)" in done.output
    done = tree.run("status", "apache", *words)
    assert done.exit_code == 1 and "the unit apache.service has no cgroup" in done.output
    assert "there is no cgroup /nowhere" in tree.run("status", "/nowhere", *words).output


def test_status_takes_cgroups_only(tree: World) -> None:
    """The number of another folder's or file's inode may be that of a cgroup."""
    tree.cgroup("a")
    outside = tree.folder / "outside"
    outside.mkdir()
    (outside / "cgroup.procs").write_text("")
    (tree.cgroups / "folder").mkdir()
    for word in ("../outside", "a/../../outside", "a/../a", "a/memory.current", "folder"):
        done = tree.run("status", f"{tree.cgroups}/{word}", "--config", str(tree.rules))
        assert done.exit_code == 1 and f"there is no cgroup {tree.cgroups}/{word}" in done.output, done.output
    assert "policy    none" in tree.run("status", f"{tree.cgroups}/a", "--config", str(tree.rules)).output


@pytest.mark.slow
def test_status_has_the_statistics_of_the_policy_that_it_shows(tree: World) -> None:
    """Not of one that ended before, nor of the one beside it that evicts or prefetches."""
    path = tree.cgroup("a")
    tree.rule("1", "lru", "a")
    assert tree.apply().exit_code == 0
    add_prefetcher(tree, "a")
    number = path.stat().st_ino
    evicts = {"path": str(path), "cgroup": number, "name": "lru", "state": "attached", "hits": 1}
    prefetches = {**evicts, "kind": "prefetch", "hits": 2}
    ended = {**evicts, "state": "ended", "exit": "replaced", "held": False, "hits": 3}
    (tree.folder / "state.stat").write_text(json.dumps([ended, prefetches, evicts]))

    def hits() -> int:
        return int(json.loads(tree.run("status", str(path), "--json").stdout)["statistics"]["hits"])

    assert hits() == 1
    policies = json.loads((tree.folder / "state").read_text())
    one, beside = policies[str(number)], policies["beside"]
    one["tag"], beside["tag"] = "", one["tag"]  # `cpolc apply` attached the other one
    (tree.folder / "state").write_text(json.dumps(policies))
    assert hits() == 2
