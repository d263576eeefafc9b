"""AST to typed AST: names, types, flow and declarations.

policy.py   the order of the checks
symbols.py  what names mean; scope.py looks them up
declare/    declarations: names, values, words
path.py     `a.b`; ghost.py, call.py, index.py and expr.py build on it, each a class over the one before
stmt.py     statements; folio.py: what may be done with a folio
Each other module is one check, named for what it looks at.
"""

from cpol.compiler.check.policy import check

__all__ = ["check"]
