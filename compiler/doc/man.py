"""Prints a page as a manual page: `cpolc doc POLICY --format man | man -l -`, and debian/man_pages.py."""

from __future__ import annotations

import re
from typing import Final

from cpol.compiler.doc.page import Block, Code, Page, Paragraph, Table

ESCAPES: Final = str.maketrans(
    {"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", "…": "..."}
)


def man(page: Page, title: str = "") -> str:
    """`title`: what .TH says, of a page that is about no policy."""
    title = title or f'"CPOL\\-{_text(page.name.upper())}" 7 "" cpol "cpol policies"'
    lines = [f".TH {title}", ".SH NAME"]
    lines.append(f"{_text(page.name)} \\- {_inline(page.summary)}")
    for section in page.sections:
        lines.append(f".SH {section.title.upper()}")
        for block in section.blocks:
            lines += _block(block)
    return "\n".join(lines) + "\n"


def _block(block: Block) -> list[str]:
    match block:
        case Paragraph(text):
            return [".PP", _inline(text)]
        case Code(text):
            return [".PP", ".nf", *(_text(line) for line in text.split("\n")), ".fi"]
        case Table(head, rows):
            lines = []
            for first, *rest in rows:
                lines += [".TP", _inline(first)]
                named = [f"{name}: {cell}" if name else cell for name, cell in zip(head[1:], rest, strict=True) if cell]
                lines.append(_inline("; ".join(named)) or "\\&")
            return lines


def _inline(text: str) -> str:
    """Escaped text, with code in bold."""
    return "".join(
        f"\\fB{_escaped(part)}\\fR" if number % 2 else _escaped(part)
        for number, part in enumerate(re.split(r"`([^`]*)`", _guarded(text)))
    ).replace("\0", "\\&")


def _text(text: str) -> str:
    return _escaped(_guarded(text)).replace("\0", "\\&")


def _guarded(text: str) -> str:
    """Guard a leading dot, which roff would read as a request."""
    return f"\0{text}" if text[:1] in (".", "…") else text


def _escaped(text: str) -> str:
    """Text that roff prints as it is."""
    return text.translate(ESCAPES)
