"""The one layout of `.cpol` text (`cpolc fmt`).

text.py     text to text
tree.py     tokens to a tree of lines and bodies
layout.py   where lines break
space.py    where a space stands
output.py   lines as text
"""

from cpol.compiler.format.text import FormatError, format_text

__all__ = ["FormatError", "format_text"]
