"""`cpolc fmt`: one layout for every policy.

Formatting changes white space only. Before it returns, it checks that words, comments and the AST
are unchanged.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.format.layout import layout
from cpol.compiler.format.tree import tree_of
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.policy import build
from cpol.compiler.syntax.parse import deep_stack, parse
from cpol.compiler.syntax.read import check_text


class FormatError(Exception):
    """The formatter would damage the text. This is a defect of cpol, not of the policy."""


def format_text(text: str, path: str) -> str:
    """Format the text of a policy. `path` appears in messages.

    Raises:
        CompileError: the syntax is wrong.
        FormatError: formatting would change more than white space.
    """
    with deep_stack():
        policy, tokens, file = _read(text, path)
        words = _contents(tokens)
        new = layout(*tree_of(file, tokens))
        again, new_tokens, _ = _read(new, path)
        if _contents(new_tokens) != words:
            raise FormatError(f"{path}: the layout would lose or change words or comments of it")
        if not same(policy, again):
            raise FormatError(f"{path}: the layout would change what it means")
    return new


def _read(text: str, path: str) -> tuple[ast.Policy | ast.Library, list[Any], Any]:
    report = Report(Source(path, text))
    check_text(report)
    file, tokens = parse(report)
    policy = build(file, tokens, report)
    report.check()
    return policy, tokens, file


def _contents(tokens: list[Any]) -> list[tuple[int, str]]:
    return [(token.type, token.text.rstrip()) for token in tokens]


def same(left: object, right: object) -> bool:
    """Whether two parts of an AST are equal, apart from their spans."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Span):
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if is_dataclass(left) and not isinstance(left, type):
        return all(same(getattr(left, f.name), getattr(right, f.name)) for f in fields(left))
    return left == right
