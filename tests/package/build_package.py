"""Build cpol's wheel and sdist offline, and install the wheel with only its dependencies."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OVER = (
    "build/lib/cpol/moved_since.py",
    "compiler/backend/__pycache__/names.cpython-311.pyc",
    "compiler/.mypy_cache/3.11/cpol.data.json",
    "runtime/operate/loader/system/util.o",
    "stdlib/my.cpol.orig",
)
"""Files that builds and tests leave in a checkout; no package may contain them."""


def run(*command: str | Path, cwd: Path) -> str:
    """Run a program that must succeed; return its standard output."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


DEBIAN = ("cache-ext-dkms", "cpol", "cpol-loader")
"""The names of the Debian packages."""
VERSION = "0.0.1~test"
"""The version that tests give them."""


def build_debian(folder: Path) -> dict[str, Path]:
    """Build the Debian packages of the checkout; returns them by name."""
    said = run(ROOT / "scripts" / "packages", "--version", VERSION, folder, cwd=ROOT).splitlines()
    made = {Path(line).name.partition("_")[0]: Path(line) for line in said}
    assert sorted(made) == sorted(DEBIAN)
    return made


def build_wheel(source: Path, folder: Path) -> Path:
    """Build the wheel of a source tree or an sdist."""
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--quiet", "--wheel-dir")
    run(sys.executable, "-m", "pip", "wheel", *options, folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def build_sdist(source: Path, folder: Path) -> Path:
    """Build the sdist of a source tree with the hook that `python -m build` calls."""
    hook = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    run(sys.executable, "-c", hook, folder, cwd=source)
    (archive,) = folder.glob("*.tar.gz")
    return archive


def install(wheel: Path, venv: Path) -> None:
    """Make a venv with a wheel and its dependencies, which are links into the venv of the tests."""
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=venv.parent)
    (site,) = venv.glob("lib/python3*/site-packages")
    for entry in {entry for name in requirements(wheel) for entry in entries(name)}:
        (site / entry.name).symlink_to(entry)
    pip = (sys.executable, "-m", "pip", "--python", venv / "bin" / "python")
    run(*pip, "install", "-q", "--no-index", wheel, cwd=venv)


def contents(wheel: Path) -> dict[str, bytes]:
    """Return a wheel's files, without RECORD, whose order depends on the build."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


def described(wheel: Path) -> metadata.PackageMetadata:
    """Return the metadata of a wheel."""
    return next(iter(metadata.distributions(path=[str(wheel)]))).metadata


def requirements(wheel: Path) -> set[str]:
    """Return the distributions that a wheel needs, directly or not."""
    found: set[str] = set()
    new = [*needed(described(wheel))]
    while new:
        name = new.pop()
        if name not in found:
            found.add(name)
            new += needed(metadata.metadata(name))
    return found


def needed(of: metadata.PackageMetadata) -> Iterator[str]:
    """Return the names in Requires-Dist that hold for every Python and no extra."""
    for line in of.get_all("Requires-Dist") or ():
        name = re.match(r"[\w.-]+", line)
        if name and ";" not in line:
            yield name.group()


def entries(name: str) -> set[Path]:
    """Return a distribution's top-level files and folders in site-packages."""
    site = Path(sysconfig.get_path("purelib"))
    parts = {file.parts[0] for file in metadata.distribution(name).files or ()}
    return {site / part for part in parts - {"..", "__pycache__"}}
