"""Errors and warnings: where in the text, what is wrong, why, and what to write instead.

source.py      a text, its lines, and places in it
diagnostic.py  one error or warning
render.py      as a terminal shows it
report.py      all of one compilation, and the exception that carries them
words.py       suggestions and lists of words in messages
errors.py      the registry of codes, from errors.toml
"""

from cpol.compiler.diagnostics.diagnostic import Diagnostic, Label, Severity
from cpol.compiler.diagnostics.report import CompileError, Report

__all__ = ["CompileError", "Diagnostic", "Label", "Report", "Severity"]
