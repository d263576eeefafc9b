"""An empty path would be the folder where the command runs: no command takes one."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from cpol.cli.main import COMMANDS, cli
from cpol.cli.once import is_path


def taking_paths(command: click.Command, name: str) -> Iterator[tuple[str, click.Command, click.Parameter]]:
    """Each option of a command, or of one below it, that is a path; and its first argument, if that is one."""
    if isinstance(command, click.Group):
        for word, each in command.commands.items():
            yield from taking_paths(each, f"{name} {word}")
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    for param in command.params:
        if is_path(param) and (isinstance(param, click.Option) or param is arguments[0]):
            yield name, command, param


FOUND = [each for name in COMMANDS for each in taking_paths(cli.get_command(click.Context(cli), name), name)]


def test_many_are_found() -> None:
    names = {f"{name} {param.opts[-1]}" for name, _, param in FOUND}
    assert {"profile --output", "compile --output", "trace convert --output", "quota cgroup"} <= names, names


@pytest.mark.parametrize(
    ("name", "command", "param"), FOUND, ids=[f"{name} {param.opts[-1]}" for name, _, param in FOUND]
)
def test_an_empty_path_is_refused(name: str, command: click.Command, param: click.Parameter) -> None:
    words = [param.opts[-1], ""] if isinstance(param, click.Option) else [""]
    with pytest.raises(click.BadParameter, match="it is empty; give a path") as error:
        command.make_context(name, words)
    assert error.value.param is param
