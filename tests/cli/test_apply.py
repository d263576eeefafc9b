"""`cpolc apply` and `cpolc status` with a loader that needs no kernel, on a tree of folders in place of cgroups."""

from __future__ import annotations

import json

import fake_loader
import pytest
from apply_world import World, add_prefetcher, change_state


@pytest.mark.slow
def test_each_cgroup_gets_its_policy_once(tree: World) -> None:
    for name in ("a1", "a2", "b"):
        tree.cgroup(name)
    tree.rule("web", "lru", "a*", "set = n=1\ninput = hot=/x\ninput-group = daemon")
    done = tree.apply()
    assert done.exit_code == 0 and "2 changed, 0 as they should be, 0 failed" in done.output, done.output
    assert tree.policies() == {"a1": "lru", "a2": "lru"}
    options = fake_loader.attached(tree.folder)["a1"]["options"]
    assert options[:6] == ["--set", "n=1", "--input", "hot=/x", "--input-group", "daemon"]
    before = tree.changes()
    done = tree.apply()
    assert done.exit_code == 0 and "0 changed, 2 as they should be" in done.output
    assert tree.changes() == before


@pytest.mark.slow
@pytest.mark.parametrize("change", ["object", "setting", "policy"])
def test_what_changed_is_replaced(tree: World, change: str) -> None:
    tree.cgroup("a")
    tree.rule("web", "lru", "a")
    assert tree.apply().exit_code == 0
    if change == "object":
        (tree.folder / "lru.bpf.o").write_text("lru ")
    else:
        tree.rule("web", "lfu" if change == "policy" else "lru", "a", "set = n=2" if change == "setting" else "")
    done = tree.apply()
    assert "replace" in done.output and "1 changed" in done.output
    assert "--replace" in tree.changes()[-1]
    assert "1 as they should be" in tree.apply().output


@pytest.mark.slow
def test_a_quota_with_a_policy_or_alone(tree: World) -> None:
    for name in ("a", "b"):
        tree.cgroup(name)
    text = (
        f"[one]\nquota = 200M\ncgroup = {tree.cgroups}/a\n[two]\npolicy = fifo\nquota = 1G\ncgroup = {tree.cgroups}/b\n"
    )
    (tree.rules / "quotas.conf").write_text(text)
    assert "2 changed" in tree.apply().output
    made = fake_loader.attached(tree.folder)
    assert [made[name]["options"][:2] for name in ("a", "b")] == [
        ["--set", "limit=51200"],
        ["--set", "quota_pages=262144"],
    ]
    assert "2 as they should be" in tree.apply().output
    (tree.rules / "quotas.conf").write_text(text.replace("200M", "100M"))
    assert "1 changed, 1 as they should be" in tree.apply().output


@pytest.mark.slow
def test_what_no_rule_names_any_more_is_detached(tree: World) -> None:
    tree.cgroup("a"), tree.cgroup("b")
    tree.rule("web", "lru", "?")
    assert tree.apply().exit_code == 0
    tree.rule("zz", "none", "b")
    assert "says none" in tree.apply().output and tree.policies() == {"a": "lru"}
    (tree.rules / "web.conf").unlink()
    assert "no rule names the cgroup" in tree.apply().output and tree.policies() == {}
    tree.rule("web", "lru", "?")
    assert tree.apply().exit_code == 0 and tree.policies() == {"a": "lru"}
    assert tree.apply("--detach").exit_code == 0 and tree.policies() == {}


@pytest.mark.parametrize(
    ("typo", "said"),
    [
        ("s3fif", "did you mean `s3fifo`?"),
        ("s3-fifo", "did you mean `s3fifo`?"),
        ("xyzzy", "`cpolc stdlib list` shows"),
    ],
)
def test_a_typo_names_the_nearest_policy(tree: World, typo: str, said: str) -> None:
    tree.cgroup("a")
    (tree.rules / "web.conf").write_text(f"[web]\npolicy = {typo}\ncgroup = {tree.cgroups}/a\n")
    done = tree.apply()
    assert done.exit_code == 1 and f"web.conf:1: `{typo}` is not in the standard library; {said}" in done.stderr
    assert len(done.stderr) < 250 and tree.policies() == {}


@pytest.mark.slow
def test_policies_of_others_stay(tree: World) -> None:
    path = tree.cgroup("a")
    assert tree.run("attach", str(tree.folder / "lfu.bpf.o"), str(path)).exit_code == 0
    tree.rule("web", "lru", "a")
    done = tree.apply()
    assert done.exit_code == 0 and "lfu was attached by another command; --take-over replaces it" in done.output
    assert tree.policies() == {"a": "lfu"}
    assert tree.apply("--detach").exit_code == 0 and tree.policies() == {"a": "lfu"}
    assert tree.apply("--take-over").exit_code == 0 and tree.policies() == {"a": "lru"}


@pytest.mark.slow
def test_policy_that_was_overruled_is_not_attached_again(tree: World) -> None:
    """It would end in the same way. Another object gets its turn, and so does what a killed command broke off."""
    tree.cgroup("a")
    tree.rule("web", "lru", "a")
    assert tree.apply().exit_code == 0
    before = tree.changes()
    change_state(tree, "a", state="overruled", exit="watchdog", message="starves")
    assert tree.apply().exit_code == 0 and tree.changes() == before
    change_state(tree, "a", state="broken off")
    assert "a killed command left it" in tree.apply().output and "--replace" in tree.changes()[-1]
    change_state(tree, "a", state="overruled")
    (tree.folder / "lru.bpf.o").write_text("lru  ")
    assert "1 changed" in tree.apply().output


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
def test_policy_of_others_stays_in_each_state(tree: World, state: str, tag: str, stays: bool) -> None:
    """Who attached it by hand mends it, and a trial rolls back. Only what a killed command left is nobody's."""
    path = tree.cgroup("a")
    assert tree.run("attach", str(tree.folder / "lfu.bpf.o"), str(path)).exit_code == 0
    change_state(tree, "a", state=state, tag=tag)
    tree.rule("web", "lru", "a")
    done = tree.apply()
    assert done.exit_code == 0 and tree.policies() == {"a": "lfu" if stays else "lru"}, done.output
    assert ("--take-over replaces it" in done.output) == stays
    assert tree.apply("--take-over").exit_code == 0 and tree.policies() == {"a": "lru"}


