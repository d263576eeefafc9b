"""`stat` and `list` show all of a policy's name. The kernel keeps 15 characters of it. The statistics are made up."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from loader_types import Build

LONGEST = "n" * 64
KERNEL_KEEPS = 15


@pytest.fixture(scope="module")
def whole_name(build: Build) -> Path:
    """whole_name.c has pins, a manifest and statistics of its own, which the linker takes first."""
    return build("whole_name")


def names(whole_name: Path, command: str, key: str, kept: str, manifest: str) -> dict[int, str]:
    """The names by cgroup. Cgroup 8 has a policy without pins."""
    file = whole_name.with_name("statistics")
    file.write_text(
        "".join(f"cgroup={cgroup} name={name} state=attached\n" for cgroup, name in ((7, kept), (8, "random_access2_")))
    )
    done = subprocess.run([whole_name, command, file, manifest], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return {one["cgroup"]: one[key] for one in json.loads(done.stdout)}


@pytest.mark.parametrize(("command", "key"), [("stat", "name"), ("list", "policy")])
@pytest.mark.parametrize("name", ["fifo", "wtinylfu_adaptive", LONGEST])
def test_all_of_the_name(whole_name: Path, command: str, key: str, name: str) -> None:
    assert names(whole_name, command, key, name[:KERNEL_KEEPS], name) == {7: name, 8: "random_access2_"}


def test_a_manifest_of_another_policy_names_none(whole_name: Path) -> None:
    """Pins may be older than what governs: another program attached that."""
    assert names(whole_name, "stat", "name", "fifo", "lfu")[7] == "fifo"
