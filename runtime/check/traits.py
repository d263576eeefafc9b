"""What a policy makes use of: so that a search tries what matters to it, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from cpol.compiler import ir


@dataclass(frozen=True)
class Traits:
    tasks: bool
    """Reads who caused an event."""
    files: bool
    """Reads the file of a folio, or has inputs that are keyed by it."""
    random: bool
    period_ms: int
    """The longest `every … ms`; 0 if there is none."""
    falls_back: bool
    """Its doc comment says that the kernel may have to choose: `falls back`, `fallback`."""


def traits(policy: ir.Policy) -> Traits:
    parts = list(nodes(policy))
    return Traits(
        tasks=any(isinstance(part, ir.TaskAttr) for part in parts),
        files=any(isinstance(part, ir.FolioAttr) and part.attr == "file" for part in parts)
        or any(declaration.key in ("file", "page") for declaration in policy.inputs),
        random=any(isinstance(part, ir.Random) for part in parts),
        period_ms=max((longest(every.period, policy) for every in policy.everies if every.unit == "ms"), default=0),
        falls_back=falls_back(policy),
    )


def falls_back(policy: ir.Policy) -> bool:
    return re.search(r"\bfall(s|ing)? ?back\b", policy.doc, re.IGNORECASE) is not None


def longest(period: ir.Expr, policy: ir.Policy) -> int:
    """The greatest value of a period, which is a constant or a param, perhaps widened."""
    values = [part.value for part in nodes(period) if isinstance(part, ir.Const)]
    names = {part.name for part in nodes(period) if isinstance(part, ir.Param)}
    return max([*values, *(param.high for param in policy.params if param.name in names)], default=1)


def nodes(node: Any) -> Iterator[Any]:
    """All parts of an IR node, itself first."""
    if isinstance(node, tuple | list):
        for item in node:
            yield from nodes(item)
    elif isinstance(node, dict):
        yield from nodes(list(node.values()))
    elif is_dataclass(node):
        yield node
        for field in fields(node):
            yield from nodes(getattr(node, field.name))
