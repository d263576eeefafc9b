"""A place in a policy that reads what an executor may lack."""

from __future__ import annotations

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.nodes import dataclass


@dataclass(frozen=True)
class Read:
    """A place in the source that reads a fact (a name in FACTS). `word` is its text, such as `f.file`."""

    fact: str
    word: str
    span: Span
