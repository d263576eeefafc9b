"""A policy that every verifier must refuse."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf, c

ROOT = Path(__file__).resolve().parents[2]


def make_refused(out: Path) -> None:
    """Compile lfu without the test that a folio has a record."""
    policy = compile_file(ROOT / "stdlib" / "lfu.cpol")
    scratch = out.parent / "refused"
    scratch.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        right = c.generate(replace(policy, path="lfu.cpol"))
        wrong = re.sub(r"if \(!cpol_rec\w*\)\s*(?:return|continue);", "", right)
        assert wrong != right
        wrong = wrong.replace("cpol_meta(c,", "cpol_look_up_again(c,")
        again = "#define cpol_look_up_again(c, f) cpol_look_up(f)\n"
        patch.setattr(c, "generate", lambda *_: again + wrong)
        out.write_bytes(bpf.build(policy, scratch).read_bytes())
