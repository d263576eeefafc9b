"""Every kind of expression has an evaluator: no type checker sees that of a table."""

from __future__ import annotations

from typing import get_args

from cpol.compiler import ir
from cpol.runtime.machine.interp.eval import EVALUATE


def test_every_kind_of_expression_is_evaluated() -> None:
    assert set(EVALUATE) == set(get_args(ir.Expr))
