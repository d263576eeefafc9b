"""Visitors of the IR dispatch each node to its own method."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest

from cpol.compiler import ir
from cpol.compiler.ir.visitor import ExprVisitor, StmtVisitor


def method_of(node: type) -> str:
    return "visit_" + re.sub(r"(?<!^)(?=[A-Z])", "_", node.__name__).lower()


@pytest.mark.parametrize(("visitor", "nodes"), [(ExprVisitor, get_args(ir.Expr)), (StmtVisitor, get_args(ir.Stmt))])
def test_every_node_reaches_its_method(visitor: Any, nodes: tuple[type, ...]) -> None:
    names = {method_of(node): node for node in nodes}
    assert visitor.__abstractmethods__ == names.keys()
    methods = {name: lambda self, node, name=name: (name, node) for name in names}
    names_the_method = type("Names", (visitor,), methods)()
    for name, kind in names.items():
        node = object.__new__(kind)
        assert names_the_method.visit(node) == (name, node)
