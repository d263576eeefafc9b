"""Habits of the command line: signals, closed streams, owners, names that are a command and a policy, odd compilers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.errors import EXIT_TOOL, use_colour
from cpol.cli.main import cli
from cpol.cli.progress import progress
from cpol.compiler.toolchain import cache, files

ROOT = Path(__file__).resolve().parents[2]
CPOLC = (sys.executable, "-m", "cpol.cli.main")
FIFO = (ROOT / "stdlib" / "fifo.cpol").read_text()


def run(*words: str | bytes, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CPOLC, *words], env={**os.environ, **environment}, capture_output=True, text=True, errors="surrogateescape"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_with_its_code_and_leaves_nothing_half_made(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    """The compiler waits, so that the signal comes while an entry of the cache is made."""
    compiler, began = tmp_path / "clang", tmp_path / "began"
    compiler.write_text(f"#!/bin/sh\ntouch {began}\nexec sleep 60\n")
    compiler.chmod(0o755)
    trace = tmp_path / "trace.txt"
    trace.write_text("1\n2\n")
    environment = {**os.environ, "CPOL_CACHE": str(tmp_path / "cache"), "CPOL_CLANG": str(compiler)}
    words = ["sim", "fifo", "--trace", str(trace), "--capacity", "10"]
    running = subprocess.Popen([*CPOLC, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while not began.exists() and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(number)
    said, _ = running.communicate()
    assert running.returncode == code, said
    assert not list((tmp_path / "cache").rglob("making-*"))
    assert b"Traceback" not in said


def test_what_was_never_finished_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path))
    old, new, entry = tmp_path / "kind" / "making-old", tmp_path / "kind" / "making-new", tmp_path / "kind" / "old"
    for folder in (old, new, entry):
        folder.mkdir(parents=True)
        (folder / "file").write_text("")
    long_ago = time.time() - 2 * cache.ABANDONED
    for folder in (old, entry):
        os.utime(folder, (long_ago, long_ago))
    cache.make("kind", "name", lambda path: path.write_text("made"))
    assert [path.exists() for path in (old, new, entry)] == [False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("words", ["cost fifo --json", "stdlib list --json", "doc fifo"])
def test_closed_standard_output_is_an_error(words: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *CPOLC, *words.split()], capture_output=True, text=True
    )
    assert done.returncode == 74
    assert done.stderr == "cpolc: error: cannot write to standard output: it is closed\n"


def test_a_dumb_terminal_has_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    for terminal, colours in (("xterm", True), ("dumb", False), ("", False)):
        monkeypatch.setenv("TERM", terminal)
        assert use_colour(Terminal()) is colours  # type: ignore[arg-type]  # a stream that answers no more


def test_a_replaced_file_keeps_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.cpol"
    path.write_text(FIFO.replace("policy fifo {", "policy   fifo {"))
    given: list[tuple[int, int]] = []
    if os.geteuid() == 0:
        os.chown(path, 1234, 4321)
    else:  # as root would see it
        monkeypatch.setattr(files.os, "fchown", lambda _, user, group: given.append((user, group)))
        monkeypatch.setattr(files.os, "fstat", lambda _: Path("/").stat())
    assert CliRunner().invoke(cli, ["fmt", str(path)]).exit_code == 0
    status = path.stat()
    assert "policy fifo {" in path.read_text()
    assert (given or [(status.st_uid, status.st_gid)]) == [
        (1234, 4321) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    ]


@pytest.mark.parametrize("words", [["-o", "x"], ["--emit", "c"]])
def test_a_policy_that_is_named_as_a_command(words: list[str]) -> None:
    done = CliRunner().invoke(cli, ["uncached", *words])
    assert done.exit_code == 2
    assert (
        f"`uncached` is a command here, and a policy, too: write `cpolc compile uncached {words[0]} …`" in done.output
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["fifo", "-o", "OUT"], ["sim", "fifo", "--trace", "TRACE", "--capacity", "10"], ["check", "fifo"]]
)
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "does not work"),
        (
            '[ "$1" = --version ] && echo "Debian clang version 11.0.1-2" && exit 0; exit 1',
            "clang 11, which is too old",
        ),
        ('[ "$1" = --version ] && echo "gcc (Debian) 12" && exit 0; exit 1', "is no clang: it calls itself `gcc"),
        (
            '[ "$1" = --version ] && echo "clang version 19.1.0"; exit 0',
            "/clang (`clang version 19.1.0`) does not work: it reported no error and wrote nothing",
        ),
    ],
)
def test_an_unfit_compiler_is_told_as_that(words: list[str], script: str, said: str, tmp_path: Path) -> None:
    compiler = tmp_path / "clang"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    (tmp_path / "trace.txt").write_text("1\n2\n")
    places = {"OUT": str(tmp_path / "out.bpf.o"), "TRACE": str(tmp_path / "trace.txt")}
    done = run(
        *(places.get(word, word) for word in words), CPOL_CLANG=str(compiler), CPOL_CACHE=str(tmp_path / "cache")
    )
    assert done.returncode == (EXIT_TOOL if words[0] == "check" else 1)
    assert done.stderr.count("\n") == (2 if words[0] == "check" else 1)
    assert said in done.stderr
    assert "install clang-19, or name one in CPOL_CLANG" in done.stderr
    assert "defect of cpol" not in done.stderr


@pytest.mark.slow
def test_paths_that_are_no_utf8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.cpol"
    Path(os.fsdecode(path)).write_text(FIFO)
    for words in (["fmt"], ["cost"], ["doc"], ["test"], ["compile", "--emit", "c"]):
        done = run(*words, path)
        assert done.returncode == 0, done.stderr
    Path(os.fsdecode(path)).write_text("policy p:")
    done = run("check", path)
    assert done.returncode != 0
    assert "write `policy p { … }`" in done.stderr


def test_explain_finds_what_is_about_words() -> None:
    done = CliRunner().invoke(cli, ["explain", "DIVISOR"])
    assert done.exit_code == 0
    assert done.output == "E0209  a divisor that may be zero\n"
    assert len(CliRunner().invoke(cli, ["explain", "ghost"]).output.splitlines()) > 2
    none = CliRunner().invoke(cli, ["explain", "nothing-of-it"])
    assert none.exit_code == 1
    assert "`cpolc explain` lists them" in none.output


@pytest.mark.slow
def test_a_cache_that_is_no_folder_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("1\n")
    done = run("sim", "fifo", "--trace", str(tmp_path / "t.txt"), "--capacity", "1", CPOL_CACHE="/dev/null")
    assert done.returncode == 1 and "chmod" not in done.stderr
    assert "CPOL_CACHE=/dev/null is no folder; unset it, or name a folder" in done.stderr


def test_fmt_keeps_all_names_of_a_file(tmp_path: Path) -> None:
    path, other = tmp_path / "mine.cpol", tmp_path / "other.cpol"
    path.write_text(FIFO.replace("policy fifo {", "policy       fifo {"))
    other.hardlink_to(path)
    assert CliRunner().invoke(cli, ["fmt", str(path)]).exit_code == 0
    assert path.samefile(other) and other.read_text() == FIFO


@pytest.mark.parametrize("terminal", ["dumb", ""])
def test_a_dumb_terminal_has_no_progress(
    terminal: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", terminal)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress() as show:
        show("far")
    assert capsys.readouterr().err == ""
