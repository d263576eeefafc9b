"""Files that are run or obeyed as root: nobody else may have written them, or put them there."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.cache import CacheError
from cpol.compiler.toolchain.process import ToolError
from cpol.compiler.toolchain.trust import UntrustedError, own_file


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir(mode=0o755)
    (tmp_path / "bin" / "tool").touch(0o755)
    return tmp_path / "bin" / "tool"


def test_a_file_of_our_own(tool: Path) -> None:
    assert own_file(tool, "say why") == tool
    (tool.parent / "link").symlink_to(tool)
    assert own_file(tool.parent / "link", "say why") == tool


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_a_folder_that_others_can_write(tool: Path, mode: int) -> None:
    """They could put another file there between the look at it and its use."""
    tool.parent.chmod(mode)
    with pytest.raises(UntrustedError, match=f"other users can write to .*/bin .mode {mode:o}.*or say why"):
        own_file(tool, "say why")


def test_a_link_that_leads_to_itself(tool: Path) -> None:
    (tool.parent / "loop").symlink_to("loop")
    with pytest.raises(ToolError, match="loop is a link that leads to itself; say why"):
        own_file(tool.parent / "loop", "say why")


def test_a_cache_below_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("CPOL_CACHE", "cache")
    with pytest.raises(CacheError, match="CPOL_CACHE=cache is below a folder that is gone"):
        cache.root()
