"""Builds the AST from the parse tree, with one module for each kind of node."""

from cpol.compiler.syntax.build.policy import build

__all__ = ["build"]
