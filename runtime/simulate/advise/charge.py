"""The room that a policy's own memory takes: its cgroup is charged for a node beside each folio.

kernel/cache_ext/node.c has the sizes. A recording of the kernel's default has no nodes.
"""

from __future__ import annotations

from cpol.compiler import ir
from cpol.compiler.ir import layout

HEAD = 36
"""Bytes of a node before its record."""
STEP = 8
INDEX = 27
"""Bytes that are charged for the index, for each node."""


def node_bytes(policy: ir.Policy) -> int:
    """What is charged beside each folio."""
    members = layout.kernel_record(policy)
    align = max((4, *(member.size for member in members)))
    return _aligned(_aligned(HEAD, align) + layout.record_size(members), STEP) + INDEX


def with_nodes(pages: float, policy: ir.Policy, page: int) -> float:
    """The pages that fit into so many, with their nodes."""
    return pages * page / (page + node_bytes(policy))


def _aligned(size: int, to: int) -> int:
    return -(-size // to) * to
