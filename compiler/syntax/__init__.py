"""Text to abstract syntax tree, and every message about wrong syntax.

read.py    a file to text
parse.py   text to ANTLR's parse tree, within limits
build/     parse tree to AST
ast/       the nodes
errors/    syntax errors in plain words
walk.py    the parts of statements and expressions
dump.py    the AST as text (`cpolc --emit ast`)
"""
