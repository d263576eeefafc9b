"""`cpolc quota`: what is wrong with its words is said before anything is attached."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli


@pytest.mark.parametrize(
    ("size", "wrong"),
    [
        ("200MB", "'200MB' is no size of a quota"),
        ("abc", "'abc' is no size of a quota"),
        ("10%", "'10%' is no size of a quota"),
        ("1000,2000", "'1000,2000' is no size of a quota"),
        ("200M # mine", "'200M # mine' is no size of a quota"),
        ("", "'' is no size of a quota"),
        ("0", "0 is less than one page"),
        ("0M", "0M is less than one page of 4 KiB"),
        ("1K", "1K is less than one page of 4 KiB"),
        ("-5", "-5 is less than 0"),
        ("-5M", "-5M is less than 0"),
        ("1.5", "1.5 is no whole number of pages"),
        ("0.5", "0.5 is no whole number of pages"),
        ("5P", "5P is too large: the most is 1,099,511,627,776 pages (4P)"),
        ("9223372036854775808", "9223372036854775808 is too large"),
        ("1e300", "1e300 is too large"),
    ],
)
def test_a_size_that_is_none(size: str, wrong: str) -> None:
    done = CliRunner().invoke(cli, ["quota", "--", "/sys/fs/cgroup/none", size], prog_name="cpolc")
    assert done.exit_code in (1, 2)
    assert wrong in done.stderr and "; write 200M, 2G, or pages of 4 KiB" in done.stderr
    assert "--capacity" not in done.stderr


@pytest.mark.parametrize(("policy", "param"), [("quota", "limit"), ("lru", "quota_pages")])
def test_the_size_is_given_once(policy: str, param: str) -> None:
    words = ["quota", "/sys/fs/cgroup/none", "200M", "--policy", policy, "--set", f"{param}=5"]
    done = CliRunner().invoke(cli, words, prog_name="cpolc")
    assert done.exit_code in (1, 2) and f"SIZE sets {param}" in done.stderr
