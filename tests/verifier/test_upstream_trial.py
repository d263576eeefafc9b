"""Programs for upstream's interface, with our kernel's names: they compile, and the verifier takes them."""

from __future__ import annotations

from pathlib import Path

import pytest
import um
import um_objects
from upstream_trial import carried, compile_trial, make_headers

from cpol.compiler.policies import STDLIB


def test_they_compile(tmp_path: Path) -> None:
    """Where our headers and upstream's no longer meet, this is the first to say so."""
    make_headers(tmp_path)
    compile_trial(STDLIB / "lfu.cpol", tmp_path, tmp_path / "lfu.bpf.o")
    assert b"trial_lfu" in (tmp_path / "lfu.bpf.o").read_bytes()


@pytest.mark.vm
@pytest.mark.long
def test_the_verifier_takes_them(tmp_path: Path) -> None:
    make_headers(tmp_path)
    sources = carried()
    built = [tmp_path / f"{name}.bpf.o" for name in sources]
    for source, target in zip(sources.values(), built, strict=True):
        compile_trial(source, tmp_path, target)
    refused = [verdict.refusal for verdict in um_objects.verify(um.kernel(), built) if verdict.refusal is not None]
    assert not refused, "\n".join(refused)
    assert len(sources) > 10
