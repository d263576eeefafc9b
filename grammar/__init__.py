"""The ANTLR4 grammar and the parser generated from it."""
