"""Correct policies that some kernel cannot run, with their exact messages.

The first line of `refused/*.cpol` names profile and capacity.
`make generate` regenerates the messages; review the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cpol.compiler import stages
from cpol.compiler.analysis.profile import refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.diagnostics.errors import registry
from cpol.compiler.diagnostics.render import render
from cpol.kernel import profiles

FOLDER = Path(__file__).parent / "refused"
POLICIES = sorted(FOLDER.glob("*.cpol"))


def said(path: Path) -> str:
    head = re.match(r"// profile (\S+), (\d+) pages\n", path.read_text(encoding="utf-8"))
    assert head is not None
    own = FOLDER / f"{head[1]}.toml"
    profile = profiles.load(str(own) if own.exists() else head[1])
    compiled = stages.run(stages.read_file(path), path.name)
    found = refusals(compiled.policy, profile, Setting.of(compiled.policy, int(head[2])))
    return "".join(render(refusal.diagnostic(compiled.source, profile)) + "\n\n" for refusal in found)


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_messages_of_refused_policies(path: Path) -> None:
    expected = path.with_suffix(".expected")
    if os.environ.get("CPOL_WRITE_GOLDEN"):
        expected.write_text(said(path), encoding="utf-8")
    assert said(path) == expected.read_text(encoding="utf-8")


def test_every_profile_code_occurs() -> None:
    met = {code for path in POLICIES for code in re.findall(r"^error\[(\w+)\]", said(path), re.MULTILINE)}
    by_clang = {"E0512"}  # tests/compiler/backend/test_bpf.py
    assert met == {code for code in registry() if code.startswith("E05")} - by_clang


def test_no_orphan_expectations() -> None:
    assert {path.stem for path in POLICIES} == {path.stem for path in FOLDER.glob("*.expected")}
