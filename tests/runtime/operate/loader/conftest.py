"""Fixtures for tests of the loader: the loader with sanitizers, and objects for it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from loader_types import Build, Loader

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.clang import clang
from cpol.runtime.operate.loader import find, program

HERE = Path(__file__).parent
FLAGS = (*program.FLAGS, *program.SANITIZED, *program.INCLUDES)
STDLIB = Path(__file__).resolve().parents[4] / "stdlib"


@pytest.fixture(scope="session")
def sanitized() -> Path:
    """The loader, built with AddressSanitizer and UndefinedBehaviorSanitizer."""
    return find("sanitize")


@pytest.fixture(scope="session")
def units() -> Path:
    """An archive of the loader's units, compiled with sanitizers once for all tests."""

    def make(target: Path) -> None:
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            sources = [str(path) for path in program.sources()]
            subprocess.run([clang(), *FLAGS, "-c", *sources], cwd=folder, check=True)
            subprocess.run(["ar", "rcs", target, *sorted(map(str, Path(folder).glob("*.o")))], check=True)

    return cache.find_or_make("loader", f"units-{program.key(program.SANITIZED)}.a", make)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory, units: Path) -> Build:
    """Build a program of this folder with the loader's units and sanitizers."""

    def make(name: str, fuzzed: Iterable[str] = ()) -> Path:
        out = tmp_path_factory.mktemp(name) / name
        known = {path.stem: path for path in program.sources()}
        sources = [HERE / f"{name}.c", *(known[unit] for unit in fuzzed)]
        # What a test defines itself, the linker takes first.
        libraries = ["-Wl,--allow-multiple-definition", units, *program.LIBRARIES]
        coverage = ["-fsanitize=fuzzer"] if fuzzed else []
        subprocess.run([clang(), *FLAGS, *coverage, *sources, *libraries, "-o", out], check=True)
        return out

    return make


@pytest.fixture
def loader(sanitized: Path) -> Loader:
    """Run the loader; a sanitizer's report fails the test."""

    def run(*arguments: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99"}
        command = [*prefix, str(sanitized), *map(str, arguments)]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=environment, timeout=60, check=False
        )
        assert done.returncode in (0, 1, 2), done.stderr
        assert "Sanitizer" not in done.stderr, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the objects of the stdlib."""
    folder = tmp_path_factory.mktemp("objects")
    for name in ("fifo", "lfu", "mru", "s3fifo"):
        bpf.compile_policy(compile_file(STDLIB / f"{name}.cpol"), folder / f"{name}.bpf.o")
    return folder


@pytest.fixture
def with_manifest(objects: Path, tmp_path: Path) -> Callable[[bytes], Path]:
    """Make an object with the given bytes as its manifest."""

    def make(text: bytes) -> Path:
        section, out = tmp_path / "manifest", tmp_path / "other.bpf.o"
        section.write_bytes(text)
        subprocess.run(
            ["llvm-objcopy-19", f"--update-section=.cpol={section}", str(objects / "s3fifo.bpf.o"), str(out)],
            check=True,
        )
        return out

    return make
