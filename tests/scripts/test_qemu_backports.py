"""scripts/qemu-backports: a newer QEMU is unpacked once, beside the system's, into a cache of our own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "qemu-backports"
PROGRAM = "#!/bin/sh\necho QEMU of backports\n"


class Archive:
    """An apt with one package, and a cache."""

    def __init__(self, folder: Path, version: str, program: str = PROGRAM, installed: str = "7.2.22") -> None:
        self.bin = folder / "bin"
        self.cache = folder / "cache"
        self.asked = folder / "asked"
        self.bin.mkdir()
        package = folder / "package"
        (package / "DEBIAN").mkdir(parents=True)
        (package / "DEBIAN" / "control").write_text(
            f"Package: qemu-system-x86\nVersion: {version}\nArchitecture: all\nMaintainer: nobody\nDescription: none\n"
        )
        (package / "usr" / "bin").mkdir(parents=True)
        (package / "usr" / "bin" / "qemu-system-x86_64").write_text(program)
        (package / "usr" / "bin" / "qemu-system-x86_64").chmod(0o755)
        (package / "usr" / "bin" / "kvm").symlink_to("qemu-system-x86_64")
        subprocess.run(["dpkg-deb", "--build", package, folder / "qemu.deb"], capture_output=True, check=True)
        self._command("qemu-system-x86_64", f"echo 'QEMU emulator version {installed} (Debian 1:{installed}+dfsg-7)'")
        self._command("apt-get", f'echo "$*" >>"{self.asked}"; cp "{folder}/qemu.deb" .')
        self._command(
            "apt-cache", f'echo "qemu-system-x86 | 1:{version} | mirror bookworm-backports/main amd64 Packages"'
        )

    def _command(self, name: str, body: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{body}\n")
        (self.bin / name).chmod(0o755)

    def run(self) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "CPOL_CACHE": str(self.cache)}
        return subprocess.run([SCRIPT], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_it_is_unpacked_once(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "10.0.2+x~bpo12+1")
    first, again = archive.run(), archive.run()
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert first.stdout == again.stdout == f"{archive.cache}/qemu/10.0.2+x~bpo12+1/usr/bin\n"
    # The folder goes into PATH.
    assert ":" not in first.stdout
    shown = subprocess.run([f"{first.stdout.strip()}/qemu-system-x86_64"], capture_output=True, text=True, check=True)
    assert shown.stdout == "QEMU of backports\n"
    assert len(archive.asked.read_text().splitlines()) == 1


def test_the_systems_is_taken_if_it_is_new_enough(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "10.0.2+x~bpo12+1", installed="10.0.13")
    done = archive.run()
    assert done.returncode == 0 and done.stdout == f"{archive.bin}\n"
    assert not archive.asked.exists()


def test_an_older_one_is_refused(tmp_path: Path) -> None:
    done = Archive(tmp_path, "9.2.0+x").run()
    assert done.returncode == 1
    assert "no QEMU >= 10.0" in done.stderr


def test_one_that_does_not_start_is_not_kept(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "10.0.2", "#!/bin/sh\nexit 127\n")
    assert archive.run().returncode == 1
    assert list((archive.cache / "qemu").iterdir()) == []


def test_what_others_can_write_is_refused(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "10.0.2")
    assert archive.run().returncode == 0
    (archive.cache / "qemu" / "10.0.2").chmod(0o777)
    done = archive.run()
    assert done.returncode == 1
    assert "can write to it" in done.stderr
    (archive.cache / "qemu").chmod(0o777)
    assert archive.run().returncode == 1
