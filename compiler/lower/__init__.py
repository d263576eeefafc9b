"""Typed AST to policy IR."""

from cpol.compiler.lower.policy import lower

__all__ = ["lower"]
