"""The IR states each conversion: no operand of any policy has another type than its slot."""

from __future__ import annotations

import sys
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.ir.verify import mismatches

from .examples import wrap

ROOT = Path(__file__).resolve().parents[2]
POLICIES = sorted(
    [
        *(ROOT / "stdlib").glob("*.cpol"),
        *(ROOT / "examples").rglob("*.cpol"),
        *(ROOT / "tests" / "compiler" / "whole").glob("*.cpol"),
        *(ROOT / "tests" / "compiler" / "backend").glob("*.cpol"),
    ]
)


def compiled(path: Path) -> ir.Policy:
    return compile_source(path.read_text(encoding="utf-8"), str(path))


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_every_operand_has_the_type_of_its_slot(path: Path) -> None:
    assert mismatches(compiled(path)) == []


EVERYTHING = """
    param n: u16 = 4 in 1..9
    list deep[n]
    table hits: u8[n, 4] = 0
    state s: u8 = 0
    state m: s16 = 0
    input weight: map of file to u8 = 3
    file up to 8 { last: u7 = 0 }
    folio { rank: u2 = 0, many: u5[3] = 0 }
    ghost g { capacity: n  folio { at: u16 = 7 } }
    score r(f) = f.rank
    fn half(v: u4): u3 { let w = v / 2  return w }
    on added(f) { place f at head of deep[s]  weight.of(s) }
    on accessed(f) {
      var x: u6 = s  x = half(s)  m = signed(x)  f.rank = s  f.many[s] = s  f.file.last = s  hits[s, 1] = half(x)
      move f to tail of deep[f.rank]
    }
    on removed(f) { g.add(f, at: s) }
    on evict {
      for i in 0..s { scan deep[i] from head up to s as f { evict f } }
      evict lowest r of up to s from tail of deep[1]
    }
    every n ms { s += 1 }
"""


def test_each_conversion_is_needed() -> None:
    """Without any one of its conversions a policy is refused, so the walk reaches all slots."""
    text = EVERYTHING.replace("  weight.of(s) }", "  s += weight.of(s) }")
    policy = compile_source(wrap(text), "p.cpol")
    assert mismatches(policy) == []
    total = counted(policy)
    assert total > 20
    for number in range(total):
        bare, _ = without(policy, number)
        assert mismatches(bare), f"conversion {number} of {total}"


def counted(node: Any) -> int:
    return without(node, sys.maxsize)[1]


def without(node: Any, number: int, seen: int = 0) -> tuple[Any, int]:
    """Return `node` without its conversion `number`, and how many were seen before it and in it."""
    if isinstance(node, tuple):
        parts = []
        for part in node:
            new, seen = without(part, number, seen)
            parts.append(new)
        return tuple(parts), seen
    if isinstance(node, dict):
        found = {}
        for key, part in node.items():
            found[key], seen = without(part, number, seen)
        return found, seen
    if not is_dataclass(node) or isinstance(node, type | ir.Pos | ir.EnumType):
        return node, seen
    if isinstance(node, ir.Convert):
        if seen == number:
            return node.operand, seen + 1
        seen += 1
        if isinstance(node.operand, ir.Convert):  # of two in a row, the first may be left out
            return node, seen
    changed = {}
    for each in fields(node):
        part = getattr(node, each.name)
        new, seen = without(part, number, seen)
        if new is not part and new != part:
            changed[each.name] = new
    return (replace(node, **changed) if changed else node), seen


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"states": (ir.VarDecl("s", ir.IntType(False, 8), 256, ir.Pos(1, 1)),)}, "`s` starts with 256"),
        ({"list_arrays": (ir.ListArray("deep", ir.Const(4, ir.S64), ir.Pos(1, 1)),)}, "length is a s64, not a u64"),
        ({"pin": ir.PinDecl(ir.Const(1, ir.FIX), ir.Pos(1, 1))}, "quota is a fix, not a u64"),
        ({"invariants": (ir.Invariant(ir.Const(1, ir.U64), "", ir.Pos(1, 1)),)}, "condition is a u64, not a bool"),
    ],
)
def test_declarations_are_held_to_their_types(change: dict[str, Any], said: str) -> None:
    policy = compile_source(
        wrap("state s: u8 = 0\nlist deep[4]\non accessed(f) { s += 1 move f to head of deep[s] }"), "p.cpol"
    )
    assert any(said in found for found in mismatches(replace(policy, **change)))
