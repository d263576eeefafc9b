"""/etc/cpol.d: what its files mean, and the place of each mistake in them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cpol.runtime.operate.apply import config
from cpol.runtime.operate.apply.cgroups import Cgroup, rule_of, walk
from cpol.runtime.operate.apply.config import ConfigError, Rule, parse, read_folder
from cpol.runtime.operate.apply.watch import Watch

PATH = Path("/etc/cpol.d/web.conf")
WHOLE = """\
# the shop
[web]
policy = s3fifo
unit = nginx.service
unit=web-*.service
  cgroup = /sys/fs/cgroup/shop/*/
set = threshold=1
input = hot=/srv/shop/orders,/srv/a file
input-group = www-data
; and one that gets none
[quiet]
policy = none
cgroup = /sys/fs/cgroup/shop/log
"""


def test_sections_become_rules() -> None:
    web, quiet = parse(WHOLE, PATH)
    assert web == Rule(
        PATH, 2, "web", "s3fifo", ("shop/*",), ("nginx.service", "web-*.service"), ("threshold=1",),
        ("hot=/srv/shop/orders,/srv/a file",), "www-data",
    )  # fmt: skip
    assert quiet == Rule(PATH, 11, "quiet", "none", ("shop/log",))
    assert web.where == "/etc/cpol.d/web.conf:2"


def test_a_quota_is_a_param_of_its_policy() -> None:
    text = "[one]\nquota = 200M\ncgroup = /sys/fs/cgroup/a\n"
    own, other = parse(f"{text}[two]\npolicy = s3fifo\nquota = 512\nset = share=0.2\nunit = b.service\n", PATH)
    assert (own.policy, own.quota, own.quota_to_add, own.all_settings) == ("quota", 51200, None, ("limit=51200",))
    assert (other.quota_to_add, other.all_settings) == (512, ("quota_pages=512", "share=0.2"))


HEAD = "[a]\npolicy = lru\n"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("policy = lru\n", "1:1", "in no section"),
        ("\n  [a\n", "2:3", "a section's head is [NAME]"),
        ("[]\n", "1:1", "a section's head"),
        ("[a]\nfoo = 1\n", "2:1", "there is no key `foo`; the keys are `policy`"),
        ("[a]\npolciy = lru\n", "2:1", "there is no key `polciy`; did you mean `policy`?"),
        ("[a]\n policy\n", "2:2", "`policy` has no value"),
        ("[a]\npolicy =\n", "2:9", "has no value"),
        (HEAD + "policy = lfu\n", "3:1", "was given before in this section"),
        ("[a]\npolicy = ./x.cpol\ncgroup = /sys/fs/cgroup/a\n", "2:10", "name a file by its whole path"),
        ("[a]\npolicy = /x/y\ncgroup = /sys/fs/cgroup/a\n", "2:10", "its name ends with .cpol or .bpf.o"),
        ("[a]\ncgroup = /sys/fs/cgroup/a\n", "1:1", "names no policy"),
        (HEAD, "1:1", "names no cgroup"),
        (HEAD + "cgroup = /tmp/a\n", "3:10", "is no cgroup; write /sys/fs/cgroup/NAME"),
        (HEAD + "cgroup = /sys/fs/cgroup/\n", "3:10", "is no cgroup"),
        (HEAD + "cgroup = /sys/fs/cgroup/a/../b\n", "3:10", "no `.` or `..`"),
        (HEAD + "cgroup = /sys/fs/cgroup/**/b\n", "3:10", "`**` is not known here"),
        (HEAD + "unit = nginx\n", "3:8", "end with .service, .slice, .scope"),
        (HEAD + "unit = a/b.service\n", "3:8", "write its name alone"),
        (HEAD + "set = a = 1\n", "3:7", "is not NAME=VALUE"),
        (HEAD + "input = a\n", "3:9", "is not NAME=VALUE"),
        (HEAD + "input-group = a b\n", "3:15", "is no group"),
        (HEAD + "set = a=\x1b[2J\n", "3:7", "cannot be printed"),
        ("[a]\npolicy = none\ncgroup = /sys/fs/cgroup/a\nset = b=1\n", "1:1", "takes no settings"),
        (HEAD + "quota = much\n", "3:9", "is no size of a quota; write 200M"),
        (HEAD + "quota = 0.5\n", "3:9", "0.5 is no whole number of pages; write 200M"),
        (HEAD + "quota = 1K\n", "3:9", "1K is less than one page of 4 KiB"),
        (HEAD + "quota = -1\n", "3:9", "-1 is less than 0"),
        (HEAD + "quota = 9P\n", "3:9", "9P is too large"),
        (HEAD + "quota = 200M # mine\n", "3:14", "a comment stands on a line of its own; move `# mine` there"),
        (HEAD + "quota = 200M ; mine\n", "3:14", "move `; mine` there"),
        (HEAD + "set = a=1 # mine\n", "3:11", "move `# mine` there"),
        (HEAD + "unit = a.service # mine\n", "3:18", "move `# mine` there"),
        (HEAD + "cgroup = /sys/fs/cgroup/a # b\n", "3:27", "write ? for the character"),
        ("[a]\npolicy = none\ncgroup = /sys/fs/cgroup/a\nquota = 1G\n", "1:1", "has `quota`, but policy = none"),
        ("[a]\npolicy = /a.bpf.o\ncgroup = /sys/fs/cgroup/a\nquota = 1G\n", "1:1", "name its .cpol file"),
        ("[a]\ncgroup = /sys/fs/cgroup/a\nquota = 1G\nset = limit=5\n", "1:1", "remove the line set = limit=…"),
        (HEAD + "cgroup = /sys/fs/cgroup/a\nquota = 1G\nset = quota_pages=5\n", "1:1", "sets quota_pages"),
    ],
)
def test_mistakes_have_their_place(text: str, place: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, PATH)
    assert str(caught.value).startswith(f"{PATH}:{place}: ") and said in str(caught.value)


