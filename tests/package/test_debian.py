"""The Debian packages have what the wheel has, a man page for each command, and no complaint of lintian.

`make test-packages` installs them in a fresh root. What needs no package is in test_debian_sources.py.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from pathlib import Path

import click
import pytest
from build_package import ROOT, VERSION, contents

from cpol.cli.main import cli

pytestmark = pytest.mark.long

SITE = "./usr/lib/cpol/"


def run(*command: str | Path) -> bytes:
    """Run a program that must succeed; return its standard output."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout


@pytest.fixture(scope="module")
def files(packages: dict[str, Path]) -> dict[str, dict[str, tarfile.TarInfo]]:
    """The files of each package, by path."""
    return {name: {member.name: member for member in archive(package)} for name, package in packages.items()}


def archive(package: Path) -> tarfile.TarFile:
    """A package's files."""
    return tarfile.open(fileobj=io.BytesIO(run("dpkg-deb", "--fsys-tarfile", package)))


def text(package: Path, name: str) -> str:
    """The text of a file in a package."""
    with archive(package) as members:
        found = members.extractfile(name)
        assert found is not None
        return found.read().decode()


def test_modules_are_those_of_the_wheel(packages: dict[str, Path], wheel: Path) -> None:
    expected = {name: data for name, data in contents(wheel).items() if name.startswith("cpol/")}
    found = {}
    with archive(packages["cpol"]) as members:
        for member in members:
            if member.name.startswith(f"{SITE}cpol/") and member.isfile():
                file = members.extractfile(member)
                assert file is not None
                found[member.name.removeprefix(SITE)] = file.read()
    assert sorted(found) == sorted(expected)
    assert found == expected


def pages(command: click.Command, context: click.Context) -> set[str]:
    """The man pages that a command and those below it should have; `vm` needs the checkout."""
    named = {context.command_path.replace(" ", "-")}
    if isinstance(command, click.Group):
        for name in set(command.list_commands(context)) - {"vm"}:
            inner = command.get_command(context, name)
            assert inner is not None
            named |= pages(inner, click.Context(inner, parent=context, info_name=name))
    return named


def test_each_command_has_a_man_page(files: dict[str, dict[str, tarfile.TarInfo]]) -> None:
    found = {Path(name).name.removesuffix(".1.gz") for name in files["cpol"] if "/man1/" in name and "." in name[2:]}
    assert found == pages(cli, click.Context(cli, info_name="cpolc"))
    assert "./usr/share/man/man1/cpol-loader.1.gz" in files["cpol-loader"]


def test_loader_is_a_link_of_the_command_package(files: dict[str, dict[str, tarfile.TarInfo]]) -> None:
    link = files["cpol"][f"{SITE}cpol/runtime/operate/loader/cpol-loader"]
    assert link.issym() and (Path("/", link.name).parent / link.linkname).resolve() == Path("/usr/bin/cpol-loader")
    assert files["cpol-loader"]["./usr/bin/cpol-loader"].mode == 0o755


def test_nothing_but_policies_needs_a_compiler(
    packages: dict[str, Path], files: dict[str, dict[str, tarfile.TarInfo]]
) -> None:
    """What Python would build when it is missing is of the package for the machine's architecture."""
    built = list[tuple[Path, str]]()
    for source in (ROOT / "runtime").rglob("*.py"):
        code = source.read_text()
        built += [(source, name) for name in re.findall(r'^INSTALLED = HERE / "(.*)"$', code, re.MULTILINE)]
        built += [(source, f"{name}.bpf.o") for name in re.findall(r'^PROGRAM = Program\("(\w+)"', code, re.MULTILINE)]
    for source, name in built:
        link = files["cpol"][f"{SITE}cpol/{source.parent.relative_to(ROOT)}/{name}"]
        target = (Path("/", link.name).parent / link.linkname).resolve()
        with archive(packages["cpol-loader"]) as members:
            file = members.extractfile(f".{target}")
            assert link.issym() and file is not None and file.read(4) == b"\x7fELF", name
    assert {name for _, name in built} == {"cpol-loader", "libcpol.so", "record.bpf.o", "observe.bpf.o"}


def test_folder_of_policies_is_there_and_says_what_for(packages: dict[str, Path]) -> None:
    said = text(packages["cpol"], "./etc/cpol.d/README")
    assert "cpol-apply" in said and "*.conf" in said
    # With a condition the unit would do nothing, and say nothing.
    assert "\nCondition" not in (ROOT / "runtime" / "operate" / "systemd" / "cpol-apply.service").read_text()


def test_units_call_the_installed_command(
    packages: dict[str, Path], files: dict[str, dict[str, tarfile.TarInfo]]
) -> None:
    units = "./lib/systemd/system/"
    folder = ROOT / "runtime" / "operate" / "systemd"
    shipped = {path.name for pattern in ("*.service", "*.timer") for path in folder.glob(pattern)}
    found = {name.removeprefix(units) for name in files["cpol"] if name.startswith(units)}
    assert found == shipped
    for name in shipped:
        unit = text(packages["cpol"], units + name)
        assert "/usr/local" not in unit and ("/usr/bin/cpolc" in unit or name.endswith(".timer"))
    assert f"{units}cpol@.service.d/stock-kernel.conf" in files["cache-ext-dkms"]
    assert {"./usr/share/cpol/alerts.yml", "./usr/share/cpol/dashboard.json"} <= {*files["cpol"]}
    documents = {name.removeprefix("./usr/share/doc/cpol/") for name in files["cpol"] if "/doc/cpol/docs" in name}
    assert {"docs/operating.md", "docs/language.md", "docs/stdlib/s3fifo.md"} <= documents


def test_purge_removes_what_the_units_keep(packages: dict[str, Path], tmp_path: Path) -> None:
    run("dpkg-deb", "--control", packages["cpol"], tmp_path / "control")
    script = (tmp_path / "control" / "postrm").read_text()
    kept = set(re.findall(r"^(?:State|Cache|Logs)Directory=(\w+)", units_text(), re.MULTILINE))
    assert kept == {"cpol"}
    folders = ("lib", "cache", "log")
    assert f"rm -rf {' '.join(f'/var/{folder}/cpol' for folder in folders)}\n" in script
    for word in ("remove", "upgrade"):
        quiet = script.replace("rm -rf", "echo REMOVES")
        (tmp_path / "postrm").write_text(quiet.partition("# Automatically added")[0])
        assert "REMOVES" not in run("sh", tmp_path / "postrm", word).decode()


def units_text() -> str:
    """The text of all units."""
    return "".join(path.read_text() for path in (ROOT / "runtime" / "operate" / "systemd").glob("*.service"))


def test_sources_of_the_module_are_what_stage_makes(packages: dict[str, Path], tmp_path: Path) -> None:
    run(ROOT / "kernel" / "module" / "stage", tmp_path / "staged", VERSION)
    staged = {str(path.relative_to(tmp_path / "staged")) for path in (tmp_path / "staged").rglob("*") if path.is_file()}
    with archive(packages["cache-ext-dkms"]) as members:
        root = f"./usr/src/cache-ext-{VERSION}/"
        assert {
            member.name.removeprefix(root) for member in members if member.name.startswith(root) and member.isfile()
        } == staged


def test_lintian_is_silent(packages: dict[str, Path]) -> None:
    said = run("lintian", "--allow-root", "--fail-on", "error,warning", *packages.values()).decode()
    assert not [line for line in said.splitlines() if not line.startswith("N:")]
