"""The table in docs/upstream.md: stdlib policies that upstream's interface supports.

`make generate` regenerates it; review the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cpol.compiler import stages
from cpol.compiler.analysis.abi_check import find_violations
from cpol.compiler.analysis.abi_check.btf import read_btf
from cpol.compiler.analysis.profile import refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.backend import bpf
from cpol.compiler.policies import stdlib_names
from cpol.kernel import profiles

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs" / "upstream.md"
MARK = "<!-- table"


def row(name: str, folder: Path) -> str:
    """Return a row of the table. A policy that is not refused must compile to an object that passes the ABI check."""
    profile = profiles.load("upstream-2026")
    policy = stages.run_file(ROOT / "stdlib" / f"{name}.cpol").policy
    found = refusals(policy, profile, Setting.of(policy, 1 << 18))
    if found:
        why = sorted({f"{each.what} ({each.code})" for each in found})
        return f"| {name} | no | {'; '.join(why)} |"
    path = folder / f"{name}.bpf.o"
    bpf.compile_policy(policy, path, profile.target)
    assert find_violations(path, profile) == []
    node = read_btf(path).structs.get("cpol_node")
    kept = "nothing is kept of a folio" if node is None else f"{node['size']} bytes"
    return f"| {name} | yes | {kept} |"


@pytest.mark.long
def test_table_of_the_page_is_current(tmp_path: Path) -> None:
    text, mark, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    line = mark + rest.split("\n")[0]
    rows = [row(name, tmp_path) for name in stdlib_names()]
    wanted = "\n".join([text + line, "", "| policy | compiles | |", "| --- | --- | --- |", *rows]) + "\n"
    if os.environ.get("CPOL_WRITE_GOLDEN"):
        PAGE.write_text(wanted, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == wanted


@pytest.mark.slow
def test_records_of_files_and_threads_pass(tmp_path: Path) -> None:
    profile = profiles.load("upstream-2026")
    policy = stages.run_file(ROOT / "examples" / "database" / "database.cpol").policy
    assert refusals(policy, profile, Setting.of(policy, 1 << 18)) == []
    bpf.compile_policy(policy, tmp_path / "database.bpf.o", profile.target)
    assert find_violations(tmp_path / "database.bpf.o", profile) == []
