"""Numbers of threads and processes: which exist, and what they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from loader_types import Build

NONE = "there is none of that number"


@pytest.fixture(scope="module")
def tasks(build: Build) -> Path:
    return build("tasks")


def told(tasks: Path, *numbers: int) -> list[list[str]]:
    """Return, for each number, why it is no thread, why it is no process, and its name."""
    done = subprocess.run([tasks, *map(str, numbers)], capture_output=True, text=True, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]


def test_processes_and_their_threads(tasks: Path) -> None:
    found, over = [0], threading.Event()

    def wait() -> None:
        found[0] = threading.get_native_id()
        over.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    name = Path(f"/proc/{os.getpid()}/comm").read_text().rstrip("\n")
    try:
        assert found[0] != os.getpid()
        assert told(tasks, os.getpid(), found[0]) == [
            ["", "", name], ["", "it is the number of another process's thread", name],
        ]  # fmt: skip
    finally:
        over.set()
        thread.join()


def test_ended_process(tasks: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert told(tasks, process.pid, 4194304) == [[NONE, NONE, ""]] * 2


def test_process_of_another_user(tasks: Path) -> None:
    """Who may not send it a signal sees that it is there."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        copy = shutil.copy(tasks, folder)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy, str(os.getpid())]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("||")
