"""Parse tree to AST: one module for each kind of node."""

from cpol.compiler.syntax.build.policy import build

__all__ = ["build"]
