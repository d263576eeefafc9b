"""Common behaviour of all commands: names, help, output."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import COMMANDS, GROUPS, cli
from cpol.compiler.policies import STDLIB, stdlib_names
from cpol.kernel import profiles


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cpolc(*words: str) -> Result:
    return CliRunner().invoke(cli, words, prog_name="cpolc")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek", "x.cpol"], "there is no command `chek`; did you mean `check`?"),
        (["simm", "x.cpol"], "there is no command `simm`; did you mean `sim`?"),
        (["stast", "/sys/fs/cgroup"], "did you mean `stat`?"),
        (["help", "chek"], "did you mean `check`?"),
        (["help", "zzz"], "`cpolc help` lists the commands"),
        (["help", "vm", "rum"], "Did you mean 'run'?"),
        (["help", "sim", "run"], "`cpolc sim` has no command `run` below it"),
        (["zzz", "x.cpol"], "`zzz` is neither a command"),
        (["lfu", "x.cpol"], "leave out `x.cpol`: `cpolc compile` takes only POLICY"),
    ],
)
def test_unknown_command(words: list[str], said: str) -> None:
    done = cpolc(*words)
    assert done.exit_code == 2 and said in done.stderr, done.stderr


@pytest.mark.parametrize("policy", sorted({*stdlib_names()} - {*COMMANDS}))
def test_a_policy_of_the_library_is_no_unknown_command(policy: str) -> None:
    done = cpolc(policy, "x.cpol")
    assert done.exit_code == 2 and "leave out `x.cpol`: `cpolc compile` takes only POLICY" in done.stderr, done.stderr


def test_unknown_policy() -> None:
    done = cpolc("lfuu")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1) and "did you mean `lfu`?" in done.stderr


@pytest.mark.parametrize("command", ["test", "check", "compile", "doc"])
def test_bare_name_beside_a_file_with_that_name(command: str, tmp_path: Path) -> None:
    (tmp_path / "dip.cpol").touch()
    done = cpolc(command, "dip")
    assert done.exit_code in (1, 2)
    assert done.stderr == (
        "cpolc: error: `dip` is not in the standard library; for the file in this folder write ./dip.cpol\n"
    )


def test_default_command_suggests_files_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    assert "write ./mine" in cpolc("mine").stderr


def test_stdlib_policy_beside_a_file_with_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(STDLIB / "mru.cpol", tmp_path)
    done = cpolc("doc", "mru")
    assert done.exit_code == 0
    assert done.stderr == ("note: `mru` is the policy of the standard library; for the file here write ./mru.cpol\n")
    assert cpolc("doc", "./mru.cpol").stderr == cpolc("stdlib", "show", "mru").stderr == ""
    monkeypatch.chdir(STDLIB)
    assert cpolc("doc", "mru").stderr == "", "it is the same file"


def test_help_shows_every_command_in_its_group() -> None:
    done = cpolc("help")
    assert done.stdout == cpolc("--help").stdout
    assert "Start with: cpolc new mine" in done.stdout
    place = -1
    for title, group in GROUPS.items():
        for line in (f"{title}:\n", *(f"  {name} " for name in group)):
            assert done.stdout.index(line, place + 1) > place
            place = done.stdout.index(line, place + 1)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command(name: str) -> None:
    done = cpolc("help", name)
    assert done.exit_code == 0 and done.stdout == cpolc(name, "--help").stdout


def test_help_of_a_subcommand() -> None:
    assert cpolc("help", "vm", "run").stdout == cpolc("vm", "run", "--help").stdout


@pytest.mark.parametrize("name", ["compile", "attach", "cost"])
def test_help_names_the_profiles(name: str) -> None:
    assert all(profile in cpolc(name, "--help").stdout for profile in profiles.names())
    done = cpolc("cost", "lru", "--profile", "debian")
    assert done.exit_code == 2 and all(profile in done.stderr for profile in profiles.names())


WITH_OUTPUT = [
    name for name in COMMANDS if any("-o" in param.opts for param in cli.get_command(click.Context(cli), name).params)
]
WITH_OUTPUT.remove("record")  # a loader writes it (test_record.py)
WITH_OUTPUT.remove("discover")  # the file names the policy (test_discover.py)
WORDS = {"compile": ["fifo"], "doc": ["fifo"], "new": ["mine"], "profile": ["module-6.12"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_OUTPUT)
def test_dash_is_standard_output(name: str, tmp_path: Path) -> None:
    to_file = cpolc(name, *WORDS[name], "-o", "file")
    printed = cpolc(name, *WORDS[name], "-o", "-")
    assert (to_file.exit_code, to_file.stdout_bytes) == (0, b"")
    assert printed.exit_code == 0 and printed.stdout_bytes == (tmp_path / "file").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_stages_to_standard_output() -> None:
    assert cpolc("fifo", "--emit", "c", "-o", "-").stdout == cpolc("fifo", "--emit", "c").stdout != ""


@pytest.mark.slow
@pytest.mark.parametrize("emit", ["bpf", "ir"])
def test_output_to_a_named_pipe(emit: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert cpolc("fifo", "--emit", emit, "-o", "pipe").exit_code == 0
    reader.join(10)
    assert pipe.is_fifo() and read == [cpolc("fifo", "--emit", emit, "-o", "-").stdout_bytes]
