"""Expands a policy before it is checked: AST to AST.

imports.py  what a policy imports, behind each import; library.py finds and reads the files
actions.py  the body of an action in place of each call
copy.py     a copy of a part of the AST, with other names and places
"""

from cpol.compiler.expand.actions import expand
from cpol.compiler.expand.imports import link

__all__ = ["expand", "link"]
