"""`list --all` shows policies of both kinds that have ended in the order of their ends. The statistics are made up."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from loader_types import Build

from cpol.runtime.loader import program


@pytest.fixture(scope="module")
def list_all(build: Build) -> Path:
    """list_all.c has pins, statistics and rights of its own, which the linker takes first."""
    units = (path.stem for path in program.HERE.glob("*.c") if path.stem != "main")
    return build("list_all", *units, libraries=(*program.LIBRARIES, "-Wl,--allow-multiple-definition"))


def ended(name: str, at: int) -> str:
    return f'cgroup=7 name={name} state=ended exit=unreg code=0 message="" ended_ms={at}\n'


def test_those_that_ended_come_by_time(list_all: Path, tmp_path: Path) -> None:
    evict, prefetch = tmp_path / "evict", tmp_path / "prefetch"
    evict.write_text("cgroup=8 name=lfu state=attached\n" + ended("first", 10) + ended("third", 30))
    prefetch.write_text(ended("second", 20) + ended("fourth", 40))
    done = subprocess.run([list_all, evict, prefetch], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = [(one["policy"], one["kind"]) for one in json.loads(done.stdout)]
    assert shown == [
        ("lfu", "evict"), ("first", "evict"), ("second", "prefetch"), ("third", "evict"), ("fourth", "prefetch"),
    ]  # fmt: skip
