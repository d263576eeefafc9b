"""The room that a policy's own memory takes (charge.py), beside the kernel's sizes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cpol.compiler import compile_source
from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.advise.charge import HEAD, INDEX, STEP, node_bytes, with_nodes
from cpol.runtime.simulate.runs.capacity import PAGE

NODE = Path(__file__).resolve().parents[4] / "kernel" / "cache_ext" / "node.c"


def test_sizes_are_the_kernels() -> None:
    text = NODE.read_text()
    sizes = re.findall(r"offsetof\(struct cache_ext_node, data\) != (\d+)|define (?:STEP|INDEX_SHARE)\s+(\d+)", text)
    assert [int(head or other) for head, other in sizes] == [STEP, INDEX, HEAD]


@pytest.mark.parametrize(("name", "size"), [("mru", 67), ("linux_lru", 67), ("lirs", 75)])
def test_node(name: str, size: int) -> None:
    assert node_bytes(compiled(resolve(name)).policy) == size


def test_a_record_of_words_is_aligned() -> None:
    """The record begins 4 bytes further: 40 + 16, and not 36 + 16."""
    text = """policy p {
  list queue
  folio { first: u64 = 0, second: u64 = 0 }
  on added(f) { f.first = cache.size  f.second = f.first  place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
}
"""
    assert node_bytes(compile_source(text, "p.cpol")) == 40 + 16 + INDEX


def test_pages_and_nodes_fill_the_room() -> None:
    policy = compiled(resolve("mru")).policy
    assert with_nodes(100, policy, PAGE) * (PAGE + 67) == pytest.approx(100 * PAGE)
