"""Building and caching of simulators."""

from __future__ import annotations

from pathlib import Path

import pytest
from irs import FIFO, with_body

from cpol.compiler.backend import host
from cpol.runtime.simulate.simulator import Simulator


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.slow
def test_equal_sources_are_built_once(folder: Path) -> None:
    first = host.build(FIFO)
    stamp = first.stat().st_mtime_ns
    assert first.parent == folder / "sim"
    assert host.build(FIFO) == first and first.stat().st_mtime_ns == stamp
    assert host.build(FIFO, events=True) != first
    assert host.build(with_body({}, name="other")) != first
    assert [path.suffix for path in (folder / "sim").iterdir()] == [".so"] * 3  # no temporary files


@pytest.mark.slow
def test_damaged_build_is_rebuilt(folder: Path) -> None:
    path = host.build(FIFO)
    path.unlink()
    path.write_bytes(b"\x7fELF, or not")
    assert Simulator(FIFO, 2).run([1, 2, 3, 3]).hits == 1
