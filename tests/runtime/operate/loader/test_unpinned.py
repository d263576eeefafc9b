"""What the journal is told of a policy that is attached: when it is attached, when it is gone, and what failed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loader_types import Build


@pytest.fixture(scope="module")
def unpinned(build: Build) -> Path:
    return build("unpinned_policy")


def test_it_lives_with_the_process(unpinned: Path, tmp_path: Path) -> None:
    """The first entry comes before what is printed, so it is there however the loader ends."""
    folder = tmp_path / "cgroup"
    folder.mkdir()
    with subprocess.Popen(
        [unpinned, folder, "attached"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == f"entry: attach-unpinned uncached on {folder}: 0\n"
        assert process.stdout.readline() == "uncached is attached\n"
        assert folder.exists()
        process.stdin.close()
        assert process.stdout.read() == f"the link is closed\nentry: detach-unpinned uncached on {folder}: 0\n"
    assert process.returncode == 0 and not folder.exists()


def test_cgroups_below_go_too(unpinned: Path, tmp_path: Path) -> None:
    """The command may have made them: a container, or fio with a cgroup for each job."""
    folder = tmp_path / "cgroup"
    (folder / "job" / "part").mkdir(parents=True)
    (folder / "other").mkdir()
    done = subprocess.run(
        [unpinned, folder, "attached"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and not folder.exists(), done


def test_detach_that_fails(unpinned: Path, tmp_path: Path) -> None:
    """The cgroup cannot be removed: a folder with a file in it is not empty."""
    (tmp_path / "file").touch()
    done = subprocess.run(
        [unpinned, tmp_path, "attached"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "cannot remove the cgroup" in done.stderr, done
    assert done.stdout.splitlines()[-1] == f"entry: detach-unpinned uncached on {tmp_path}: -1"


def test_attach_that_fails(unpinned: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [unpinned, tmp_path, "refused"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, f"entry: attach-unpinned uncached on {tmp_path}: -1\n"), done
