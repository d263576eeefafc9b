"""A whole text to its AST: that it can be a policy, its syntax, and what only the builders notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from cpol.compiler.diagnostics import Report
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.policy import build
from cpol.compiler.syntax.parse import parse
from cpol.compiler.syntax.read import check_text

Reader: TypeAlias = Callable[[Report], ast.Policy | ast.Library]
"""Makes the AST of a report's text, and raises CompileError as `read_whole` does: an editor's keeps what it made."""


def read_whole(report: Report) -> ast.Policy | ast.Library:
    """The AST of the report's text.

    Raises:
        CompileError: the syntax is wrong.
    """
    check_text(report)
    whole = build(*parse(report), report)
    report.check()
    return whole
