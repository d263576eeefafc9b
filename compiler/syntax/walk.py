"""Traversal of the AST."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.syntax import ast


def statements(body: tuple[ast.Stmt, ...]) -> Iterator[ast.Stmt]:
    """Every statement in `body`, including nested ones, in text order."""
    for stmt in body:
        yield stmt
        for part in inner(stmt):
            yield from statements(part)


def inner(stmt: ast.Stmt) -> Iterator[tuple[ast.Stmt, ...]]:
    """The bodies directly inside `stmt`."""
    if isinstance(stmt, ast.If):
        yield from (branch.block.body for branch in stmt.branches)
        yield stmt.orelse.body if stmt.orelse is not None else ()
    elif isinstance(stmt, ast.For | ast.While):
        yield stmt.block.body
    elif isinstance(stmt, ast.Do):
        yield stmt.body or ()
    elif isinstance(stmt, ast.Scan):
        yield stmt.body
        yield from (arm.block.body for arm in stmt.arms)
        yield stmt.otherwise.body if stmt.otherwise is not None else ()


def operands(stmt: ast.Stmt) -> tuple[ast.Expr | None, ...]:
    """The expressions of `stmt` itself, without the conditions of its branches and rounds."""
    if isinstance(stmt, ast.Let | ast.Var):
        return (stmt.value,)
    if isinstance(stmt, ast.Assign):
        return (*(() if isinstance(stmt.target, ast.Path) else stmt.target.index), stmt.value)
    if isinstance(stmt, ast.CallStmt):
        return (stmt.call,)
    if isinstance(stmt, ast.For):
        return (stmt.low, stmt.high)
    if isinstance(stmt, ast.While):
        return (stmt.bound,)
    if isinstance(stmt, ast.Place | ast.Move):
        return (stmt.list.index,)
    if isinstance(stmt, ast.Prefetch):
        return (stmt.target, stmt.bound, stmt.stride)
    if isinstance(stmt, ast.Ahead | ast.Reclaim):
        return (stmt.pages,)
    if isinstance(stmt, ast.Scan | ast.EvictByScore):
        return (stmt.list.index, stmt.bound)
    return ()


def parts(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    """The operands of `expr`, in evaluation order."""
    if isinstance(expr, ast.Call):
        return (*expr.index, *expr.args, *(named.value for named in expr.named))
    if isinstance(expr, ast.Element):
        return expr.index
    if isinstance(expr, ast.FieldElement):
        return (expr.path, *expr.index)
    if isinstance(expr, ast.Unary):
        return (expr.operand,)
    if isinstance(expr, ast.Binary):
        return (expr.left, expr.right)
    if isinstance(expr, ast.IfElse):
        return (expr.cond, expr.then, expr.orelse)
    return ()


def nodes(expr: ast.Expr) -> Iterator[ast.Expr]:
    """`expr` and every expression in it, without the bodies of called functions."""
    yield expr
    for part in parts(expr):
        yield from nodes(part)


def paths(expr: ast.Expr) -> Iterator[ast.Path]:
    """Every name in `expr`, without the names of called functions."""
    return (node for node in nodes(expr) if isinstance(node, ast.Path))
