"""scripts/apt-install: of several packages that a line names, the first that apt knows is needed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "apt-install"


class Machine:
    """A machine with some packages installed, and some that its apt knows."""

    def __init__(self, folder: Path, installed: list[str], known: list[str]) -> None:
        self.bin, self.log = folder / "bin", folder / "log"
        self.bin.mkdir()
        self.state = folder / "installed"
        self.state.write_text("".join(f"installed {name}\n" for name in installed))
        (folder / "known").write_text("".join(f"{name}\n" for name in [*known, *installed]))
        self._command("dpkg-query", f'cat "{self.state}"')
        self._command("apt-cache", f'for name; do :; done; grep -qx -- "$name" "{folder}/known"')
        add = f'for name; do case $name in [a-z]*-*|[a-z]*) echo "installed $name" >>"{self.state}" ;; esac; done'
        self._command("apt-get", f'echo "$*" >>"{self.log}"; case "$*" in *install*) {add} ;; esac')
        self._command("id", "echo 0")

    def _command(self, name: str, body: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{body}\n")
        (self.bin / name).chmod(0o755)

    def run(self) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        return subprocess.run(
            [SCRIPT, "stock"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    @property
    def added(self) -> list[str]:
        """The packages of the last installation; none: there was none."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        installs = [line.partition("--no-install-recommends ")[2].split() for line in lines if " install " in line]
        return installs[-1] if installs else []


TWELVE, THIRTEEN = "linux-headers-6.12-cloud-amd64", "linux-headers-cloud-amd64"


@pytest.mark.parametrize(
    ("installed", "known", "added"),
    [
        (["dkms", TWELVE], [THIRTEEN], []),
        (["dkms", THIRTEEN], [], []),
        (["dkms", THIRTEEN], [TWELVE], [TWELVE]),  # Debian 12 has the other one, too, of another kernel
        (["dkms"], [TWELVE, THIRTEEN], [TWELVE]),
        (["dkms"], [THIRTEEN], [THIRTEEN]),
        ([], ["dkms", THIRTEEN], ["dkms", THIRTEEN]),
    ],
)
@pytest.mark.slow
def test_the_first_that_apt_knows_is_needed(
    installed: list[str], known: list[str], added: list[str], tmp_path: Path
) -> None:
    machine = Machine(tmp_path, installed, known)
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert sorted(machine.added) == sorted(added)


def test_what_apt_does_not_offer_is_named_before_anything_is_installed(tmp_path: Path) -> None:
    machine = Machine(tmp_path, [], ["dkms"])
    done = machine.run()
    assert done.returncode == 1
    assert "apt offers none of these on" in done.stderr and f"{TWELVE} | {THIRTEEN}" in done.stderr
    assert "Nothing was changed" in done.stderr and not machine.added
