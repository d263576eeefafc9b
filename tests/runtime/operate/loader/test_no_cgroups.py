"""Where no cgroup2 hierarchy is mounted, messages say so, and how to mount it; they do not blame the path."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cpol.errors import UserError
from cpol.runtime.operate.apply.cgroups import TO_MOUNT, check_mounted
from cpol.runtime.operate.loader import program

LOADER = Path(program.__file__).parent
WITHOUT = "for at in $(awk '/ - cgroup2 / { print $5 }' /proc/self/mountinfo); do umount -l $at; done; exec \"$@\""


def test_the_loader_says_the_same() -> None:
    text = (LOADER / "system" / "cgroup.c").read_text()
    macro = re.search(r"#define TO_MOUNT ((?:.*\\\n)*.*)", text)
    assert macro is not None and "".join(re.findall(r'"(.*?)"', macro[1])) == TO_MOUNT


def test_a_tree_of_a_test_is_not_asked_for_mounts(tmp_path: Path) -> None:
    check_mounted(tmp_path)


@pytest.mark.parametrize("mounted", [True, False])
def test_mounts_are_read(mounted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "35 30 0:31 / /sys/fs/cgroup rw,nosuid shared:15 - cgroup2 cgroup2 rw\n" if mounted else ""
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: f"22 28 0:21 / /sys rw - sysfs sysfs rw\n{line}")
    if mounted:
        check_mounted(Path("/sys/fs/cgroup"))
        return
    with pytest.raises(UserError, match="mount -t cgroup2"):
        check_mounted(Path("/sys/fs/cgroup"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("quota", "/sys/fs/cgroup/app", "200M"),
        ("attach", "mru", "/sys/fs/cgroup/app"),
        ("attach", "mru", "/tmp"),
        ("observe", "/sys/fs/cgroup/app"),
        ("record", "/sys/fs/cgroup/app", "-o", "app.rec"),
        ("stat", "/sys/fs/cgroup/app"),
        ("status", "/sys/fs/cgroup/app"),
    ],
    ids=" ".join,
)
def test_commands_say_how_to_mount_it(words: tuple[str, ...], tmp_path: Path) -> None:
    command = ("unshare", "--mount", "sh", "-c", WITHOUT, "sh", sys.executable, "-m", "cpol.cli.main", *words)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and f": {TO_MOUNT}\n" in done.stderr, done.stderr
    assert [*tmp_path.iterdir()] == []
