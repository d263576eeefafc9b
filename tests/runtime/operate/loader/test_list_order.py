"""`list --all` shows policies of both kinds that have ended in the order of their ends. The statistics are made up.

Where pins cannot be read or repaired, it shows what is left and fails, and so does `stat --all`.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from loader_types import Build


@pytest.fixture(scope="module")
def list_all(build: Build) -> Path:
    """It has pins, statistics and rights of its own, which the linker takes first."""
    return build("list_all")


def ended(name: str, at: int) -> str:
    return f'cgroup=7 name={name} state=ended exit=unreg code=0 message="" ended_ms={at}\n'


def test_those_that_ended_come_by_time(list_all: Path, tmp_path: Path) -> None:
    evict, prefetch = tmp_path / "evict", tmp_path / "prefetch"
    evict.write_text("cgroup=8 name=lfu state=attached\n" + ended("first", 10) + ended("third", 30))
    prefetch.write_text(ended("second", 20) + ended("fourth", 40))
    done = subprocess.run([list_all, evict, prefetch, "list"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = [(one["policy"], one["kind"]) for one in json.loads(done.stdout)]
    assert shown == [
        ("lfu", "evict"), ("first", "evict"), ("second", "prefetch"), ("third", "evict"), ("fourth", "prefetch"),
    ]  # fmt: skip


@pytest.mark.parametrize(("command", "missing"), [("list", "some"), ("stat", "some"), ("stat", "all")])
def test_what_is_missing_is_a_failure(list_all: Path, tmp_path: Path, command: str, missing: str) -> None:
    evict, prefetch = tmp_path / "evict", tmp_path / "prefetch"
    evict.write_text(ended("first", 10))
    prefetch.write_text("")
    words = [str(word) for word in (list_all, evict, prefetch, command)]
    whole = subprocess.run(words, capture_output=True, text=True, check=True)
    done = subprocess.run([*words, missing], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, whole.stdout) and "first" in done.stdout
    assert ("cannot lock the pins" in done.stderr) == (missing == "all")


@pytest.mark.long
def test_repair_that_fails(build: Build, tmp_path: Path) -> None:
    for name in ("7", "7_new", "8", "8_new", "9"):
        (tmp_path / name).mkdir()
    list_pins = build("list_pins")
    done = subprocess.run([list_pins, tmp_path, "8_new"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "7\n8\n9\n")
    assert "cannot remove /sys/fs/bpf/cpol/8_new" in done.stderr
    done = subprocess.run([list_pins, tmp_path, ""], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n8\n9\n", "")
