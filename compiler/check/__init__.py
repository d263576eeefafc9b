"""Semantic checks: AST to typed AST.

policy.py   the order of the checks
symbols.py  symbols and the typed AST; scope.py looks names up
declare/    declarations: names, values, words
path.py     `a.b`; ghost.py, call.py, index.py and expr.py extend its class, in this order
stmt.py     statements; folio.py: statements on folios
Each other module is one check, named for its subject.
"""

from cpol.compiler.check.policy import check

__all__ = ["check"]
