"""Expands a policy before it is checked: AST to AST.

copy.py     a copy of a part of the AST, with other names and places
actions.py  the body of an action in place of each call
"""

from cpol.compiler.expand.actions import expand

__all__ = ["expand"]
