"""Limits on the number of declarations, from the loader's tables and BPF's maps per program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cpol.compiler import ir
from cpol.compiler.check.symbols import Symbols
from cpol.compiler.contract import (
    MAX_FORMULA,
    MAX_GHOSTS,
    MAX_INPUTS,
    MAX_MAPS,
    MAX_MEMBERS,
    MAX_PARAMS,
    MAX_TABLES,
)
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.ir import layout
from cpol.compiler.ir.formula import polish, tick


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def check_limits(policy: ir.Policy, symbols: Symbols, report: Report) -> None:
    """Report the first declaration beyond each limit, and formulas that are too long for the loader."""
    _Limits(policy, symbols, report).run()


@dataclass
class _Limits:
    policy: ir.Policy
    symbols: Symbols
    report: Report

    def run(self) -> None:
        policy = self.policy
        sized = [table for table in policy.tables if not all(map(layout.constant_size, table.sizes))]
        self._count(policy.params, MAX_PARAMS, "params", "make consts of those that no one sets")
        self._count(policy.ghosts, MAX_GHOSTS, "ghosts")
        self._count(policy.inputs, MAX_INPUTS, "inputs")
        self._count(
            sized, MAX_TABLES, "tables whose size depends on params or `cache.capacity`", "give them fixed sizes"
        )
        maps: list[_Named] = [*policy.ghosts, *policy.tables, *policy.inputs]
        maps.sort(key=lambda item: self._span(item).start)
        self._count(maps, MAX_MAPS, "ghosts, tables and inputs in all", "make one table of several")
        for param in policy.params:
            if isinstance(param.type, ir.EnumType) and len(param.type.members) > MAX_MEMBERS:
                self._enum(param, len(param.type.members))
        for ghost in policy.ghosts:
            self._formula(polish(ghost.capacity), self._span(ghost), f"the capacity of `{ghost.name}`")
        for table in sized:
            for size in table.sizes:
                self._formula(polish(size), self._span(table), f"the size of `{table.name}`")
        for given in policy.arrays:
            assert given.size is not None
            self._formula(polish(given.size), self._span(given), f"the size of `{given.name}`")
        for array in policy.list_arrays:
            self._formula(polish(array.length), self._span(array), f"the length of `{array.name}`")
        timed = [every for every in policy.everies if every.unit == "ms"]
        if timed:
            span = self.report.source.word(timed[-1].pos)
            self._formula(tick(policy), span, "the shortest period of all `every … ms`")

    def _count(self, items: Sequence[_Named], limit: int, what: str, help: str = "") -> None:
        if len(items) > limit:
            message = f"a policy has at most {limit} {what}"
            maps = limit == MAX_MAPS
            why = "each is a map, and a BPF program uses at most 64" if maps else "the loader has no room for more"
            self.report.error("E0222", self._span(items[limit]), message, label="one too many", why=why, help=help)

    def _enum(self, param: ir.ParamDecl, members: int) -> None:
        self.report.error(
            "E0222",
            self._span(param),
            f"the enum of a param has at most {MAX_MEMBERS} members",
            label=f"`{param.type}` has {members}",
            help="use a number for the param",
        )

    def _formula(self, tokens: list[str], span: Span | None, what: str) -> None:
        if len(tokens) > MAX_FORMULA:
            self.report.error(
                "E0222",
                span,
                f"{what} takes too long to compute",
                why=f"the loader computes it in at most {MAX_FORMULA} steps",
                help="compute parts of it in consts",
            )

    def _span(self, item: _Named) -> Span:
        return self.symbols.names[item.name].span
