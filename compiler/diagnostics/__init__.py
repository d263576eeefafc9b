"""Errors and warnings: where in the text, what is wrong, why, and what to write instead.

report.py   what was found, and the exception that carries it
source.py   a text, its lines, and places in it
render.py   a diagnostic as a terminal shows it
words.py    suggestions and lists of words in messages
errors.py   the registry of codes, from errors.toml
"""

from cpol.compiler.diagnostics.report import CompileError, Diagnostic, Label, Report, Severity

__all__ = ["CompileError", "Diagnostic", "Label", "Report", "Severity"]
