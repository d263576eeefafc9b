"""Declarations: first their names, then their values.

names.py    one symbol a declaration
values.py   types, defaults and ranges
words.py    the words in declarations of params and inputs
"""

from cpol.compiler.check.declare.names import declare

__all__ = ["declare"]
