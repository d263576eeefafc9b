"""`cpolc fmt`: files, standard input, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.policies import STDLIB
from cpol.compiler.toolchain import files

LOOSE = "policy p{list q\non added(f){place f at tail of q}\non evict{scan q from head as f{evict f}}}// end"
NEAT = """\
policy p {
  list q
  on added(f) { place f at tail of q }
  on evict    { scan q from head as f { evict f } }
}  // end
"""


def cpolc(*args: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["fmt", *args], input=stdin)


def test_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    path, link = tmp_path / "a.cpol", tmp_path / "link.cpol"
    path.write_text(LOOSE)
    path.chmod(0o640)
    link.symlink_to(path)
    done = cpolc(str(link))
    assert (done.exit_code, done.output) == (0, "")
    assert path.read_text() == NEAT and link.is_symlink()
    assert path.stat().st_mode & 0o7777 == 0o640
    assert sorted(tmp_path.iterdir()) == [path, link]
    before = path.stat().st_mtime_ns
    assert cpolc(str(path)).exit_code == 0
    assert path.stat().st_mtime_ns == before, "a formatted file must not be written"


def test_check_and_diff_do_not_write(tmp_path: Path) -> None:
    path = tmp_path / "a.cpol"
    path.write_text(LOOSE)
    done = cpolc("--check", str(path), str(STDLIB / "lru.cpol"))
    assert (done.exit_code, done.stderr) == (1, f"would change: {path}\n")
    done = cpolc("--diff", str(path))
    assert done.exit_code == 0 and "\n+  list q\n" in done.stdout
    assert cpolc("--check", "--diff", str(path)).exit_code == 1
    assert path.read_text() == LOOSE
    assert cpolc("--check", str(STDLIB / "lru.cpol")).exit_code == 0


def test_fmt_of_standard_input() -> None:
    assert cpolc("-", stdin=LOOSE.encode()).stdout == NEAT
    assert cpolc("-", "--check", stdin=LOOSE.encode()).exit_code == 1
    assert cpolc("-", "--check", stdin=NEAT.encode()).exit_code == 0
    done = cpolc("-", stdin=b"policy p {")
    assert done.exit_code == 1 and "--> <stdin>:1:10" in done.stderr
    assert "not UTF-8" in cpolc("-", stdin=b"\xff").stderr


def test_wrong_file_is_unchanged_and_others_are_formatted(tmp_path: Path) -> None:
    wrong, right = tmp_path / "wrong.cpol", tmp_path / "right.cpol"
    wrong.write_text("policy p { list }")
    right.write_text(LOOSE)
    done = cpolc(str(wrong), str(tmp_path / "missing.cpol"), str(right))
    assert done.exit_code == 1
    assert f"{wrong}:1:" in done.stderr and "missing.cpol" in done.stderr and "No such file" in done.stderr
    assert wrong.read_text() == "policy p { list }" and right.read_text() == NEAT


def test_fault_of_the_formatter_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cpol"
    path.write_text(LOOSE)
    monkeypatch.setattr("cpol.compiler.format.text.layout", lambda *_: NEAT.replace("// end", ""))
    done = cpolc(str(path))
    assert done.exit_code == 1 and "the layout would lose or change words or comments" in done.stderr
    assert path.read_text() == LOOSE


def test_failed_write_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cpol"
    path.write_text(LOOSE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fchmod", full)
    done = cpolc(str(path))
    assert done.exit_code == 1 and f"cannot write {path}: No space left" in done.stderr
    assert list(tmp_path.iterdir()) == [path] and path.read_text() == LOOSE


def test_fmt_without_files_is_a_usage_error() -> None:
    assert cpolc().exit_code == 2


def test_closed_standard_input_is_one_message() -> None:
    close = "import os, sys; os.close(0); os.execv(sys.executable, sys.argv[1:])"
    run = "from cpol.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", close, sys.executable, "-c", run, "fmt", "-"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "cpolc: error: standard input is closed; name a file, or give a policy by a pipe\n"


@pytest.mark.slow
@pytest.mark.parametrize("words", [("fmt",), ("fmt", "--upgrade"), ("lint",), ("lint", "--fix")], ids=" ".join)
def test_a_pipe_is_no_file_to_replace(words: tuple[str, ...], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in ("/dev/stdin", str(pipe)):
        command = (sys.executable, "-m", "cpol.cli.main", *words, path)
        done = subprocess.run(command, input=b"policy", capture_output=True, timeout=60, check=False)
        said = f"cpolc: error: {path} is no regular file; write `-` for standard input\n"
        assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", said)
