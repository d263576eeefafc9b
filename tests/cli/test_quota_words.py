"""`cpolc quota`: what is wrong with its words is said before anything is attached."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli


@pytest.mark.parametrize("size", ("200MB", "abc", "0", "1K", "1.5", "0.5", "10%", "1000,2000"))
def test_a_size_that_is_none(size: str) -> None:
    done = CliRunner().invoke(cli, ["quota", "/sys/fs/cgroup/none", size], prog_name="cpolc")
    assert done.exit_code in (1, 2)
    assert f"{size} is no size of a quota: write 200M, 2G, or pages of 4 KiB" in done.stderr
    assert "--capacity" not in done.stderr


@pytest.mark.parametrize(("policy", "param"), [("quota", "limit"), ("lru", "quota_pages")])
def test_the_size_is_given_once(policy: str, param: str) -> None:
    words = ["quota", "/sys/fs/cgroup/none", "200M", "--policy", policy, "--set", f"{param}=5"]
    done = CliRunner().invoke(cli, words, prog_name="cpolc")
    assert done.exit_code in (1, 2) and f"SIZE sets {param}" in done.stderr
