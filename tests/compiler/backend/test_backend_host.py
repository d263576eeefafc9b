"""Building a simulator: the cache, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from irs import FIFO, with_body

from cpol.compiler.backend import host
from cpol.runtime.native import Simulator


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_one_build_for_one_text(folder: Path) -> None:
    first = host.build(FIFO)
    stamp = first.stat().st_mtime_ns
    assert first.parent == folder / "sim"
    assert host.build(FIFO) == first and first.stat().st_mtime_ns == stamp
    assert host.build(FIFO, events=True) != first
    assert host.build(with_body({}, name="other")) != first
    assert [path.suffix for path in (folder / "sim").iterdir()] == [".so"] * 3  # and nothing left over


def test_a_damaged_build_is_built_again(folder: Path) -> None:
    path = host.build(FIFO)
    path.unlink()
    path.write_bytes(b"\x7fELF, or not")
    assert Simulator(FIFO, 2).run([1, 2, 3, 3]).hits == 1


def test_a_folder_that_others_can_write_is_refused(folder: Path) -> None:
    (folder / "sim").mkdir(parents=True)
    (folder / "sim").chmod(0o777)
    with pytest.raises(host.BuildError, match="somebody else; name another folder in CPOL_CACHE"):
        host.build(FIFO)


def test_a_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "file"))
    with pytest.raises(host.BuildError, match="no folder for built simulators"):
        host.build(FIFO)


def test_no_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CPOL_CLANG", raising=False)
    with pytest.raises(host.BuildError, match="clang-19 is not on PATH"):
        host.clang()


def test_what_the_compiler_says_is_passed_on(folder: Path) -> None:
    with pytest.raises(host.BuildError, match=r"defect of cpol. It said:\n(.|\n)*undeclared"):
        host.compile_cached("int x = y;", "broken", host.COMMON)
    assert list((folder / "sim").iterdir()) == []


def test_without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CPOL_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert host.cache_folder() == tmp_path / ".cache" / "cpol" / "sim"
    assert Path(host.cache_folder()).stat().st_mode & 0o077 == 0
