"""Prints a page as a manual page, section 7: `cpolc doc POLICY --format man | man -l -`."""

from __future__ import annotations

import re

from cpol.compiler.doc.page import Block, Code, Page, Paragraph, Table


def man(page: Page) -> str:
    lines = [f'.TH "CPOL\\-{_text(page.name.upper())}" 7 "" cpol "cpol policies"', ".SH NAME"]
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
                named = [f"{name}: {cell}" for name, cell in zip(head[1:], rest, strict=True) if cell]
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
    """Guard a leading dot or quote, which roff would read as a request."""
    return f"\0{text}" if text[:1] in (".", "'") else text


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")
