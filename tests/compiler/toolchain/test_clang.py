"""Choice of clang and LLVM tools."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from cpol.compiler.toolchain.clang import clang, identity, llvm, which
from cpol.compiler.toolchain.process import ToolError


@pytest.fixture(autouse=True)
def no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CPOL_CLANG", raising=False)


def program(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_preferred_version_precedes_plain_clang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    plain = program(tmp_path / "clang")
    assert clang() == str(plain)
    wanted = program(tmp_path / "clang-19")
    assert clang() == str(wanted)


def test_cpol_clang_names_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = program(tmp_path / "own" / "clang-20")
    monkeypatch.setenv("CPOL_CLANG", str(own))
    assert clang() == str(own)
    beside = program(tmp_path / "own" / "llvm-strip")
    assert llvm("llvm-strip") == str(beside)


def test_name_that_is_not_a_program_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPOL_CLANG", str(tmp_path / "missing"))
    with pytest.raises(ToolError, match=r"CPOL_CLANG names .*/missing, which is no program; name a clang, or unset it"):
        clang()


def test_another_users_clang_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = program(tmp_path / "clang")
    monkeypatch.setenv("CPOL_CLANG", str(own))
    own.chmod(0o777)
    with pytest.raises(ToolError, match=r"other users can write to .*/clang \(mode 777\)"):
        clang()
    own.chmod(0o755)
    os.chown(own, 65534, 65534)
    with pytest.raises(ToolError, match="belongs to nobody, and this is root; name a clang in CPOL_CLANG"):
        clang()


def test_missing_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"^clang-19 is not installed: .*make setup.* or name a clang in CPOL_CLANG$"):
        clang()
    program(tmp_path / "clang")
    with pytest.raises(ToolError, match=r"^llvm-strip-19 is not installed: install its package .*make setup"):
        llvm("llvm-strip")


def test_other_build_of_a_tool_has_another_identity(tmp_path: Path) -> None:
    tool = program(tmp_path / "tool")
    first = identity(str(tool))
    tool.write_text("#!/bin/sh\nexit 1\n")
    assert identity(str(tool)) != first


def test_which_finds_what_shutil_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (first / "folder").mkdir()
    (first / "text").touch()
    for program in (first / "both", second / "both", second / "folder", second / "text", second / "own"):
        program.touch(mode=0o755)
    (second / "dangling").symlink_to("nothing")
    monkeypatch.setenv("PATH", f"{tmp_path / 'missing'}:{first}:{second}")
    for name in ("both", "folder", "text", "own", "dangling", "nothing", str(first / "text"), str(second / "own")):
        assert which(name) == shutil.which(name)
    monkeypatch.delenv("PATH")
    assert which("sh") == shutil.which("sh")
