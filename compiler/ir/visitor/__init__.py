"""Typed visitors: one abstract method for each IR node, for backends and printers.

mypy reports a missing node in `visit`, which must return on every path, and a missing method in a
subclass, because the methods are abstract.
"""

from cpol.compiler.ir.visitor.expr import ExprVisitor
from cpol.compiler.ir.visitor.stmt import StmtVisitor

__all__ = ["ExprVisitor", "StmtVisitor"]
