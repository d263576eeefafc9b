"""cpol: a declarative language for Linux page-cache policies."""

__version__ = "0.1.0"
