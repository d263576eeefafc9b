"""The rpm packages have the files of the Debian packages, and what they hold runs from another root."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from build_package import DEBIAN, ROOT, VERSION, run

pytestmark = pytest.mark.long

LEFT_OUT = ("/usr/share/lintian/", "/changelog.Debian.gz")
"""What only Debian's tools read."""


@pytest.fixture(scope="module")
def rpms(packages: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The rpm packages of the checkout, by name."""
    folder = tmp_path_factory.mktemp("rpms")
    said = run(ROOT / "scripts" / "rpms", "--from", packages["cpol"].parent, folder, cwd=ROOT).splitlines()
    made = {Path(line).name.partition(f"-{VERSION}-1.")[0]: Path(line) for line in said}
    assert sorted(made) == sorted(DEBIAN)
    return made


def query(package: Path, what: str) -> list[str]:
    """What `rpm` tells of a package file, a line each."""
    return run("rpm", "--query", "--package", what, package, cwd=ROOT).splitlines()


def files_of(deb: Path) -> set[str]:
    """The files and links of a Debian package that an rpm has, where it has them."""
    listed = run("dpkg-deb", "--contents", deb, cwd=ROOT).splitlines()
    paths = (line.split(maxsplit=5)[5].split(" -> ")[0].removeprefix(".") for line in listed if line[0] != "d")
    kept = (path for path in paths if not any(each in path for each in LEFT_OUT))
    return {f"/usr{path}" if path.startswith("/lib/") else path for path in kept}


@pytest.mark.parametrize("name", DEBIAN)
def test_files_are_those_of_the_debian_package(name: str, rpms: dict[str, Path], packages: dict[str, Path]) -> None:
    listed = query(rpms[name], "--list")
    folders = {
        path
        for mode, path in (
            line.split(maxsplit=1) for line in query(rpms[name], "--queryformat=[%{FILEMODES:perms} %{FILENAMES}\n]")
        )
        if mode[0] == "d"
    }
    expected = files_of(packages[name])
    assert len(expected) > 5
    assert set(listed) - folders == expected
    assert all("cpol" in folder or "cache-ext" in folder for folder in folders), "a folder of the system"
    config = set(query(rpms[name], "--configfiles")) - {"(contains no files)"}
    assert config == {path for path in expected if path.startswith("/etc/")}


def test_kinds_and_needs(rpms: dict[str, Path]) -> None:
    kinds = {name: query(path, "--queryformat=%{ARCH}\n")[0] for name, path in rpms.items()}
    assert kinds.pop("cpol-loader") != "noarch" and set(kinds.values()) == {"noarch"}
    needs = {name: query(path, "--requires") for name, path in rpms.items()}
    assert f"cpol-loader = {VERSION}-1" in needs["cpol"]
    assert not [one for one in needs["cpol"] if one.startswith("python(abi)")]
    assert any(one.startswith("libelf.so.1") for one in needs["cpol-loader"])
    assert "dkms" in needs["cache-ext-dkms"]


def test_what_is_installed_runs(rpms: dict[str, Path], tmp_path: Path) -> None:
    root = tmp_path / "root"
    run("rpm", "--root", root, "--install", "--nodeps", "--noscripts", *rpms.values(), cwd=ROOT)
    said = run(root / "usr/bin/cpol-loader", "--help", cwd=tmp_path)
    assert said.startswith("usage: cpol-loader ")
    modules = f"{root}/usr/lib/cpol:{root}/usr/lib/cpol/vendor"
    command = ["/usr/bin/python3", "-B", "-m", "cpol.cli.main", "check", "--no-native", "--max-examples", "1", "fifo"]
    told = subprocess.run(
        command, cwd=tmp_path, env={"PATH": os.environ["PATH"], "PYTHONPATH": modules, "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
