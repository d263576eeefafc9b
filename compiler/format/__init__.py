"""The formatter of `.cpol` text (`cpolc fmt`).

text.py     text to text
upgrade.py  names that became words of the language
tree.py     tokens to a tree of lines and bodies
layout.py   line breaks
space.py    spaces between tokens
output.py   output lines and comment columns
"""

from cpol.compiler.format.text import FormatError, format_text

__all__ = ["FormatError", "format_text"]
