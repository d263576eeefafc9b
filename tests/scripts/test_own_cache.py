"""kernel/own-cache.sh: kernels and modules are taken only from a cache that no other user could have written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = 'die() { echo "$*" >&2; exit 1; }; . "$0"; own_cache "$@"'
NOBODY = 65534


def own_cache(*words: Path) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euc", SCRIPT, str(ROOT / "kernel/own-cache.sh"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """An entry of a cache, with one file."""
    made = tmp_path / "kernel" / "0123"
    made.mkdir(parents=True, mode=0o755)
    (made / "bzImage").write_bytes(b"")
    (made / "bzImage").chmod(0o644)
    return made


def test_own_entry_is_taken(entry: Path):
    done = own_cache(entry.parent, entry)
    assert (done.returncode, done.stderr) == (0, "")


def test_missing_entry_makes_the_folder(tmp_path: Path):
    assert own_cache(tmp_path / "new" / "kernel", tmp_path / "new" / "kernel" / "0123").returncode == 0
    assert (tmp_path / "new" / "kernel").is_dir()


@pytest.mark.parametrize("name", [".", "0123", "0123/bzImage"])
def test_writable_by_others_is_refused(entry: Path, name: str):
    path = entry.parent / name
    path.chmod(path.stat().st_mode | 0o002)
    done = own_cache(entry.parent, entry)
    assert done.returncode == 1
    assert "another user owns" in done.stderr
    assert "CPOL_CACHE=" in done.stderr


def test_symbolic_link_is_refused(entry: Path):
    (entry / "bzImage").rename(entry.parent / "elsewhere")
    (entry / "bzImage").symlink_to(entry.parent / "elsewhere")
    assert own_cache(entry.parent, entry).returncode == 1


@pytest.mark.parametrize("name", [".", "0123", "0123/bzImage"])
def test_planted_by_another_user_is_refused(entry: Path, name: str):
    assert os.geteuid() == 0, "make setup asks for root; this test needs it to give a file away"
    os.chown(entry.parent / name, NOBODY, NOBODY)
    done = own_cache(entry.parent, entry)
    assert done.returncode == 1
    assert "another user owns" in done.stderr


@pytest.mark.parametrize("name", ["a blank", "a:colon"])
def test_a_path_that_the_kernels_makefiles_split_is_refused(tmp_path: Path, name: str):
    done = own_cache(tmp_path / name / "kernel")
    assert done.returncode == 1
    assert "has a blank or a colon in its name" in done.stderr and "CPOL_CACHE=" in done.stderr
    assert not (tmp_path / name).exists()
