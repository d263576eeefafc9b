"""Ctrl-C and time limits do not kill a loader that blocks signals, as it does between two policies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cpol.runtime.operate import loader

SLOW = """\
#!{python} -I
import signal, time
from pathlib import Path

signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
log = Path("{log}")
log.write_text("begun")
time.sleep(1.5)
log.write_text("attached")
"""

RUN = "from cpol.runtime.operate import loader; loader.run(['attach'])"
OUTPUT = "from cpol.runtime.operate import loader; loader.output(['attach'], 60)"


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a loader, which is made up, writes: `begun` in its gap, and `attached` behind it."""
    program, log = tmp_path / "loader", tmp_path / "log"
    program.write_text(SLOW.format(python=sys.executable, log=log))
    program.chmod(0o755)
    monkeypatch.setenv("CPOL_LOADER", str(program))
    return log


def wait_for(log: Path, text: str) -> None:
    end = time.monotonic() + 30
    while not log.exists() or log.read_text() != text:
        assert time.monotonic() < end, f"no {text}"
        time.sleep(0.02)


@pytest.mark.long
@pytest.mark.parametrize("code", [RUN, OUTPUT])
def test_interrupt_waits_for_the_loader(log: Path, code: str) -> None:
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, start_new_session=True) as process:
        wait_for(log, "begun")
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert log.read_text() == "attached"
    assert process.returncode == -signal.SIGINT and b"KeyboardInterrupt" in errors


@pytest.mark.slow
def test_time_limit_does_not_kill(log: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(loader.LoaderError, match=r"cpol-loader attach did not end within 0\.3 s"):
        loader.output(["attach"], 0.3)
    assert time.monotonic() - begun < 10
    wait_for(log, "attached")


@pytest.mark.slow
def test_handlers_are_as_before(log: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert loader.run(["attach"]) == 0
    assert signal.getsignal(signal.SIGINT) is before
