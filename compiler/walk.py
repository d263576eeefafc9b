"""Walking the AST."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler import ast


def statements(body: tuple[ast.Stmt, ...]) -> Iterator[ast.Stmt]:
    """Every statement in `body`, at any depth, in the order of the text."""
    for stmt in body:
        yield stmt
        for inner in _inner(stmt):
            yield from statements(inner)


def _inner(stmt: ast.Stmt) -> Iterator[tuple[ast.Stmt, ...]]:
    if isinstance(stmt, ast.If):
        yield from (branch.block.body for branch in stmt.branches)
        yield stmt.orelse.body if stmt.orelse is not None else ()
    elif isinstance(stmt, ast.Scan):
        yield stmt.body
        yield from (arm.block.body for arm in stmt.arms)
        yield stmt.otherwise.body if stmt.otherwise is not None else ()


def paths(expr: ast.Expr) -> Iterator[ast.Path]:
    """Every name in `expr`, but not the functions that it calls."""
    if isinstance(expr, ast.Path):
        yield expr
    elif isinstance(expr, ast.Call):
        for arg in expr.args:
            yield from paths(arg)
    elif isinstance(expr, ast.Unary):
        yield from paths(expr.operand)
    elif isinstance(expr, ast.Binary):
        yield from paths(expr.left)
        yield from paths(expr.right)
