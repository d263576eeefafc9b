"""The wheel contains what its commands use and nothing else; the sdist builds the same wheel."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from build_package import LEFT_OVER, ROOT, build_wheel, contents, described

import cpol

pytestmark = pytest.mark.slow

LINKED = ("compiler", "grammar", "kernel", "runtime", "stdlib")
SHIPPED = {".py", ".c", ".h", ".j2", ".toml", ".conf", ".cpol", ".service", ".timer", ".json", ".yml"}
NOT_SHIPPED = ("kernel/cache_ext/", "kernel/prefetch_ext/", "kernel/policy_ext/", "kernel/module/", "kernel/vm/")
FILES = ("py.typed",)


def expected() -> dict[str, bytes]:
    """Return the files of the checkout that a wheel must contain, by their paths in the wheel."""
    package = ROOT / "src" / "cpol"
    library = ROOT / "runtime" / "operate" / "app"
    files = [
        library / "Makefile",
        *package.glob("*.*"),
    ]
    for part in package.iterdir():
        if part.is_dir() and not part.is_symlink():
            files += part.rglob("*.*")
    for part in LINKED:
        files += (ROOT / part).rglob("*.*")
    found = {str(path.relative_to(package if package in path.parents else ROOT)): path for path in files}
    found |= {f"gallery/{path.name}": path for path in (ROOT / "examples" / "gallery").glob("*.toml")}
    return {
        f"cpol/{name}": path.read_bytes()
        for name, path in found.items()
        if (path.suffix in SHIPPED or name in FILES or path.parent == library) and not name.startswith(NOT_SHIPPED)
    }


def test_wheel_contains_used_files_only(wheel: Path) -> None:
    found = {name: text for name, text in contents(wheel).items() if name.startswith("cpol/")}
    assert sorted(found) == sorted(expected())
    assert found == expected()


def test_wheel_contains_both_licences(wheel: Path) -> None:
    licences = [Path("LICENSE"), *(path.relative_to(ROOT) for path in (ROOT / "LICENSES").iterdir())]
    shipped = {name.partition("/licenses/")[2]: text for name, text in contents(wheel).items() if "/licenses/" in name}
    assert shipped == {str(path): (ROOT / path).read_bytes() for path in licences}
    assert described(wheel)["License-Expression"] == "MIT AND GPL-2.0-only"
    assert len(licences) == 3


def test_wheel_has_the_package_version(wheel: Path) -> None:
    assert described(wheel)["Version"] == cpol.__version__


@pytest.mark.slow
def test_sdist_builds_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    assert contents(build_wheel(sdist, tmp_path)) == contents(wheel)


def test_sdist_contains_each_file_once(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        members = [member for member in archive if not member.isdir()]
    names = [member.name.partition("/")[2] for member in members]
    assert all(member.isfile() for member in members), "the sdist must contain no links"
    assert len(set(names)) == len(names)
    assert not [name for name in names if name.startswith(LINKED)], "these folders belong in src/cpol"
    assert not [name for left in LEFT_OVER for name in names if name.endswith(Path(left).name)]
    assert not [name for name in names if name.startswith(tuple(f"src/cpol/{part}" for part in NOT_SHIPPED))]
    assert {"LICENSE", "LICENSES/MIT.txt", "README.md", "setup.py", "src/cpol/grammar/Cpol.g4"} <= set(names)
