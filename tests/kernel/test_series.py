"""kernel/series: the series is whole, in order, and its base stands without its extensions.

`tests/kernel/run --kselftest` applies it to Debian's source.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CORES = ("cache_ext", "prefetch_ext")
ROOMS = ("policy_ext", *CORES)
SELFTESTS = "tools/testing/selftests/cache_ext"
# What the series makes from nothing. The rest changes the kernel's own files.
NEW = (
    "mm/policy_ext",
    "mm/cache_ext",
    "mm/prefetch_ext",
    SELFTESTS,
    "include/linux/cache_ext.h",
    "include/linux/prefetch_ext.h",
    "Documentation/mm/cache_ext.rst",
    "Documentation/mm/prefetch_ext.rst",
)
SWITCHES = {
    "HIERARCHY": None,
    "ADMIT": "admit.c",
    "PIN": "pin.c",
    "TICK": "tick.c",
    "RECLAIM": "wanted.c",
    "SELECT": "select.c",
}
CHANGED = re.compile(r"^diff --git a/(\S+) b/\1$", re.MULTILINE)


def make(script: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([script, out], capture_output=True, text=True, check=False)


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True, env=environment).stdout


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("series")
    done = make(ROOT / "kernel/series", out)
    assert done.returncode == 0, done.stderr
    return out


def patches(series: Path) -> list[Path]:
    return sorted(series.glob("*.patch"))[1:]


@pytest.fixture(scope="module")
def trees(series: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """The new files, after each patch."""
    tree = tmp_path_factory.mktemp("tree")
    run("git", "init", "-q", cwd=tree)
    every = []
    for patch in patches(series):
        if any(path.startswith(NEW) for path in CHANGED.findall(patch.read_text())):
            run("git", "apply", *(f"--include={path}*" for path in NEW), patch, cwd=tree)
        files = (path for top in ("mm", "include", "tools", "Documentation") for path in (tree / top).rglob("*"))
        every.append({str(path.relative_to(tree)): path.read_text() for path in files if path.is_file()})
    return every


def test_mails_are_in_order(series: Path) -> None:
    mails = sorted(series.glob("*.patch"))
    total = len(mails) - 1
    for number, mail in enumerate(mails):
        text = mail.read_text()
        assert mail.name.startswith(f"{number:04}-")
        subject = re.search(r"^Subject: \[PATCH (\d+)/(\d+)\] (.+)$", text, re.MULTILINE)
        assert subject, mail
        assert (int(subject[1]), int(subject[2])) == (number, total)
        assert len(subject[3]) <= 75
        assert number == 0 or "\nSigned-off-by: cpol" in text.partition("\n---\n")[0]
        if number:
            assert f"  {subject[3]}\n" in mails[0].read_text()


def test_core_and_selftests_arrive_whole(trees: list[dict[str, str]]) -> None:
    last = trees[-1]
    for name in ROOMS:
        core = {Path(path).name: text for path, text in last.items() if path.startswith(f"mm/{name}/")}
        assert core == {path.name: path.read_text() for path in (ROOT / "kernel" / name).iterdir()}
    for folder in ("accepted", "refused", "prefetch/accepted", "prefetch/refused"):
        for path in (ROOT / "tests/kernel" / folder).iterdir():
            assert last[f"{SELFTESTS}/progs/{folder}/{path.name}"] == path.read_text()
    for script in ("guest-test", "guest-prefetch", "cache_ext.sh", "prefetch_ext.sh"):
        found = re.findall(r'^\. "\$\{0%/\*\}/(\S+)"$', last[f"{SELFTESTS}/{script}"], re.MULTILINE)
        assert found
        assert not [sourced for sourced in found if f"{SELFTESTS}/{sourced}" not in last]


def test_new_files_name_their_licence(trees: list[dict[str, str]]) -> None:
    for name, text in trees[-1].items():
        if not name.endswith(("/config", "/settings")):
            assert "SPDX-License-Identifier: " in "\n".join(text.splitlines()[:2]), name


def test_extension_arrives_with_its_own_patch(series: Path, trees: list[dict[str, str]]) -> None:
    """Its patch adds its option, its file and its blocks; nothing of these is there before."""
    for switch, source in SWITCHES.items():
        block = re.compile(rf"^#ifdef CONFIG_CACHE_EXT_{switch}$|\$\(CONFIG_CACHE_EXT_{switch}\)", re.MULTILINE)
        knows = [any(block.search(text) for text in tree.values()) for tree in trees]
        options = [f"config CACHE_EXT_{switch}\n" in tree.get("mm/cache_ext/Kconfig", "") for tree in trees]
        first = options.index(True)
        assert options == [False] * first + [True] * (len(trees) - first)
        assert knows == options
        if source:
            assert [f"mm/cache_ext/{source}" in tree for tree in trees] == options
            assert source.replace(".c", ".o") not in trees[first - 1]["mm/cache_ext/Makefile"]
        assert f"CACHE_EXT_{switch}" in sorted(series.glob("*.patch"))[0].read_text()


def test_documentation_names_switches_and_members(trees: list[dict[str, str]]) -> None:
    last = trees[-1]
    assert set(SWITCHES) == set(re.findall(r"^config CACHE_EXT_(?!DEBUG$)(\w+)$", last["mm/cache_ext/Kconfig"], re.M))
    page = last["Documentation/mm/cache_ext.rst"]
    assert not [switch for switch in SWITCHES if f"``CONFIG_CACHE_EXT_{switch}``" not in page]
    for core in CORES:
        ops = re.search(rf"^struct {core}_ops {{$(.*?)^}};$", last[f"mm/{core}/contract.h"], re.M | re.S)
        assert ops
        members = re.findall(r"\(\*(\w+)\)\(", ops[1])
        assert len(members) >= 9
        assert not [member for member in members if f"``{member}``" not in last[f"Documentation/mm/{core}.rst"]]


def test_blocks_are_balanced_at_each_step(trees: list[dict[str, str]]) -> None:
    for tree in trees:
        for name, text in tree.items():
            if name.endswith((".c", ".h")):
                opened = len(re.findall(r"^#\s*if", text, re.MULTILINE))
                assert opened == len(re.findall(r"^#\s*endif", text, re.MULTILINE)), name


def test_objects_have_their_sources(trees: list[dict[str, str]]) -> None:
    for tree in trees:
        for core in ROOMS:
            for name in re.findall(r"(\w+)\.o\b", tree.get(f"mm/{core}/Makefile", "")):
                assert name == core or f"mm/{core}/{name}.c" in tree


def test_bpf_gets_nothing_of_ours(series: Path) -> None:
    for patch in patches(series):
        for part in re.split(r"^(?=diff --git )", patch.read_text(), flags=re.MULTILINE)[1:]:
            if part.startswith(("diff --git a/kernel/bpf/", "diff --git a/include/linux/bpf")):
                assert not re.search(r"^\+.*(cache|prefetch)_ext", part, re.MULTILINE | re.IGNORECASE)


def test_maintainers_name_what_is_there(series: Path, trees: list[dict[str, str]]) -> None:
    named = re.findall(r"^\+F:\t(\S+)$", patches(series)[-1].read_text(), re.MULTILINE)
    assert sorted(name.rstrip("/") for name in named) == sorted(NEW)
    for name in named:
        assert any(path.startswith(name) for path in trees[-1])


def test_config_is_that_of_the_kernel_we_test(trees: list[dict[str, str]]) -> None:
    wanted = trees[-1][f"{SELFTESTS}/config"].split()
    assert set(wanted) <= set((ROOT / "kernel/config/base.config").read_text().splitlines())
    assert {f"CONFIG_CACHE_EXT_{switch}=y" for switch in SWITCHES} | {"CONFIG_PREFETCH_EXT=y"} <= set(wanted)


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("kernel/cache_ext/forgotten.c", "not all of the core is in the series"),
        ("kernel/policy_ext/forgotten.c", "not all of the core is in the series"),
        ("kernel/prefetch_ext/forgotten.c", "not all of the core is in the series"),
        ("kernel/patches/0099-mm-forgotten.patch", "not all of patches/ is in the series"),
    ],
)
def test_nothing_is_forgotten(tmp_path: Path, path: str, complaint: str) -> None:
    for folder in ("kernel", "tests/kernel", "runtime/machine/include"):
        shutil.copytree(ROOT / folder, tmp_path / "top" / folder, symlinks=True)
    (tmp_path / "top" / path).write_text("/* SPDX-License-Identifier: GPL-2.0 */\n")
    done = make(tmp_path / "top/kernel/series", tmp_path / "out")
    assert done.returncode == 1
    assert complaint in done.stderr


def test_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    done = make(ROOT / "kernel/series", tmp_path)
    assert (done.returncode, done.stderr) == (1, f"series: {tmp_path} is not empty\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
