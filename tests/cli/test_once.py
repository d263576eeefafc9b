"""An option with one value stands once, in every command: click would take the last one in silence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.cli.once import Once, takes_one


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands with the words that name them, also those below other groups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = [*commands(cli)]
SINGLE = [
    (path, spelling)
    for path, command in ALL
    for option in command.params
    if takes_one(option)
    for spelling in option.opts
]


def test_all_commands_are_tried() -> None:
    assert all(isinstance(command, Once) for _, command in ALL)
    assert {("vm", "run"), ("trial", "stop"), ("stdlib", "list"), ("explain",)} <= {path for path, _ in ALL}
    found = {(*path, spelling) for path, spelling in SINGLE}
    assert {("check", "--against"), ("compile", "-o"), ("cost", "--profile"), ("vm", "run", "--memory")} <= found
    assert len(SINGLE) > 60


@pytest.mark.parametrize(
    ("path", "spelling"), SINGLE, ids=lambda part: part if isinstance(part, str) else " ".join(part)
)
def test_no_option_stands_twice_in_silence(path: tuple[str, ...], spelling: str) -> None:
    option = next(each for _, command in ALL if _ == path for each in command.params if spelling in each.opts)
    longest = option.opts[0]
    for given in ([spelling, "1", spelling, "2"], [spelling, "1", option.opts[-1], "1"]):
        done = CliRunner().invoke(cli, [*path, *given])
        assert done.exit_code == 2 and f"{longest} is given twice; give it once" in done.stderr, done.output


@pytest.mark.parametrize("words", [["sim", "--pages", "--pages"], ["stat", "--json", "--json"]])
def test_flags_and_lists_may_stand_twice(words: list[str], tmp_path: Path) -> None:
    assert "twice" not in CliRunner().invoke(cli, words).output
    trace = tmp_path / "t.txt"
    trace.write_text("1\n2\n1\n")
    twice = ["sim", "s3fifo", "--trace", str(trace), "--capacity", "1", "--capacity", "2"]
    assert CliRunner().invoke(cli, twice).exit_code == 0


def test_a_shell_completes_behind_an_option_that_stands_twice() -> None:
    """The words so far are wrong, but nobody has ended the command yet."""
    asked = {"_CPOLC_COMPLETE": "bash_complete", "COMP_WORDS": "cpolc check --seed 1 --seed 2 --ag", "COMP_CWORD": "6"}
    done = CliRunner().invoke(cli, [], prog_name="cpolc", env=asked)
    assert "plain,--against" in done.output, done.output
