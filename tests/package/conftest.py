"""Fixtures: the wheel and the sdist of this checkout, and the wheel installed in a venv."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from build_package import LEFT_OVER, ROOT, build_debian, build_sdist, build_wheel, install, run

SOURCES = (
    "LICENSE*",
    "*.in",
    "*.md",
    "*.toml",
    "setup.py",
    "compiler",
    "examples",
    "grammar",
    "kernel",
    "runtime",
    "src",
    "stdlib",
)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with left-over files from builds and tests."""
    copy = tmp_path_factory.mktemp("checkout")
    run("cp", "-a", *(path for pattern in SOURCES for path in ROOT.glob(pattern)), copy, cwd=ROOT)
    for name in LEFT_OVER:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("left over\n")
    listed = copy / "src" / "cpol.egg-info" / "SOURCES.txt"
    listed.parent.mkdir(exist_ok=True)
    listed.write_text("src/cpol/stdlib/my.cpol.orig\nsrc/cpol/kernel/cache_ext/evict.c\n")
    return copy


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout."""
    return build_wheel(checkout, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of the checkout."""
    return build_sdist(checkout, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The Debian packages of the checkout, by name."""
    return build_debian(tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A venv with the wheel."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    install(wheel, venv)
    return venv


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside the checkout."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="session")
def cpolc(installed: Path, elsewhere: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the installed `cpolc` outside the checkout, in an environment without any path to it."""
    environment = {name: os.environ[name] for name in ("HOME", "CPOL_CACHE") if name in os.environ}
    parts = os.environ["PATH"].split(":")
    environment["PATH"] = ":".join(part for part in parts if not part.startswith(str(ROOT)))

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        command = (installed / "bin" / "cpolc", *words)
        return subprocess.run(
            command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    return call
