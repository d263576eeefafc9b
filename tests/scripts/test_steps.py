"""`step` of scripts/lib.sh: run a long command and show its progress."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

LIB = Path(__file__).resolve().parents[2] / "scripts" / "lib.sh"


def bash(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"set -euo pipefail; . {LIB}; {script}"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "TMPDIR": str(folder), **environment},
        text=True,
        timeout=60,
        check=False,
    )


# The command ends after its status was read, so a slow machine does not matter.
UNTIL_SHOWN = """
probe() { touch shown; echo "half of it: $(cat "$1")"; }
STEP_STATUS=probe step "A long step" sh -c 'echo at work; until [ -e shown ]; do sleep 0.05; done'
"""


@pytest.mark.slow
def test_step_shows_progress(tmp_path: Path) -> None:
    done = bash(UNTIL_SHOWN, tmp_path, CPOL_HEARTBEAT="1")
    title, status, *_, seconds = done.stderr.splitlines()
    assert (done.returncode, title, status) == (0, "==> A long step", "    … half of it: at work")
    assert seconds.strip().endswith(" s")
    assert [file.name for file in tmp_path.iterdir()] == ["shown"]


@pytest.mark.slow
def test_step_updates_one_line_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        ["bash", "-c", f"set -euo pipefail; . {LIB}; {UNTIL_SHOWN}"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        assert process.wait(60) == 0
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    os.close(theirs)
    assert "\r\x1b[K    … half of it: at work\r\x1b[K" in shown


def test_failed_step_shows_the_end_of_its_log(tmp_path: Path) -> None:
    done = bash("step 'A step' sh -c 'echo the cause; exit 7'; echo not reached", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "the cause\nerror: A step: failed with exit code 7" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM])
def test_step_ends_with_its_script(number: signal.Signals, tmp_path: Path) -> None:
    script = f". {LIB}; step 'A step' sh -c 'echo $$ >child; exec sleep 1000'"
    child = tmp_path / "child"
    with subprocess.Popen(
        ["bash", "-c", script],
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        wait_for(lambda: child.exists() and child.read_text() != "")
        process.send_signal(number)
        assert process.wait(60) == 128 + number
    assert list(tmp_path.iterdir()) == [child]
    status = Path(f"/proc/{int(child.read_text())}/stat")
    wait_for(lambda: not status.exists() or status.read_text().split()[2] == "Z")


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("done", "total", "seconds", "words"),
    [
        (0, 10, 60, ""),
        (5, 10, 2, ""),
        (5, 10, 20, ", about 25 s left"),
        (1, 10, 20, ", about 3 min left"),
        (10, 10, 20, ""),
    ],
)
def test_time_left(done: int, total: int, seconds: int, words: str, tmp_path: Path) -> None:
    assert bash(f"time_left {done} {total} {seconds}", tmp_path).stdout == words


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("Reading package lists...\n", "0 %: reading package lists"),
        ("dlstatus:3:40.5:Retrieving file 3 of 9\n", "20 %, about 45 s left: fetching packages"),
        (
            "dlstatus:9:99:Retrieving file 9 of 9\nGet:1 x\npmstatus:clang-19:50:Unpacking clang-19 (amd64)\nnoise\n",
            "75 %, about 5 s left: Unpacking clang-19 (amd64)",
        ),
    ],
)
def test_apt_status(log: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(log)
    assert bash("apt_status log 10", tmp_path).stdout == f"{words}\n"
