"""A signal that comes during an attach ends the loader only when the journal has its entry."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from loader_types import Build


@pytest.mark.long
def test_the_journal_is_told_before_the_signal_comes(build: Build, objects: Path, tmp_path: Path) -> None:
    attach = build("attach_signal")
    done = subprocess.run(
        [attach, objects / "fifo.bpf.o", tmp_path], capture_output=True, text=True, check=False, timeout=60
    )
    assert f"fifo is attached to {tmp_path}" in done.stdout, done
    assert done.stdout.splitlines()[-1] == f"entry: attach fifo on {tmp_path}: 0"
    assert done.returncode == -signal.SIGTERM
