"""`cpolc completion`: scripts and candidates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from cpol.cli import complete
from cpol.cli.completion import VARIABLE
from cpol.cli.main import cli
from cpol.compiler.policies import stdlib_names

EAGER = """
policy mine { param eager: bool = true  list q
  on added(f) { if eager { place f at tail of q } else { place f at head of q } }
  on evict { scan q from head as f { evict f } } }
"""


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> type[ShellComplete]:
    monkeypatch.setenv(VARIABLE, "bash_complete")
    monkeypatch.chdir(tmp_path)
    return ShellComplete


def completed(line: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the candidates for the last word of `line`."""
    monkeypatch.setenv(VARIABLE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    *words, incomplete = line.split(" ")
    return [
        str(item.value) for item in ShellComplete(cli, {}, "cpolc", VARIABLE).get_completions(words[1:], incomplete)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cpolc swe", ["sweep"]),
        ("cpolc sweep ", ["report", "run", "status", "night.toml"]),
        ("cpolc sweep night.toml --in", ["--in-process"]),
        ("cpolc study ", ["report", "run", "trial", "night.toml"]),
        ("cpolc st", ["step", "study", "status", "stat", "stdlib", "stream", "stride"]),
        ("cpolc s3", ["s3fifo"]),
        ("cpolc attach s3", ["s3fifo"]),
        ("cpolc sim lru tw", ["twoq"]),
        ("cpolc stdlib show lf", ["lfu", "lfu_exact"]),
        ("cpolc new x --like tw", ["twoq"]),
        ("cpolc doc lru --format m", ["md", "man"]),
        ("cpolc attach lfu /x --set ", ["sample="]),
        ("cpolc lfu --set sa", ["sample="]),
        ("cpolc sim s3fifo lfu --set s", ["small_percent=", "sample="]),
        ("cpolc attach ./mine.cpol /x --set ", ["eager="]),
        ("cpolc attach ./mine.cpol /x --set eager=", ["eager=false", "eager=true"]),
        ("cpolc attach ./broken.cpol /x --set ", []),
        ("cpolc attach mi", ["./mine.cpol"]),
        ("cpolc step s3fifo --test the_g", ["the_ghost_brings_it_into_main"]),
        ("cpolc step ./broken.cpol --test t", []),
        ("cpolc fmt --ch", ["--check"]),
        ("cpolc cost lru --profile patched", ["patched-6.12"]),
        ("cpolc attach lru CG/", ["CG/a", "CG/b"]),
        ("cpolc detach CG/a/", ["CG/a/inner"]),
        ("cpolc --attach CG/b", ["CG/b"]),
        ("cpolc stat C", ["CG/"]),
    ],
)
def test_words(line: str, expected: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.cpol").write_text(EAGER)
    Path("broken.cpol").write_text("policy p {")
    for folder in ("CG/a/inner", "CG/b"):
        Path(folder).mkdir(parents=True)
        Path(folder, "cgroup.procs").touch()
    Path("CG/a/cgroup.procs").touch()
    Path("CG/no_cgroup").mkdir()
    Path("night.toml").touch()
    monkeypatch.setattr(complete, "CGROUPS", Path("CG"))
    assert completed(line, monkeypatch) == expected


def test_stdlib_policies_have_their_summaries() -> None:
    items = complete.policies(None, None, "")
    assert [item.value for item in items][: len(stdlib_names())] == stdlib_names()
    assert all(item.help for item in items[: len(stdlib_names())])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str) -> None:
    done = CliRunner().invoke(cli, ["completion", shell], prog_name="cpolc")
    assert done.exit_code == 0 and done.output.startswith("# Completion of cpolc.")
    assert f"{VARIABLE}={shell}_complete" in done.output
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=done.output, text=True, check=True)


def test_bash_completes(tmp_path: Path) -> None:
    """Run the script in bash, as the Tab key does."""
    script = CliRunner().invoke(cli, ["completion", "bash"], prog_name="cpolc").output
    (tmp_path / "cpolc").write_text('#!/bin/sh\nexec "$CPOL_PYTHON" -m cpol.cli.main "$@"\n')
    (tmp_path / "cpolc").chmod(0o755)
    asked = (
        script
        + '\nCOMP_WORDS=(cpolc stdlib ca); COMP_CWORD=2; _cpolc_completion cpolc ca stdlib; echo "${COMPREPLY[@]}"\n'
    )
    import os
    import sys

    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CPOL_PYTHON": sys.executable}
    env["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "src")
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.split() == ["cat"], done.stderr


def test_supported_shells() -> None:
    assert CliRunner().invoke(cli, ["completion", "csh"]).exit_code == 2


def test_command_that_needs_the_checkout_is_left_out(
    words: type[ShellComplete], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "cpol.cli.vm", raising=False)
    monkeypatch.setitem(sys.modules, "cpol.kernel.vm.accel", None)  # as in a wheel
    found = completed("cpolc ", monkeypatch)
    assert "vm" not in found and "sim" in found
    assert completed("cpolc v", monkeypatch) == []
    completed("cpolc vm ", monkeypatch)
