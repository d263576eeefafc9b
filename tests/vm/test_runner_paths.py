"""Machines boot from a checkout anywhere: here it is below /tmp, and its path is long and has a blank and a quote."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from vm_types import CHECKOUT

pytestmark = pytest.mark.vm


@pytest.fixture
def checkout() -> Iterator[Path]:
    """A copy of the checkout below /tmp, which has its own code and this one's packages."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="cpol-") as name:
        copy = Path(name) / f"a blank, it's {'l' * 180}"
        copy.mkdir()
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listed, cwd=CHECKOUT, capture_output=True, check=True).stdout
        command = ["rsync", "-a", "--from0", "--files-from=-", "--ignore-missing-args", f"{CHECKOUT}/", f"{copy}/"]
        subprocess.run(command, input=files, check=True)
        commands = copy / ".venv" / "bin"
        commands.mkdir(parents=True)
        cpolc = commands / "cpolc"
        cpolc.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cpol.cli.main "$@"\n')
        cpolc.chmod(0o755)
        yield copy


def environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{checkout}/src"}


def test_a_command_sees_its_checkout(checkout: Path, kernel: Path) -> None:
    """The runner's own temporary folder, with the guest's init, is in such a path, too."""
    scratch = checkout / "scratch"
    scratch.mkdir()
    script = 'pwd && cmp "$1" kernel/vm/guest/init && cmp "$1" /proc/1/cwd/"$1" && tr "\\0" "\\n" </proc/1/cmdline'
    words = ["--timeout", "120", "--", "sh", "-c", script, "sh", str(checkout / "kernel/vm/guest/init")]
    done = subprocess.run(
        [str(checkout / ".venv/bin/cpolc"), "vm", "run", "--kernel", str(kernel), *words],
        cwd=checkout,
        env={**environment(checkout), "TMPDIR": str(scratch)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == str(checkout) and any(line.startswith(f"{scratch}/cpol-vm-") for line in lines[1:]), lines


@pytest.mark.long
def test_selftests_see_their_checkout(checkout: Path, kernel: Path) -> None:
    done = subprocess.run(
        [checkout / "tests/kernel/run", "--kernel", kernel, "--timeout", "600", "hands"],
        env=environment(checkout),
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert "ok hands: the policy evicts" in done.stdout.splitlines()