def test_folder_is_read_in_order(tmp_path: Path) -> None:
    for name, policy in (("20-b.conf", "lfu"), ("10-a.conf", "lru"), (".hidden.conf", "x!"), ("c.conf.bak", "x!")):
        (tmp_path / name).write_text(f"[a]\npolicy = {policy}\ncgroup = /sys/fs/cgroup/a\n")
    assert [rule.policy for rule in read_folder(tmp_path)] == ["lru", "lfu"]


def test_a_folder_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong word for --config must not mean that no cgroup has a rule: all policies would be detached."""
    with pytest.raises(ConfigError, match=r"there is no folder .*missing; name the one"):
        read_folder(tmp_path / "missing")
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    monkeypatch.setattr(config, "FOLDER", tmp_path / "link")
    for name in ("link", "loop"):
        with pytest.raises(ConfigError, match="there is no folder"):
            read_folder(tmp_path / name)
    monkeypatch.setattr(config, "FOLDER", tmp_path / "missing")
    assert read_folder(tmp_path / "missing") == []


@pytest.mark.slow
def test_cgroups_as_deep_as_a_user_may_nest_them(tmp_path: Path) -> None:
    """More of them than Python's stack has frames, with paths that are longer than the kernel takes at the end."""
    here = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(2100):
        os.mkdir("dd", dir_fd=here)
        there = os.open("dd", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = there
    os.close(here)
    (tmp_path / "e" / "f").mkdir(parents=True)
    found = [*walk(tmp_path)]
    assert [one.parts for one in found[-2:]] == [("e",), ("e", "f")]
    assert len(found) > 1200 and [len(one.parts) for one in found[:-2]] == [*range(1, len(found) - 1)]
    watch = Watch(tmp_path)
    (tmp_path / "e" / "g").mkdir()
    assert watch.wait(5)
    watch.close()
    subprocess.run(["rm", "-r", tmp_path / "dd"], check=True)  # shutil.rmtree recurses


def test_files_that_others_can_write_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text(HEAD + "unit = a.service\n")
    (tmp_path / "a.conf").chmod(0o666)
    with pytest.raises(ConfigError, match=r"other users can write to .*a\.conf"):
        read_folder(tmp_path)
    (tmp_path / "a.conf").chmod(0o644)
    tmp_path.chmod(0o777)
    with pytest.raises(ConfigError, match="other users can write to"):
        read_folder(tmp_path)


def test_text_that_is_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_bytes(b"[a]\n# \xff\n")
    with pytest.raises(ConfigError, match=r"a\.conf:2:3: the file is not UTF-8"):
        read_folder(tmp_path)


def test_units_are_those_of_the_system(tmp_path: Path) -> None:
    """Whoever owns a delegated cgroup names those below it, and must not get a policy that way."""
    user = "user.slice/user-1.slice/user@1.service"
    for name in (
        "web.slice/web-a.slice/nginx.service",
        f"{user}/nginx.service",
        "_memory.service",
        "shop/nginx.service",
    ):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "web.slice" / "memory.max").write_text("max")
    units = {"/".join(one.parts): one.unit for one in walk(tmp_path)}
    assert units["web.slice/web-a.slice/nginx.service"] == "nginx.service"
    assert units["web.slice/web-a.slice"] == "web-a.slice"
    assert units["_memory.service"] == "memory.service"
    assert units[user] == "user@1.service"
    assert units[f"{user}/nginx.service"] is units["shop/nginx.service"] is None
    assert units["shop"] is None  # plain, and no unit is called so


def test_last_rule_decides() -> None:
    rules = parse(WHOLE, PATH)

    def at(*parts: str) -> str | None:
        rule = rule_of(Cgroup("", parts, 1), rules)
        return rule and rule.name

    assert at("shop", "db") == "web" and at("shop", "log") == "quiet"
    assert at("shop") is at("shop", "db", "x") is at("other") is None
    assert at("system.slice", "web-1.service") == at("nginx.service") == "web"
    assert at("system.slice", "docker.service", "nginx.service") is None
