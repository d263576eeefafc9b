"""Errors and warnings: the place, what is wrong, why, and what to write instead.

source.py      text, lines and positions
diagnostic.py  one error or warning
edit.py        edits that mend what a diagnostic is about
render.py      diagnostics for a terminal
report.py      the diagnostics of a compilation, and CompileError
words.py       suggestions and lists of names
errors.py      the registry of codes, from errors.toml
"""

from cpol.compiler.diagnostics.diagnostic import Diagnostic, Label, Severity
from cpol.compiler.diagnostics.report import CompileError, Report

__all__ = ["CompileError", "Diagnostic", "Label", "Report", "Severity"]
