"""Declarations: first all names, then their values.

names.py    one symbol for each declaration
values.py   types, defaults and ranges
words.py    words in declarations of params and inputs
"""

from cpol.compiler.check.declare.names import declare

__all__ = ["declare"]
