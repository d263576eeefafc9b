"""Text to AST, and all messages about syntax.

read.py    reads and checks text
parse.py   text to ANTLR's parse tree, within limits
build/     parse tree to AST
ast/       AST nodes
errors/    messages about syntax errors
walk.py    traversal of the AST
dump.py    the AST as text (`cpolc --emit ast`)
"""
