"""Pages about a policy (`cpolc doc`): page.py builds a page, the other modules print it."""

from cpol.compiler.doc.page import page_of

__all__ = ["page_of"]
