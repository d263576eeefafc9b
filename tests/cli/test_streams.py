"""A failing standard output is one message with its own exit code; a closed pipe ends every command quietly."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from studies import study_in
from sweeps import spec_in, sweep

from cpol.cli.errors import EXIT_BROKEN_PIPE, EXIT_WRITE
from cpol.cli.main import COMMANDS
from cpol.runtime.operate import loader

RUNS = {
    "new": "new mine -o -",
    "compile": "compile fifo -o -",
    "fmt": "fmt --diff wide.cpol",
    "lint": "lint wide.cpol",
    "doc": "doc fifo",
    "check": "check fifo --max-examples 1 --no-native",
    "test": "test wide.cpol",
    "step": "step fifo --test order_of_arrival",
    "sim": "sim fifo --trace keys.txt --capacity 2",
    "mrc": "mrc keys.txt fifo",
    "tune": "tune s3fifo keys.txt --memory 2 --trials 2",
    "sweep": "sweep status swept",
    "study": "study run study.toml",
    "trace": "trace info keys.txt",
    "advise": "advise loop.txt --memory 20 --policy mru --trials 0",
    "gallery": "gallery list",
    "cost": "cost fifo",
    "list": "list",
    "top": "top --once --interval 0.1",
    "metrics": "metrics",
    "stdlib": "stdlib cat fifo",
    "profile": "profile module-6.12",
    "explain": "explain",
    "help": "help",
    "completion": "completion bash",
}
"""A command line for each command that writes to standard output without a kernel that has cache_ext."""

LINES = {name: RUNS.get(name, f"{name} --help") for name in COMMANDS}

CPOLC = """
import sys
from pathlib import Path
from cpol.runtime.operate import loader
loader.find = lambda: Path("usage" if "list" in sys.argv else "loader").resolve()
from cpol.cli.main import main
main()
"""
WIDE = (
    "policy wide  { list q\n on added(f) { place f at tail of q }\n on evict { scan q from head as f { evict f } } }\n"
)


def test_every_command_is_covered() -> None:
    assert RUNS.keys() <= COMMANDS.keys()
    kernel = {"apply", "attach", "detach", "record", "observe", "set", "input", "stat", "status", "trial"}
    kernel |= {"quota", "uncached", "vm"}
    minutes = {"discover"}  # and it prints after the file is written
    servers = {"dap", "lsp"}  # which print what an editor asks for
    assert COMMANDS.keys() - RUNS.keys() == kernel | minutes | servers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wide.cpol").write_text(WIDE)
    (tmp_path / "keys.txt").write_text("1\n2\n3\n1\n" * 150)
    sweep(spec_in(tmp_path, traces=1), tmp_path / "swept")
    study_in(tmp_path)
    (tmp_path / "loop.txt").write_text("".join(f"{number % 30}\n" for number in range(1200)))
    says = json.dumps([{"cgroup": 1, "path": "/a", "name": "p", "state": "attached", "hits": 1}])
    (tmp_path / "loader").write_text(f"#!/bin/sh\nexec echo '{says}'\n")
    # The loader itself writes here what it can write on any kernel.
    (tmp_path / "usage").write_text(f"#!/bin/sh\nexec {loader.find()} --help\n")
    for name in ("loader", "usage"):
        (tmp_path / name).chmod(0o755)
    return tmp_path


def run(words: list[str], folder: Path, stdout: int, stderr: int = subprocess.PIPE) -> tuple[int, str]:
    command = [sys.executable, "-c", CPOLC, *words]
    done = subprocess.run(command, cwd=folder, stdout=stdout, stderr=stderr, text=True, check=False, timeout=120)
    return done.returncode, done.stderr


def closed_pipe() -> int:
    """Return the write end of a pipe without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_full_disk(name: str, folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        code, said = run(LINES[name].split(), folder, full.fileno())
    assert code == EXIT_WRITE, said
    assert re.fullmatch(r"cpol(c|-loader): error: cannot write to standard output.*\n", said)


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_closed_pipe(name: str, folder: Path) -> None:
    writer = closed_pipe()
    assert run(LINES[name].split(), folder, writer) == (EXIT_BROKEN_PIPE, "")
    os.close(writer)


@pytest.mark.slow
def test_closed_standard_error(folder: Path) -> None:
    """`cpolc … 2>&1 | head` closes both streams."""
    writer = closed_pipe()
    assert run(["doc", "nowhere"], folder, writer, writer)[0] == EXIT_BROKEN_PIPE
    os.close(writer)
    with Path("/dev/full").open("wb") as full:
        assert run(["doc", "nowhere"], folder, full.fileno(), full.fileno())[0] == EXIT_WRITE


@pytest.mark.slow
def test_bytes_to_standard_output(folder: Path) -> None:
    """`-o -` ends as text to standard output does."""
    words = ["trace", "synth", "loop:requests=5000", "--to", "text", "-o", "-"]
    writer = closed_pipe()
    assert run(words, folder, writer) == (EXIT_BROKEN_PIPE, "")
    os.close(writer)
    with Path("/dev/full").open("wb") as full:
        code, said = run(words, folder, full.fileno())
    assert code == EXIT_WRITE
    assert said.startswith("cpolc: error: cannot write to standard output: ")


def test_output_without_errors(folder: Path) -> None:
    command = [sys.executable, "-c", CPOLC, "stdlib", "cat", "fifo"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    assert done.stdout.startswith(b"/// ") and done.stdout.endswith(b"}\n") and done.stderr == b""
