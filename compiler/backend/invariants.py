"""Invariants in C: one function of a policy for which the simulator asks after each event."""

from __future__ import annotations

from dataclasses import replace

from cpol.compiler import ir
from cpol.compiler.ir import c_names as names

NAME = "broken_invariant_" + "0" * 64
"""Longer than any name of a policy."""

CALL = f"cpol_call_{names.identifier(NAME)}"
"""The C function: the number of the first invariant that does not hold, from 1; 0: all hold."""


def with_function(policy: ir.Policy) -> ir.Policy:
    """The policy, with a fn that computes what CALL returns. So what only invariants read is kept, too."""
    body: ir.Expr = ir.Const(0, ir.U64)
    for number, invariant in reversed(list(enumerate(policy.invariants, 1))):
        body = ir.Select(invariant.cond, body, ir.Const(number, ir.U64), ir.U64)
    return replace(policy, fns=(*policy.fns, ir.FnDecl(NAME, (), body, ir.U64, policy.invariants[0].pos)))
