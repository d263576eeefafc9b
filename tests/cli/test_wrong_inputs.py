"""What newcomers get wrong on the command line: each message says what is wrong, and what to write instead."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.policies import STDLIB

COMMANDS = ("compile", "check", "test", "cost", "doc")


def cpolc(*args: str) -> Result:
    return CliRunner().invoke(cli, args)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with some things that are no policies, and one that is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare").mkdir()
    (tmp_path / "mine").mkdir()
    for name in ("two.cpol", "one.cpol"):
        shutil.copy(STDLIB / "fifo.cpol", tmp_path / "mine" / name)
    shutil.copy(STDLIB / "fifo.cpol", tmp_path / "tuned.cpol")
    (tmp_path / "object.cpol").write_bytes(b"\x7fELF\x02\x01\x01\0\0\0\xb4\xff")
    (tmp_path / "latin.cpol").write_bytes(b"// caf\xe9\npolicy p { }\n")
    return tmp_path


def failed(*args: str) -> str:
    done = cpolc(*args)
    assert done.exit_code in (1, 2) and not isinstance(done.exception, Exception), done.output
    return done.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["mine", "mine/", "./mine"])
def test_a_folder(command: str, name: str) -> None:
    said = failed(command, name)
    assert "is a folder, not a policy" in said and "name a file in it, such as mine/one.cpol" in said
    assert "in the standard library" not in said


def test_a_trace_without_its_option_is_told_before_policies(folder: Path) -> None:
    (folder / "n.txt").write_text("1\n2\n")
    said = failed("sim", "lru", "n.txt", "--capacity", "10")
    assert "Missing option '--trace'. Give it: the trace file, plain or compressed: --trace n.txt." in said


def test_a_folder_for_every_other_command(folder: Path) -> None:
    (folder / "trace").write_text("1\n2\n")
    for words in (
        ("mine",),
        ("step", "mine", "--test", "t"),
        ("sim", "mine", "--trace", "trace", "--capacity", "2"),
        ("fmt", "mine"),
        ("fmt", "--check", "mine/"),
    ):
        assert "name a file in it, such as mine/one.cpol" in failed(*words), words
    assert "no .cpol file is in this folder" in failed("fmt", "bare")
    assert "no .cpol file is in this folder" in failed("check", "bare")


def test_a_stdlib_policy_beside_a_folder_of_its_name(folder: Path) -> None:
    (folder / "fifo").mkdir()
    assert cpolc("doc", "fifo").exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_file(command: str) -> None:
    assert "no such policy file: tuend.cpol; did you mean tuned.cpol?" in failed(command, "tuend.cpol")
    assert "did you mean" not in failed(command, "nothing_like_it.cpol"), "that both end in .cpol is no likeness"


@pytest.mark.parametrize("command", [*COMMANDS, "attach"])
def test_a_path_that_cannot_be_looked_at(command: str, folder: Path) -> None:
    (folder / "loop.cpol").symlink_to(folder / "loop.cpol")
    cgroup = ["/sys/fs/cgroup/shop"] if command == "attach" else []
    assert "File name too long; give another path" in failed(command, f"./{'x' * 300}.cpol", *cgroup)
    assert "loop.cpol" in failed(command, "./loop.cpol", *cgroup)


def test_a_missing_file_to_format() -> None:
    assert "= help: did you mean tuned.cpol?" in failed("fmt", "tuend.cpol")
    assert "= help: did you mean tuned.cpol?" in failed("fmt", "tuned")
    assert "did you mean" not in failed("fmt", "nothing_like_it.cpol")


@pytest.mark.parametrize("command", [*COMMANDS, "fmt"])
def test_a_binary_file(command: str) -> None:
    said = failed(command, "object.cpol")
    assert "object.cpol:1:11" in said and "it is a binary file (an object or a program)" in said
    assert "name the policy's source, such as mine.cpol" in said
    assert "save it as UTF-8" in failed(command, "latin.cpol")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("sim", "fifo", "--trace", "tuned.cpol", "--capacity", "2", "--batch", "x"),
            "'x' is no whole number from 1 to",
        ),
        (("check", "fifo", "--seed", "x"), "'x' is no whole number, 0 or more"),
        (("check", "fifo", "--max-examples", "1.5"), "'1.5' is no whole number, 1 or more"),
        (("top", "--interval", "soon"), "'soon' is no number from 0.1 to 3600"),
        (("step", "fifo", "--test", "t", "--break", "x"), "'x' is no whole number"),
        (("sim", "fifo"), "Missing option '--trace'. Give it: the trace file"),
        (("sim", "fifo", "--capacity", "2"), "Missing option '--trace'. Give it: the trace file"),
        (("sim", "fifo", "--capacity", "2", "--trace", "-"), "write --trace /dev/stdin for standard input"),
        (("check", "-"), "only `cpolc fmt` and `cpolc lint` read standard input"),
        (("check",), "Missing argument 'POLICY'. Give it: a name of the standard library"),
        (("test",), "Missing argument 'POLICY...'. Give it: a name of the standard library"),
        (("fmt",), "Missing argument 'FILE...|-'. Give them: paths to .cpol files"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else None,
)
def test_a_wrong_or_missing_word(words: tuple[str, ...], says: str) -> None:
    done = cpolc(*words)
    assert done.exit_code == 2 and says in done.stderr, done.stderr


def test_attach_takes_the_policy_first() -> None:
    done = cpolc("attach", "/sys/fs/cgroup/shop", "lru")
    says = "POLICY comes first, CGROUP second: cpolc attach lru /sys/fs/cgroup/shop"
    assert done.exit_code == 2 and says in done.stderr, done.stderr


def test_no_object_replaces_a_source(folder: Path) -> None:
    before = (folder / "tuned.cpol").read_bytes()
    for words in (("lru", "-o", "tuned.cpol"), ("compile", "lru", "--emit", "bpf", "-o", "tuned.cpol")):
        done = cpolc(*words)
        assert done.exit_code == 2 and "write -o tuned.bpf.o" in done.stderr, done.stderr
    assert (folder / "tuned.cpol").read_bytes() == before


def test_a_wrong_word_as_json() -> None:
    done = cpolc("check", "fifo", "--json", "--seed", "x")
    assert done.exit_code == 2 and "'x' is no whole number, 0 or more" in done.stderr
    assert done.stderr.startswith('{"severity": "error"')


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "NaN"])
def test_no_number_of_seconds(number: str) -> None:
    assert "Invalid value for '--interval'" in failed("top", "--once", "--interval", number)
    assert "Invalid value for '--timeout'" in failed("vm", "run", "--timeout", number, "--", "true")
