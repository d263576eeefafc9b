"""Objects compared with upstream's interface: those of cpolc, and wrong handwritten ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler import compile_file
from cpol.compiler.analysis.abi_check import InterfaceError, btf, find_violations
from cpol.compiler.backend import bpf
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.process import ToolError
from cpol.kernel import profiles

PROFILE = "upstream-2026"
ROOT = Path(__file__).resolve().parents[4]
BY_HAND = Path(__file__).parent / "by_hand.c"
CLANG = (clang(), "-target", "bpf", "-mcpu=v4", "-g", "-O2", "-Wall", "-Wno-unused-const-variable", "-Werror")


def by_hand(folder: Path, case: str = "") -> Path:
    built = folder / "by_hand.bpf.o"
    defined = [f"-DCASE_{case}"] if case else []
    subprocess.run([*CLANG, *defined, "-c", str(BY_HAND), "-o", str(built)], check=True)
    return built


def said(path: Path) -> list[str]:
    return find_violations(path, profiles.load(PROFILE))


def cpolc(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_correct_object(tmp_path: Path) -> None:
    """Its struct has members of other kernels, which are unset."""
    assert said(by_hand(tmp_path)) == []


ALLOWED = {
    "ADD_IN_ACCESSED": "the program of folio_accessed calls "
    "bpf_cache_ext_list_add, which {} allows in folio_added only",
    "EVICT_IN_ACCESSED": "the program of folio_accessed calls "
    "bpf_cache_ext_evict, which {} allows in evict_folios only",
    "CREATE_IN_A_FUNCTION": "the program of folio_accessed calls "
    "bpf_cache_ext_list_create, which {} allows in init only",
    "UNKNOWN_KFUNC": "the program of evict_folios calls bpf_cache_ext_offer, which {} does not have",
    "PROTOTYPE": "bpf_cache_ext_list_move is `s32 (struct folio *, s32, bool)` in it; in {} it is "
    "`s32 (struct folio *, u64, bool)`",
    "ITERATOR_SIZE": "struct bpf_iter_cache_ext_list has 32 bytes in it; in {} it has 24",
    "MEMBER": "it sets the member tick, which struct cache_ext_ops of {} does not have",
    "DATA_MEMBER": "it sets the member flags, which struct cache_ext_ops of {} does not have",
    "MEMBER_TYPE": "the member folio_added of struct cache_ext_ops is "
    "`void (struct folio *, struct mem_cgroup *)` in it; "
    "in {} it is `void (struct folio *)`",
    "ARGUMENT": "the program of folio_added reads argument 2; {} passes 1: (struct folio *)",
    "ARGUMENT_KEPT": "the program of folio_added reads argument 3; {} passes 1: (struct folio *)",
    "SLEEPS": "the program of evict_folios may sleep (struct_ops.s/evict_folios); {} lets init and exit sleep",
    "HELPER": "the program of folio_added calls the helper bpf_get_current_comm, which {} does not have",
    "FIELD": "it reads folio._folio_nr_pages, which {} does not have",
    "NO_POLICY": "it has no policy: no struct_ops of type cache_ext_ops in .struct_ops.link",
}


@pytest.mark.parametrize("case", sorted(ALLOWED))
def test_wrong_object_has_one_message(case: str, tmp_path: Path) -> None:
    assert said(by_hand(tmp_path, case)) == [ALLOWED[case].format(PROFILE)]


def test_every_case_of_the_source_is_tested() -> None:
    lines = BY_HAND.read_text().splitlines()
    cases = {line.split("CASE_")[1] for line in lines if line.startswith(("#ifdef", "#ifndef")) and "CASE_" in line}
    assert cases == set(ALLOWED)


def test_object_for_our_kernel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fifo.bpf.o"
    bpf.compile_policy(compile_file(ROOT / "stdlib" / "fifo.cpol"), path)
    found = said(path)
    assert "it sets the member name, which struct cache_ext_ops of upstream-2026 does not have" in found
    assert any(each.startswith("bpf_cache_ext_evict is `") for each in found)


@pytest.mark.parametrize("content", [b"", b"policy fifo { }", b"\x7fELF\x02\x01" + bytes(200)])
def test_files_that_are_not_objects(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "no.bpf.o"
    path.write_bytes(content)
    with pytest.raises(InterfaceError, match=r"no\.bpf\.o"):
        said(path)


def test_abi_check_command(tmp_path: Path) -> None:
    good = by_hand(tmp_path)
    done = cpolc(good, "--profile", PROFILE)
    assert (done.exit_code, done.stderr) == (0, f"{good}: keeps to the interface of upstream-2026\n")
    bad = by_hand(tmp_path, "UNKNOWN_KFUNC")
    done = cpolc(bad, "--profile", PROFILE)
    assert done.exit_code == 1 and f"{bad}: the program of evict_folios calls bpf_cache_ext_offer, which" in done.stderr
    done = cpolc(good, "--profile", "patched-6.12")
    assert done.exit_code == 1 and "the profile patched-6.12 describes no interface" in done.stderr
    for words in ([good], [good, "--profile", PROFILE, "-o", tmp_path / "x.o"]):
        assert cpolc(*words).exit_code == 2
    missing = cpolc(tmp_path / "missing.bpf.o", "--profile", PROFILE)
    assert missing.exit_code == 1 and "missing.bpf.o" in missing.stderr and "Traceback" not in missing.output


@pytest.mark.slow
def test_compile_checks_the_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "s3fifo.bpf.o"
    done = cpolc("s3fifo", "--profile", PROFILE, "-o", out)
    assert done.exit_code == 0 and said(out) == []
    profile = tmp_path / "other.toml"
    text = (ROOT / "kernel/profiles/upstream-2026.toml").read_text().replace('"bpf_cache_ext_list_move", ', "")
    profile.write_text(text.replace('"upstream-2026.h"', f'"{ROOT}/kernel/profiles/upstream-2026.h"'))
    done = cpolc("s3fifo", "--profile", str(profile), "-o", tmp_path / "other.bpf.o")
    assert done.exit_code == 1 and "calls bpf_cache_ext_list_move, which upstream-2026 does not have" in done.stderr
    assert not (tmp_path / "other.bpf.o").exists()


def test_missing_tools_and_descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = by_hand(tmp_path)
    (tmp_path / "x.toml").write_text(
        'name = "x"\nstruct_ops = "cache_ext_ops"\ninterface = "x.h"\n[events]\n[limits]\n[kfuncs]\nany = ["nothing"]\n'
    )
    with pytest.raises(InterfaceError, match=r"cannot read the description .*x\.h"):
        find_violations(path, profiles.load(str(tmp_path / "x.toml")))
    (tmp_path / "x.h").write_text("struct cache_ext_ops { int x; };\n")
    with pytest.raises(InterfaceError, match=r"x\.h does not describe an interface: (?s:.*)nothing"):
        find_violations(path, profiles.load(str(tmp_path / "x.toml")))
    monkeypatch.setattr(btf, "BPFTOOL", "bpftool-that-is-not-there")
    with pytest.raises(
        ToolError, match=r"^bpftool-that-is-not-there is not installed.*install its package .*make setup"
    ):
        said(path)
