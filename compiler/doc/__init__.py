"""A page about a policy (`cpolc doc`): page.py makes it, the others print it."""

from cpol.compiler.doc.page import page_of

__all__ = ["page_of"]