def test_cgroup_that_came_again_gets_it_again(tree: World) -> None:
    tree.cgroup("a")
    tree.rule("web", "lru", "a")
    assert tree.apply().exit_code == 0
    tree.remove("a")
    tree.cgroup("a")
    done = tree.apply()
    assert "lru is detached" in done.output and "attach   " in done.output
    assert fake_loader.attached(tree.folder)["a"]["cgroup"] == (tree.cgroups / "a").stat().st_ino


@pytest.mark.slow
def test_dry_run_tries_and_changes_nothing(tree: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        tree.cgroup(name)
    tree.rule("1", "lru", "[ac]")
    assert tree.apply().exit_code == 0
    tree.rule("1", "lru", "[ab]", "set = n=1")
    state, before = (tree.folder / "state").read_text(), len(tree.changes())
    done = tree.apply("--dry-run")
    assert done.exit_code == 0 and "3 would be changed, 0 as they should be, 0 failed" in done.output, done.output
    assert [line.split()[0] for line in done.output.splitlines()[:3]] == ["replace", "attach", "detach"]
    assert (tree.folder / "state").read_text() == state
    tried = tree.changes()[before:]
    assert len(tried) == 2 and all("--dry-run" in words for words in tried)
    monkeypatch.setenv("FAKE_REFUSE", "lru")
    done = tree.apply("--dry-run")
    assert done.exit_code == 1 and done.output.count("would fail: the verifier refuses lru") == 2


def test_one_failure_leaves_the_others(tree: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.cgroup("a"), tree.cgroup("b")
    tree.rule("1", "lru", "a")
    tree.rule("2", "lfu", "b")
    monkeypatch.setenv("FAKE_REFUSE", "lru")
    done = tree.apply()
    assert done.exit_code == 1 and "failed: the verifier refuses lru" in done.output
    assert tree.policies() == {"b": "lfu"}
    assert f"{tree.rules}/1.conf:1" in done.output


def test_nothing_changes_if_a_file_is_wrong(tree: World) -> None:
    tree.cgroup("a")
    tree.rule("1", "lru", "a")
    (tree.rules / "2.conf").write_text("[x]\npolicy = lru\ncgroup = nowhere\n")
    done = tree.apply()
    assert done.exit_code == 1 and "2.conf:3:10: " in done.output, done.output
    (tree.rules / "2.conf").write_text("[x]\npolicy = no_such\nunit = a.service\n")
    done = tree.apply()
    assert done.exit_code == 1 and "2.conf:1: " in done.output and "no_such" in done.output
    (tree.rules / "2.conf").write_text("[x]\npolicy = /no/such.bpf.o\nunit = a.service\n")
    done = tree.apply()
    assert done.exit_code == 1 and "2.conf:1: no such object" in done.output
    assert tree.policies() == {} and not tree.changes()


def test_a_path_that_cannot_be_looked_at_names_its_rule(tree: World) -> None:
    (tree.rules / "long.conf").write_text(
        f"[long]\npolicy = {tree.folder}/{'n' * 300}.cpol\ncgroup = {tree.cgroups}/*\n"
    )
    result = tree.apply()
    assert result.exit_code == 1
    assert "long.conf:1: the policy" in result.output and "nothing was changed" in result.output
    assert "File name too long" in result.output
    assert tree.changes() == []


@pytest.mark.slow
def test_policy_that_prefetches_beside_stays(tree: World) -> None:
    path = tree.cgroup("a")
    tree.rule("1", "lru", "a")
    assert tree.apply().exit_code == 0
    tag = fake_loader.attached(tree.folder)["a"]["tag"]
    add_prefetcher(tree, "a")
    assert "1 as they should be" in tree.apply().output
    done = tree.apply("--detach")
    assert done.exit_code == 0 and tree.policies() == {"a": "ahead"}, done.output
    assert tree.changes()[-1] == ["detach", "--tag", tag, "--id", str(path.stat().st_ino)]


@pytest.mark.slow
def test_prefetcher_of_a_rule_goes_alone(tree: World) -> None:
    tree.cgroup("a")
    tree.rule("1", "lru", "a")
    assert tree.apply().exit_code == 0
    change_state(tree, "a", kind="prefetch")
    tag = fake_loader.attached(tree.folder)["a"]["tag"]
    assert tree.apply("--detach").exit_code == 0
    number = str((tree.cgroups / "a").stat().st_ino)
    assert tree.changes()[-1] == ["detach", "--prefetch", "--tag", tag, "--id", number] and tree.policies() == {}


def test_json(tree: World) -> None:
    path = tree.cgroup("a")
    tree.rule("1", "lru", "a")
    done = tree.apply("--json")
    assert json.loads(done.stdout) == [
        {
            "cgroup": str(path), "id": path.stat().st_ino, "action": "attach", "policy": f"{tree.folder}/lru.bpf.o",
            "why": "it has no policy", "rule": f"{tree.rules}/1.conf:1", "error": None,
        }
    ]  # fmt: skip
