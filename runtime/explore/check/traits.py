"""The features that a policy uses, so that a search varies only what the policy can see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args

from cpol.compiler import ir
from cpol.compiler.comm import UNKNOWN, Comm, pack
from cpol.compiler.ir import RANGE_EVENTS, uses, walk

COMMANDS = (pack(b"a"), pack(b"b"), pack(b"a\xff"))
"""Some names of commands."""

ORIGINS = (0, 1, 2, 3)
"""Some devices and cgroups."""

SECOND = 1000
"""In milliseconds."""


@dataclass(frozen=True)
class Traits:
    """The features that a policy uses."""

    tasks: bool
    """It reads the task that causes an event."""
    commands: tuple[Comm, ...]
    """The names that its commands may have: one if it reads none."""
    files: bool
    """It reads the file of a folio, or has inputs with files or pages as keys."""
    flags: bool
    """It reads whether a folio is dirty, under writeback or mapped."""
    origins: tuple[int, ...]
    """The numbers that its devices and cgroups may have: none if it reads neither."""
    readers: bool
    """It reads how often a file is open for reading."""
    writes: bool
    """It reads whether a request writes."""
    random: bool
    """It draws random numbers."""
    period_ms: int
    """Times up to this matter: the longest period of `every … ms`, a second if it reads the time. 0: no time does."""
    evicts: bool
    faults: bool
    """It handles swap faults, or what to prefetch at them."""
    requests: bool
    """It handles requests of file readahead."""
    ranges: tuple[str, ...]
    """Which of RANGE_EVENTS it handles."""
    outs: bool
    """It is asked before pages go out to swap."""
    falls_back: bool
    """Its doc comment says `falls back` or `fallback`: the kernel may have to choose."""


def positions(policy: ir.Policy) -> Iterator[ir.Pos]:
    """The position of every statement."""
    bodies = [handler.body for handler in policy.handlers.values()] + [every.body for every in policy.everies]
    return (part.pos for part in nodes(bodies) if isinstance(part, get_args(ir.Stmt)))


BY_TASK = (ir.Access, ir.Fault, ir.Request, ir.Range, ir.Out)
"""Steps of a test that name a task."""


def traits(policy: ir.Policy) -> Traits:
    parts = list(nodes(policy))
    return Traits(
        tasks=uses.of(policy).task,
        commands=_commands(policy, parts),
        files=any(isinstance(part, ir.FolioAttr) and part.attr in ("file", "readers") for part in parts)
        or any(declaration.key in ("file", "page") for declaration in policy.inputs),
        flags=uses.of(policy).flags,
        origins=_origins(policy, parts),
        readers=uses.of(policy).readers,
        writes=uses.of(policy).writes,
        random=any(isinstance(part, ir.Random) for part in parts),
        period_ms=_period_ms(policy),
        evicts=policy.evicts,
        faults="fault" in policy.handlers or "prefetch" in policy.handlers,
        requests="readahead" in policy.handlers,
        ranges=tuple(event for event in RANGE_EVENTS if event in policy.handlers),
        outs="swap" in policy.handlers,
        falls_back=falls_back(policy),
    )


def _commands(policy: ir.Policy, parts: list[Any]) -> tuple[Comm, ...]:
    """Unknown, those of its tests, and some more."""
    if not any(isinstance(part, ir.TaskAttr | ir.FaultAttr) and part.attr == "comm" for part in parts):
        return (UNKNOWN,)
    return tuple(dict.fromkeys([UNKNOWN, *(part.comm for part in parts if isinstance(part, BY_TASK)), *COMMANDS]))


def _origins(policy: ir.Policy, parts: list[Any]) -> tuple[int, ...]:
    """Small ones, which keys of inputs have, and those of its tests."""
    if not uses.of(policy).origin and not any(
        isinstance(part, ir.FaultAttr | ir.RequestAttr) and part.attr == "device" for part in parts
    ):
        return ()
    return tuple(dict.fromkeys([*ORIGINS, *(part.number for part in parts if isinstance(part, ir.Settle))]))


def _period_ms(policy: ir.Policy) -> int:
    periods = [longest(every.period, policy) for every in policy.everies if every.unit == "ms"]
    if policy.keep is not None:
        periods.append(SECOND)
    if walk.reads_time(policy):
        periods += [SECOND, *(param.high for param in policy.params if param.unit == "ms")]
    return max(periods, default=0)


def falls_back(policy: ir.Policy) -> bool:
    """Whether the policy's doc comment says that it falls back."""
    return re.search(r"\bfall(s|ing)? ?back\b", policy.doc, re.IGNORECASE) is not None


def longest(period: ir.Expr, policy: ir.Policy) -> int:
    """The greatest value of a period, which is a constant or a param, perhaps converted."""
    values = [part.value for part in nodes(period) if isinstance(part, ir.Const)]
    names = {part.name for part in nodes(period) if isinstance(part, ir.Param)}
    return max([*values, *(param.high for param in policy.params if param.name in names)], default=1)


def nodes(node: Any) -> Iterator[Any]:
    """An IR node and all its parts, outer parts first."""
    if isinstance(node, tuple | list):
        for item in node:
            yield from nodes(item)
    elif isinstance(node, dict):
        yield from nodes(list(node.values()))
    elif is_dataclass(node):
        yield node
        for field in fields(node):
            yield from nodes(getattr(node, field.name))
