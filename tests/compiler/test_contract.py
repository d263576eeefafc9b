"""compiler/contract.toml: generated files are current, and handwritten files agree with it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cpol.compiler import contract
from cpol.compiler.analysis.profile import Profile, read_profile

ROOT = Path(__file__).resolve().parents[2]
CORES = {"cache_ext": contract.KFUNCS, "prefetch_ext": contract.PREFETCH_KFUNCS}
MANIFEST_README = (ROOT / "runtime/machine/include/cpol/README.md").read_text(encoding="utf-8")


def profile(name: str) -> Profile:
    return read_profile(ROOT / "kernel/profiles" / f"{name}.toml")


def test_generated_files_are_current():
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/contract.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("core", CORES)
def test_kernel_registers_the_kfuncs_of_the_contract(core: str):
    """All of them, and each for programs of the members that the contract names."""
    source = (ROOT / "kernel" / core / "kfunc_sets.h").read_text(encoding="utf-8")
    header = (ROOT / "kernel" / core / "contract.h").read_text(encoding="utf-8")
    numbers = {name: int(n) for name, n in re.findall(r"^\t(\w+) = (\d+),$", header, re.MULTILINE)}
    ops = contract.OPS if core == "cache_ext" else contract.PREFETCH_OPS
    sets = dict(re.findall(r"^BTF_SET_START\((\w+)\)\n(.*?)^BTF_SET_END", source, re.MULTILINE | re.DOTALL))
    found: dict[str, tuple[str, ...]] = dict.fromkeys(re.findall(r"BTF_ID_FLAGS\(func, (\w+)", source), ())
    for name, bits in re.findall(r"contains\(&(\w+), id\)\)\n\t\treturn ([^;]+);", source):
        for kfunc in re.findall(r"BTF_ID\(func, (\w+)\)", sets.pop(name)):
            found[kfunc] = tuple(ops[numbers[bit]] for bit in re.findall(r"1U << (\w+)", bits))
    assert not sets
    assert {kfunc: set(where) for kfunc, where in found.items()} == {
        kfunc: set(where) for kfunc, where in CORES[core].items()
    }


@pytest.mark.parametrize("name", ["patched-6.12", "module-6.12", "module-7.2"])
def test_profiles_have_the_limits_of_the_contract(name: str):
    limits = profile(name).limits
    assert limits["lists"] == limits["lists_total"] == contract.KERNEL_LISTS
    assert limits["stat_lists"] == contract.STAT_LISTS
    assert limits["tick_ms"] == contract.MAX_TICK_MS
    assert limits["folio_data"] == contract.MAX_RECORD
    assert limits["batch"] == contract.MAX_BATCH
    assert limits["rounds"] == contract.EVICT_ROUNDS
    assert limits["scan"] == contract.MAX_ROUNDS


@pytest.mark.parametrize("name", ["patched-6.12", "module-6.12", "module-7.2"])
def test_profiles_have_the_kfuncs_of_the_contract(name: str):
    found: dict[str, set[str]] = {}
    for member, kfuncs in profile(name).kfuncs.items():
        for kfunc in kfuncs:
            found.setdefault(kfunc, set()).add(member)
    assert found == {kfunc: set(where) or {"any"} for kfunc, where in contract.KFUNCS.items()}


def test_every_manifest_line_is_documented():
    for line in contract.MANIFEST_LINES:
        assert re.search(rf"^\s+{line} [A-Za-z|]+", MANIFEST_README, re.MULTILINE), line
    tokens = re.search(r"capacity \| param:NAME[^`]*?\| max", MANIFEST_README)
    assert tokens is not None
    described = {token.strip().split(":")[0] for token in tokens[0].split("|")} - {"param", "int", "fix"}
    assert described <= set(contract.FORMULA_TOKENS)
