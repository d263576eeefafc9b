"""libcpol, with sanitizers, over plain files: versions, writers, readers that run meanwhile, hostile headers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from app_world import World

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["versions", "waits", "whole", "writers", "forked", "unsettled", "hostile"])
def test_in_c(program: Path, world: World, name: str) -> None:
    folder = world.attach(world.own)
    world.array(folder, "degree")
    done = subprocess.run(
        [program, name], env=world.environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_each_publish_waits_once(program: Path, world: World) -> None:
    folder = world.attach(world.own)
    world.array(folder, "degree")
    subprocess.run([program, "versions"], env=world.environment(), check=True)
    assert (folder / "cpol_sync_degree").read_bytes() == b"ww"
