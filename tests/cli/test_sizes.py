"""Sizes of memory in options: what is wrong with one is said, and before anything begins."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.errors import RequestError
from cpol.runtime.simulate.sweep.executors import bytes_of
from cpol.sizes import read_size

WRONG = {
    "0M": "too small; the least is",
    "-5": "less than 0; give a size",
    "-5M": "less than 0; give a size",
    "": "no size; give one with its unit",
    "4X": "no size; give one with its unit",
    "200M # mine": "no size; give one with its unit",
    "0.5": "no size; give one with its unit",
    "2000P": "too large; the most is",
    "9223372036854775808G": "too large; the most is",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items())
def test_a_size_that_is_none(text: str, said: str) -> None:
    done = CliRunner().invoke(cli, ["vm", "run", f"--memory={text}", "true"], prog_name="cpolc")
    assert done.exit_code == 2, done.stderr
    assert "Invalid value for '--memory'" in done.stderr and f"'{text}' is {said}" in done.stderr, done.stderr
    with pytest.raises(RequestError, match=re.escape(f"'{text}' is {said}")):
        bytes_of(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0", "1 byte to 1024T"),
        ("2000P", "1 byte to 1024T"),
        ("9223372036854775808", "1 byte to 1024T"),
        ("-5", "'-5'"),
    ],
)
def test_a_bandwidth_that_is_none(text: str, said: str) -> None:
    words = ["sim", "leap", "--trace", "none", "--capacity", "1", f"--bandwidth={text}"]
    done = CliRunner().invoke(cli, words, prog_name="cpolc")
    assert done.exit_code == 2 and said in done.stderr and "'--bandwidth'" in done.stderr


@pytest.mark.parametrize(("text", "size"), [("4K", 4096), ("1.5MiB", 3 << 19), ("2gb", 2 << 30), ("8E", 8 << 60)])
def test_sizes(text: str, size: int) -> None:
    assert read_size(text, 4096, 8 << 60) == size
    with pytest.raises(ValueError, match="too small; the least"):
        read_size(text, size + 1, 16 << 60)
    with pytest.raises(ValueError, match="too large; the most"):
        read_size(text, 1, size - 1)
