"""Fixtures: folders of pins and cgroups as a kernel would have them, and libcpol over plain files in these."""

from __future__ import annotations

from pathlib import Path

import pytest
from app_world import World

from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import run
from cpol.runtime.operate.app import build, library

HERE = Path(__file__).parent
SOURCES = [path for path in build.sources() if path.stem != "kernel"]
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", f"-I{library.HERE}", f"-I{HERE}")


def compile_fake(target: Path, *more: str | Path) -> Path:
    include = ("-include", HERE / "fake.h")
    run([clang(), *FLAGS, *include, *more, HERE / "fake_kernel.c", *SOURCES, "-o", target, "-pthread"])
    return target


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """try_app, with sanitizers."""
    flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    return compile_fake(tmp_path_factory.mktemp("app") / "try_app", *flags, HERE / "try_app.c")


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    script = f"-Wl,--version-script={library.HERE / 'libcpol.map'}"
    path = compile_fake(tmp_path_factory.mktemp("app") / "libcpol.so", "-shared", "-fPIC", script)
    path.chmod(0o755)
    return path


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
