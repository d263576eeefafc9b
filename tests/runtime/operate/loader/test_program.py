"""Choice of the loader's program: a built one is preferred, and root never runs another user's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cpol.runtime.operate.loader import LoaderError, find, program

NOBODY = 65534
Cpolc = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cpolc(tmp_path: Path) -> Cpolc:
    """Run cpolc with no compiler on PATH and an empty cache."""
    (tmp_path / "bin").mkdir()
    plain = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path), "CPOL_CACHE": str(tmp_path / "cache")}

    def call(*words: str | Path, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-m", "cpol.cli.main", *map(str, words)]
        return subprocess.run(
            command, env={**plain, **(environment or {})}, capture_output=True, text=True, check=False, timeout=60
        )

    return call


def reaches_the_loader(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode == 1 and done.stderr.startswith("cpol-loader: error: there is no cgroup /nowhere")


def test_cpol_loader_works_without_a_compiler(cpolc: Cpolc, objects: Path) -> None:
    done = cpolc("attach", objects / "fifo.bpf.o", "/nowhere", environment={"CPOL_LOADER": str(find())})
    assert reaches_the_loader(done), done.stderr


def test_cached_loader_works_without_a_compiler(cpolc: Cpolc, objects: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "loader"
    folder.mkdir(parents=True)
    shutil.copy2(find(), folder)
    assert reaches_the_loader(cpolc("attach", objects / "fifo.bpf.o", "/nowhere"))


def test_packaged_loader_precedes_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CPOL_LOADER", raising=False)
    installed = tmp_path / "cpol-loader"
    monkeypatch.setattr(program, "INSTALLED", installed)
    built = find()
    assert built != installed
    shutil.copy2(built, installed)
    assert find() == installed
    assert find("sanitize") not in (built, installed)


def test_message_without_compiler_and_loader(cpolc: Cpolc, objects: Path) -> None:
    done = cpolc("attach", objects / "fifo.bpf.o", "/nowhere")
    assert done.returncode == 1
    assert done.stderr == (
        "cpolc: error: there is no cpol-loader, and it cannot be built: clang-19 is not installed: install its package "
        "(`make setup` in a checkout), or name a clang in CPOL_CLANG; or name a loader that was built elsewhere in "
        "CPOL_LOADER\n"
    )


@pytest.mark.slow
def test_source_needs_a_compiler_to_attach(cpolc: Cpolc) -> None:
    done = cpolc("attach", "fifo", "/nowhere", environment={"CPOL_LOADER": str(find())})
    assert done.returncode == 1 and done.stderr.startswith("cpolc: error: clang-19 is not installed")


def test_old_or_missing_libbpf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    header = tmp_path / "libbpf_version.h"
    monkeypatch.setattr(program, "LIBBPF_HEADER", header)
    with pytest.raises(LoaderError, match=r"it needs libbpf 1\.4 or newer, and there is none"):
        find()
    header.write_text("#define LIBBPF_MAJOR_VERSION 1\n#define LIBBPF_MINOR_VERSION 1\n")
    with pytest.raises(LoaderError, match=r"it needs libbpf 1\.4 or newer, and there is 1\.1"):
        find()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["their home", "a shared cache", "an entry of a shared cache", "CPOL_LOADER"])
def test_root_runs_no_loader_of_another_user(cpolc: Cpolc, tmp_path: Path, objects: Path, where: str) -> None:
    """The environment is that of `sudo -E`, which keeps HOME, CPOL_CACHE and CPOL_LOADER."""
    trace = tmp_path / "was-run"
    folder = tmp_path / ".cache" / "cpol" / "loader" if where == "their home" else tmp_path / "cache" / "loader"
    folder.mkdir(parents=True)
    planted = folder / find().name
    planted.write_text(f"#!/bin/sh\n: >{trace}\n")
    planted.chmod(0o755)
    environment = {"CPOL_LOADER": str(planted)} if where == "CPOL_LOADER" else {}
    if where == "their home":
        environment["CPOL_CACHE"] = ""
    attach = ("attach", objects / "fifo.bpf.o", "/nowhere")
    assert cpolc(*attach, environment=environment).returncode == 0 and trace.exists(), "root's own is run"
    trace.unlink()

    theirs = [planted] if where == "an entry of a shared cache" else [planted, folder, folder.parent]
    for path in theirs:
        os.chown(path, NOBODY, NOBODY)
    done = cpolc(*attach, environment=environment)
    assert done.returncode == 1 and not trace.exists()
    assert "belongs to nobody, and this is root; name " in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_build_script_prints_the_path() -> None:
    script = program.HERE / "build"
    done = subprocess.run([script], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == find()
    done = subprocess.run([script, "--fast"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "usage: build [--sanitize | --kill-at | --output FILE]\n")
