"""Every policy of the standard library names its source and use, is short, and compiles to BPF."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.compiler.objects import object_for

STDLIB = sorted((Path(__file__).parents[2] / "stdlib").glob("*.cpol"))
PAGE = 80
"""Most lines of a policy, without comments and tests."""

HAND_WRITTEN = {"fifo": 242, "mru": 253, "lfu": 416, "s3fifo": 582, "get_scan": 551, "lhd": 714, "mglru": 1060}
"""Lines of BPF C and loader of the same policy in the artefact of cache_ext (SOSP '25)."""

POLICIES = pytest.mark.parametrize("path", STDLIB, ids=lambda path: path.stem)


def code_lines(lines: list[str]) -> list[str]:
    """Return the lines without comments, empty lines and `test` blocks."""
    code, in_test = list[str](), False
    for line in lines:
        in_test = in_test or line.startswith("  test ")
        if not in_test and line.strip() and not line.strip().startswith("//"):
            code.append(line)
        in_test = in_test and line != "  }"
    return code


@POLICIES
def test_header_and_length(path: Path) -> None:
    policy = compile_file(path)
    summary, empty, *rest = policy.doc.splitlines()
    assert summary.endswith(".") and empty == ""
    for heading in ("Source", "For", "Not for"):
        assert re.search(rf"(^|\. ){heading}: \w.*", "\n".join(rest), re.MULTILINE), f"no `{heading}:`"
    assert policy.invariants or not policy.lists
    assert policy.tests
    lines = path.read_text(encoding="utf-8").splitlines()
    for param in policy.params:
        declared = next(line for line in lines if line.lstrip().startswith(f"param {param.name}:"))
        assert param.doc or "//" in declared, f"{param.name} has no doc comment"
    code = code_lines(lines)
    assert len(code) <= PAGE
    assert 5 * len(code) <= HAND_WRITTEN.get(path.stem, 5 * PAGE)
    assert max(map(len, lines)) <= 120


@POLICIES
def test_compiles_to_bpf(path: Path) -> None:
    """Or was compiled before, from the same text by the same compiler."""
    with object_for(compile_file(path)) as out:
        assert out.stat().st_size > 0
