"""What a policy may read of its surroundings, and an executor may lack."""

from __future__ import annotations

from typing import Literal

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.nodes import dataclass

Fact = Literal[
    "file", "page", "thread", "process", "comm", "time", "rw", "writeback", "mapped", "unread", "device", "cgroup"
]
"""What an executor may lack. `page` is the place of a folio in its file; `rw` tells reads from writes."""


@dataclass(frozen=True)
class Read:
    """A place in the source that reads a fact. `word` is its text, such as `f.file`."""

    fact: Fact
    word: str
    span: Span
