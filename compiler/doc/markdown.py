"""Prints a page as Markdown."""

from __future__ import annotations

from cpol.compiler.doc.page import Block, Code, Page, Paragraph, Table


def markdown(page: Page) -> str:
    parts = [f"# {page.name}", page.summary]
    for section in page.sections:
        parts.append(f"## {section.title}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return text
        case Code(text, language):
            fence = "```"
            while fence in text:
                fence += "`"
            return f"{fence}{language}\n{text}\n{fence}"
        case Table(head, rows):
            lines = [head, tuple("---" for _ in head), *rows]
            return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
