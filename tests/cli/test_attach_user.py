"""`cpolc attach --glue user`: what it runs, and what it refuses. The machine tests are in tests/vm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler import compile_file
from cpol.compiler.analysis.profile import refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.backend import host
from cpol.compiler.policies import resolve, stdlib_names
from cpol.kernel import profiles
from cpol.kernel.profiles.found import having

CGROUP = "/sys/fs/cgroup/app"
PAGE = Path(__file__).parents[2] / "docs" / "user-glue.md"
POLICY = """\
policy wanting {
  list q
  on added(f) { place f at tail of q }
  on evict { scan q from head as f { evict f } }
  LINE
}
"""


def attach(*words: str) -> Result:
    return CliRunner().invoke(cli, ["attach", *words, "--glue", "user"])


@pytest.mark.slow
def test_it_becomes_the_process_that_governs(tmp_path: Path) -> None:
    """Its params are raw, in their order. No Python is left: the process has the number that the command had."""
    assert os.geteuid() == 0, "the command asks for root, as make setup does"
    fake = tmp_path / "loader"
    fake.write_text('#!/bin/sh\necho $$\nprintf "%s\\n" "$@"\nexit 3\n')
    fake.chmod(0o755)
    words = ["attach", "lfu", CGROUP, "--glue", "user", "--set", "sample=64", "--margin", "2M", "--cpu", "5"]
    command = [sys.executable, "-c", "from cpol.cli.main import main; main()", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "CPOL_LOADER": str(fake)}
    ) as process:
        said = process.communicate(timeout=120)[0].splitlines()
    assert process.returncode == 3
    assert said[0] == str(process.pid)
    assert said[1:7] == ["govern", "--margin", str(2 << 20), "--cpu", "5", "--"]
    assert said[7].endswith(".bpf.o") and said[8].endswith(".so") and said[9:] == [CGROUP, "lfu", "64"]


@pytest.mark.parametrize(
    ("line", "code", "place", "why"),
    [
        ("on admit(f) { }", "E0504", "5:3", "handles `admit`, but the glue user does not report it"),
        ("on readahead(r) { }", "E0504", "5:3", "does not report it"),
        ("pin up to 10  on accessed(f) { pin f }", "E0514", "5:3", "but the glue user cannot pin them"),
        ("on accessed(f) { reclaim 1 }", "E0515", "5:20", "evicts only what it needs itself"),
        ("on accessed(f) { if f.dirty { move f to head of q } }", "E0513", "5:20", "does not let programs read that"),
        ("task up to 9 { n: u32 = 0 }", "E0511", "5:3", "does not tell threads apart"),
    ],
)
def test_what_it_cannot_do_is_refused(tmp_path: Path, line: str, code: str, place: str, why: str) -> None:
    path = tmp_path / "wanting.cpol"
    path.write_text(POLICY.replace("LINE", line))
    done = attach(str(path), CGROUP)
    assert done.exit_code == 1
    assert f"error[{code}]" in done.stderr and f"wanting.cpol:{place}" in done.stderr and why in done.stderr
    assert "= help: " in done.stderr, done.stderr


def test_inputs_are_refused() -> None:
    done = attach("get_scan", CGROUP)
    assert done.exit_code == 1
    assert "error[E0516]" in done.stderr and "get_scan.cpol:12:" in done.stderr
    assert "the policy has the input `scanners`, but the glue user fills no inputs" in done.stderr
    assert "use a param in its place, or attach it on a kernel with cache_ext" in done.stderr


def test_as_many_policies_of_the_stdlib_run_as_the_page_says() -> None:
    profile = profiles.load(profiles.USER)
    policies = [compile_file(resolve(name)) for name in stdlib_names()]
    runs = [policy.name for policy in policies if not refusals(policy, profile, Setting.of(policy, 1))]
    assert f"{len(runs)} of the {len(policies)} stdlib policies run" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [["attach", "mru", CGROUP], ["compile", "mru", "--attach", CGROUP]])
def test_its_profile_is_no_kernel(words: list[str]) -> None:
    done = CliRunner().invoke(cli, [*words, "--profile", "user"])
    assert done.exit_code == 2 and "you mean cpolc attach POLICY CGROUP --glue user" in done.stderr, done.output


def test_a_check_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["compile", "mru", "--profile", "user"])
    assert done.exit_code == 0 and "nothing is written" in done.stderr and not [*tmp_path.iterdir()]
    done = CliRunner().invoke(cli, ["compile", "mru", "--profile", "user", "-o", "mru.bpf.o"])
    assert done.exit_code == 2 and "compiles itself" in done.stderr and not [*tmp_path.iterdir()]
    done = CliRunner().invoke(cli, ["compile", "get_scan", "--profile", "user"])
    assert done.exit_code == 1 and "error[E0516]" in done.stderr


def test_rights_are_checked_before_it_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(host, "build", None)
    done = attach("mru", CGROUP)
    assert done.exit_code == 1 and "--glue user needs root" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mru", CGROUP, "--replace"], "takes one CGROUP, --set, --margin and --cpu, and no other option"),
        (["mru", CGROUP, f"{CGROUP}2"], "takes one CGROUP"),
        (["mru", CGROUP, "--trial", "10m", "--keep-if", "refaults <= before"], "takes one CGROUP"),
        (["mru", CGROUP, "--margin", "5"], "'5' is no size"),
        (["mru", CGROUP, "--margin", "1K"], "is too small; the least is 128 KiB"),
        (["mru.bpf.o", CGROUP], "not an object such as mru.bpf.o"),
    ],
)
def test_wrong_options(words: list[str], said: str) -> None:
    done = attach(*words)
    assert done.exit_code == 2 and said in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--cpu", "5"], "go with --glue user"), (["--margin", "2M"], "go with --glue user")],
)
def test_its_options_alone(words: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, ["attach", "mru", CGROUP, *words])
    assert done.exit_code == 2 and said in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "said"),
    [("sample", "write NAME=VALUE"), ("sample=0", "out of range"), ("much=1", "has no param 'much'")],
)
def test_wrong_params(setting: str, said: str) -> None:
    done = attach("lfu", CGROUP, "--set", setting)
    assert done.exit_code == 2 and said in done.stderr, done.stderr


def test_no_kernel_is_taken_for_it() -> None:
    """It is chosen by the option alone: a kernel without cache_ext has no profile."""
    everything = b"\0".join(
        name.encode() for name in ("", "cache_ext_ops", "cache_ext_evict_ctx", "bpf_cache_ext_evict", "")
    )
    assert having([profiles.entries(profiles.USER)], everything) is None
    found = having(map(profiles.entries, profiles.names()), everything)
    assert found is not None and found[0]["name"] == "patched-6.12"
