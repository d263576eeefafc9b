"""`cpolc profile`: what the running kernel can do, without what it is too old for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.kernel import profiles
from cpol.kernel.profiles.found import NO_NAMES


def cpolc(*words: str) -> Result:
    from cpol.cli.main import cli

    return CliRunner().invoke(cli, words)


def names_of(profile: str) -> set[str]:
    """What the BTF of a kernel of that profile has."""
    entries, _ = profiles.entries(profile)
    detect = {name for names in entries["detect"].values() for name in names}
    kfuncs = {name for names in entries["kfuncs"].values() for name in names}
    members = {
        name
        for section in ("events", "prefetch")
        for key, name in entries[section].items()
        if isinstance(name, str) and key not in NO_NAMES
    }
    return detect | kfuncs | members


@pytest.fixture
def btf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(profiles, "BTF", tmp_path)
    (tmp_path / "vmlinux").write_bytes(b"\0task_struct\0")
    return tmp_path / "cache_ext"


def write(btf: Path, names: set[str]) -> None:
    btf.write_bytes(b"\0" + b"\0".join(sorted(name.encode() for name in names)) + b"\0")


def test_a_kernel_of_this_commit_lacks_nothing(btf: Path) -> None:
    found = profiles.entries("module-6.12")[0]["detect"]
    assert found["structs"][-1] == "cache_ext_module_hook" and found["kfuncs"] == ["bpf_cache_ext_evict"], "of its base"
    write(btf, names_of("module-6.12"))
    assert profiles.running() == profiles.load("module-6.12") == profiles.load("running")
    done = cpolc("profile", "--json")
    found = json.loads(done.stdout)
    assert (found["name"], found["missing_names"]) == ("module-6.12", [])
    assert found["lacks"] == ["on admit", "task.writes"] and found["release"]
    assert "handlers    init, missed, added" in cpolc("profile").stdout


def test_what_an_older_kernel_lacks_is_left_out(btf: Path, tmp_path: Path) -> None:
    gone = {"bpf_cache_ext_reclaim", "bpf_cache_ext_pin", "file_opened"}
    write(btf, names_of("module-6.12") - gone)
    shown = cpolc("profile").stdout
    assert "on opened" in shown and "pin" in shown.partition("not here")[2]
    assert f"than this cpolc: it has no {' '.join(sorted(gone))}" in shown
    written = tmp_path / "this.toml"
    assert cpolc("profile", "-o", str(written)).exit_code == 0
    for profile in ("running", str(written)):
        done = cpolc("compile", "quota", "--profile", profile, "-o", str(tmp_path / "quota.bpf.o"))
        assert done.exit_code == 1 and "E0515" in done.stderr, done.output


@pytest.mark.parametrize("name", profiles.names())
def test_a_written_profile_says_the_same(name: str, tmp_path: Path) -> None:
    assert cpolc("profile", name, "-o", str(tmp_path / "x.toml")).exit_code == 0
    again, known = profiles.load(str(tmp_path / "x.toml")), profiles.load(name)
    assert again == known


def test_any_name_of_a_written_profile_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cpolc("profile", "module-7.2", "-o", "mine").exit_code == 0
    assert profiles.load("mine") == profiles.load("module-7.2")
    done = cpolc("profile", "module-7.2", "--json", "-o", "other")
    assert done.exit_code == 2 and "give one" in done.stderr and not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it has no `name`"),
        (b"name = 3\n", "its `name` is no text"),
        (b"name = 'x'\n", "it has no `events`"),
        (b"name = 'x'\nevents = 3\n", "its `events` is no table"),
        (b"name = 'x'\n[events]\n", "it has no `limits`"),
        (b"\xff", "it is not UTF-8"),
        (b"[[", "which is TOML: "),
    ],
)
def test_a_file_that_is_no_profile(content: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(content)
    done = cpolc("profile", str(path))
    assert done.exit_code == 1 and f"{path} is not a profile" in done.stderr and why in done.stderr, done.stderr
    path.unlink()
    assert cpolc("profile", str(path)).stderr.endswith(f"cannot read the profile {path}: No such file or directory\n")


def test_a_kernel_without_cache_ext(btf: Path) -> None:
    done = cpolc("profile")
    assert done.exit_code == 1 and "the running kernel has no cache_ext" in done.stderr, done.output
    done = cpolc("profile", "nowhere")
    assert done.exit_code == 2 and "there is no kernel profile `nowhere`" in done.stderr
