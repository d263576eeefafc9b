"""What programs may call, from compiler/contract.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

CHECKOUT = Path(__file__).resolve().parents[3]
CONTRACT = CHECKOUT / "compiler" / "contract.toml"

WITH_FOLIO = ("folio_added", "folio_accessed", "folio_evicted", "folio_removed", "admit_folio")
"""Members whose first argument is a folio."""
UNATTACHED = ("init", "exit")
"""Members that run while the policy governs nothing."""
REQUIRED = ("folio_added", "evict_folios")
_ITERATOR = re.compile(r"bpf_iter_(\w+)_(new|next|destroy)")


Kind = Literal["cache", "prefetch"]
"""What a policy decides: what leaves the cache, or what is read ahead."""


@dataclass(frozen=True)
class Param:
    type: str
    name: str


@dataclass(frozen=True)
class Kfunc:
    name: str
    params: tuple[Param, ...]
    where: tuple[str, ...]
    """The members that may call it."""

    def takes(self, type_: str) -> bool:
        return any(param.type == type_ for param in self.params)

    @property
    def iterator(self) -> str | None:
        """The iterator that this makes, steps or destroys: `cache_ext_list`, `cache_ext_scan`."""
        found = _ITERATOR.fullmatch(self.name)
        return found and found[1]


@cache
def _contract() -> dict[str, Any]:
    return tomllib.loads(CONTRACT.read_text())


def _tables(kind: Kind) -> dict[str, Any]:
    found: dict[str, Any] = _contract() if kind == "cache" else _contract()["prefetch"]
    return found


@cache
def members(kind: Kind = "cache") -> tuple[str, ...]:
    """The programs of struct cache_ext_ops, or of struct prefetch_ext_ops."""
    return tuple(op["name"] for op in _tables(kind)["ops"] if "(*" in op["c"])


@cache
def kfuncs(kind: Kind = "cache") -> dict[str, Kfunc]:
    found = (_parse(entry["c"], tuple(entry.get("where", members(kind)))) for entry in _tables(kind)["kfuncs"])
    return {kfunc.name: kfunc for kfunc in found}


@cache
def told(member: str) -> str | None:
    """The struct that a program for a member of struct prefetch_ext_ops gets, if any."""
    (text,) = (op["c"] for op in _tables("prefetch")["ops"] if op["name"] == member)
    found = re.search(r"\(struct (\w+) \*\w+, struct mem_cgroup", text)
    return found and found[1]


@cache
def fields(struct: str) -> tuple[str, ...]:
    """The numbers in it."""
    found = _tables("prefetch")["structs"][struct]
    return tuple(name for name, field in found.items() if field["type"] in ("u32", "u64"))


@cache
def limit(name: str) -> int:
    return int(_contract()["limits"][name]["value"])


def _parse(prototype: str, where: tuple[str, ...]) -> Kfunc:
    found = re.fullmatch(r".*?(\w+)\((.*)\)", prototype)
    assert found, prototype
    params = []
    for text in found[2].split(", "):
        declared = re.fullmatch(r"(.*?)\s*(\w+)", text)
        assert declared, text
        params.append(Param(declared[1], declared[2]))
    return Kfunc(found[1], tuple(params), where)


def has_folio(member: str) -> bool:
    """Whether programs for the member get at a folio: as an argument, or by an iterator."""
    return member in WITH_FOLIO or any(member in kfunc.where for kfunc in kfuncs().values() if kfunc.iterator)


def pairs(kind: Kind = "cache") -> set[tuple[str, str]]:
    """Each kfunc with each member from which a program can call it."""
    return {
        (kfunc.name, member)
        for kfunc in kfuncs(kind).values()
        for member in kfunc.where
        if kind == "prefetch" or has_folio(member) or not kfunc.takes("struct folio *")
    }
