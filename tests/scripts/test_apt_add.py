"""`apt_add` of scripts/lib.sh: install packages and tell how far apt is. The real apt, with its own database."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

LIB = Path(__file__).resolve().parents[2] / "scripts" / "lib.sh"

# In place of dpkg: what a package's script does that prints, without a package installed.
DPKG = """#!/bin/sh
case "$*" in *--unpack*|*--configure*) ;; *) exec /usr/bin/dpkg "$@" ;; esac
echo "a script of the package speaks"
"""


def test_scripts_of_packages_can_print(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "DEBIAN").mkdir(parents=True)
    (package / "DEBIAN" / "control").write_text(
        "Package: tells\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: none\n"
    )
    subprocess.run(["dpkg-deb", "--build", package, tmp_path / "tells.deb"], capture_output=True, check=True)
    (tmp_path / "dpkg").write_text(DPKG)
    (tmp_path / "dpkg").chmod(0o755)
    for folder in ("state/lists/partial", "cache/archives/partial", "log"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "status").touch()
    (tmp_path / "apt.conf").write_text(
        f'Dir::State "{tmp_path}/state";\nDir::State::status "{tmp_path}/status";\n'
        f'Dir::Cache "{tmp_path}/cache";\nDir::Log "{tmp_path}/log";\nDir::Bin::dpkg "{tmp_path}/dpkg";\n'
        f'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "/dev/null";\nDebug::NoLocking "true";\n'
        'APT::Sandbox::User "root";\n'
    )
    done = subprocess.run(
        ["bash", "-c", f'set -euo pipefail; . "{LIB}"; apt_add "{tmp_path}/tells.deb" >log.txt 2>&1'],
        cwd=tmp_path,
        env={**os.environ, "APT_CONFIG": str(tmp_path / "apt.conf")},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    log = (tmp_path / "log.txt").read_text()
    assert done.returncode == 0, log
    assert "a script of the package speaks" in log
    assert "pmstatus:" in log or "dlstatus:" in log, log
