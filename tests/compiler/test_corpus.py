"""Wrong policies with their exact diagnostics, and dumps of correct policies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.errors import registry
from cpol.compiler.stages import run

from .corpus import GOLDEN, WRONG, diagnostics_of, golden

NEEDS_NO_FILE = {"E0002", "E0006", "E0018"}
"""Tested in test_read.py: a missing file, and texts that are too large for this corpus."""
OF_A_PROFILE = "E05"
"""Tested in cost/test_refused.py: correct policies that some kernel cannot run."""
OF_LINT = "L"
"""Tested in lint/test_rules.py: policies that compile without a warning."""


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_diagnostics(path: Path) -> None:
    assert diagnostics_of(path) == path.with_suffix(".expected").read_text(encoding="utf-8")


def test_no_orphan_expectations() -> None:
    assert {path.stem for path in WRONG} == {path.stem for path in (GOLDEN.parent / "wrong").glob("*.expected")}


def test_every_code_occurs() -> None:
    met = set()
    for path in WRONG:
        met |= set(re.findall(r"^(?:error|warning)\[(\w+)\]", path.with_suffix(".expected").read_text(), re.MULTILINE))
    assert met == {code for code in registry() if not code.startswith((OF_A_PROFILE, OF_LINT))} - NEEDS_NO_FILE


def test_every_error_says_what_to_write_instead() -> None:
    """mypy holds that each place that reports one has a help; none of these is empty, or sends to another page."""
    for path in WRONG:
        for message in re.split(r"\n\n(?=error|warning)", path.with_suffix(".expected").read_text(encoding="utf-8")):
            if message.startswith("error"):
                assert re.search(r"^ *= help: ", message, re.MULTILINE), f"{path.name}: {message}"
                assert "`cpolc explain " not in message, f"{path.name}: {message}"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("area up to 10 { last: u64 = 0 }  on prefetch(p) { let x = p.area.last  if x > 1 { default } }", "E0103"),
        ("folio { index: u8 = 0 }  on accessed(f) { f.index = 1 }", "E0103"),
        ("folio { x: u8 = 0, x: bool = false }  on accessed(f) { f.x = 1 }", "E0102"),
        ("state n: u64 = 1  on accessed(f) { let n = true  if n { stop_ = 1 } }  state stop_: u8 = 0", "E0102"),
        ("state h: fix = 0.5  on accessed(f) { h = 1 / h }", "E0209"),
    ],
)
def test_one_mistake_is_one_error(body: str, code: str) -> None:
    text = "policy p { list q  on added(f) { place f at tail of q }  on evict { scan q from head as f { evict f } } "
    text += body + " }"
    with pytest.raises(CompileError) as caught:
        run(text, "p.cpol")
    assert [each.code for each in caught.value.diagnostics] == [code]


def test_a_divisor_that_is_a_share_is_not_made_1() -> None:
    text = "policy p { list q  state h: fix = 0.5  on added(f) { h = 1 / h  place f at tail of q }"
    with pytest.raises(CompileError, match=r"divide by `max\(h, LEAST\)`"):
        run(text + " on evict { scan q from head as f { evict f } } }", "p.cpol")


def test_every_wrong_policy_has_diagnostics() -> None:
    assert all(path.with_suffix(".expected").stat().st_size > 0 for path in WRONG)


def test_golden_dumps() -> None:
    dumps = golden()
    assert {path.name for path in GOLDEN.iterdir()} == set(dumps)
    for name, text in dumps.items():
        assert text == (GOLDEN / name).read_text(encoding="utf-8"), name
