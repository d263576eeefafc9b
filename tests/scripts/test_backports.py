"""scripts/backports.sh: derive the apt entry for backports from a machine's entries."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "backports.sh"

ONE_LINE = """\
# deb http://commented.example/debian bookworm main
deb http://mirror.example/debian bookworm main contrib
deb http://mirror.example/debian-security bookworm-security main
deb [arch=amd64] http://other.example/tools bookworm-tools main
"""
DEB822 = """\
Types: deb
# http://commented.example/archive/debian/20250520T000000Z
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
"""
SNAPSHOT = "deb [check-valid-until=no] http://mirror.example/archive/debian/20260101T000000Z bookworm main\n"


def shell(tmp_path: Path, script: str) -> str:
    """Run a line with the functions of backports.sh and an apt that has only this test's entries."""
    config = tmp_path / "apt.conf"
    config.write_text(
        f'Dir::Etc::SourceList "{tmp_path}/sources.list";\n'
        f'Dir::Etc::SourceParts "{tmp_path}/parts";\n'
        f'Dir::State::Lists "{tmp_path}/lists";\n'
    )
    for folder in ("parts", "lists/partial"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'. "{SCRIPT}"; {script}'],
        env={**os.environ, "APT_CONFIG": str(config)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("file", "entries", "uri"),
    [
        ("sources.list", ONE_LINE, "http://mirror.example/debian/"),
        ("parts/debian.sources", DEB822, "http://mirror.example/debian/"),
        ("sources.list", SNAPSHOT, "http://mirror.example/archive/debian/20260101T000000Z/"),
    ],
    ids=["one-line", "deb822", "snapshot"],
)
def test_mirror_of_the_machine_is_found(tmp_path: Path, file: str, entries: str, uri: str) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / file).write_text(entries)
    assert shell(tmp_path, "bookworm_uris").split() == [uri]


def test_apt_accepts_the_entry(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    entry = shell(tmp_path, "backports_entry http://mirror.example/debian/")
    (tmp_path / "parts" / "cpol-backports.sources").write_text(entry)
    listed = shell(tmp_path, "apt-get --print-uris update")
    assert listed.startswith("'http://mirror.example/debian/dists/bookworm-backports/InRelease'")
    assert "Check-Valid-Until" not in entry


def test_snapshot_entry_accepts_expired_release_file(tmp_path: Path) -> None:
    entry = shell(tmp_path, "backports_entry http://mirror.example/archive/debian/20260101T000000Z/")
    assert "Check-Valid-Until: no\n" in entry
