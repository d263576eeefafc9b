"""Prints a page as one HTML file without external resources, for light and dark screens."""

from __future__ import annotations

import re
from html import escape

from cpol.compiler.doc.page import Block, Code, Page, Paragraph, Table

STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1, code, pre { font-family: ui-monospace, monospace }
code, pre { font-size: .9em }
pre { overflow-x: auto; padding: 1rem; border: 1px solid #8884; border-radius: 6px }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884 }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0 }
.anchor { opacity: .4; text-decoration: none }
.comment { opacity: .65; font-style: italic }
.word { font-weight: 600 }
"""

WORDS = re.compile(
    r"//[^\n]*|\b(?:policy|param|const|enum|list|ghost|folio|state|table|input|fn|score|on|every|invariant|test|expect|let|var"
    r"|if|then|else|match|for|place|leave|refuse|move|scan|evict|stop|keep|when|otherwise|lowest|highest|return)\b"
)


def html(page: Page) -> str:
    body = [f"<h1>{escape(page.name)}</h1>", f"<p>{_inline(page.summary)}</p>", _contents(page)]
    for section in page.sections:
        anchor = _anchor(section.title)
        title = escape(section.title)
        body.append(f'<h2 id="{anchor}">{title} <a class="anchor" href="#{anchor}" aria-label="link">#</a></h2>')
        body += [_block(block, anchor) for block in section.blocks]
    meta = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">'
    head = f"{meta}\n<title>{escape(page.name)}</title>"
    inner = "\n".join(body)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n<style>{STYLE}</style>\n</head>\n'
        f"<body>\n{inner}\n</body>\n</html>\n"
    )


def _contents(page: Page) -> str:
    items = "\n".join(
        f'<li><a href="#{_anchor(section.title)}">{escape(section.title)}</a></li>' for section in page.sections
    )
    return f'<nav aria-label="Contents">\n<ul>\n{items}\n</ul>\n</nav>'


def _anchor(title: str) -> str:
    """The end of the anchor for a title, or for the name in a row's first cell."""
    return re.sub(r"\W+", "-", title.lower(), flags=re.ASCII).strip("-")


def _block(block: Block, section: str) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{_inline(text)}</p>"
        case Code(text):
            return f"<pre>{_coloured(text)}</pre>"
        case Table(head, rows):
            top = "".join(f"<th>{_inline(cell)}</th>" for cell in head)
            below = "\n".join(_row(row, section) for row in rows)
            return f"<table>\n<tr>{top}</tr>\n{below}\n</table>"


def _row(row: tuple[str, ...], section: str) -> str:
    """A row. If it is about a name, it has the anchor `#parameters-NAME`."""
    name = re.fullmatch(r"`(\w+)`", row[0], flags=re.ASCII)
    anchor = f' id="{section}-{name[1]}"' if name is not None else ""
    return f"<tr{anchor}>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>"


def _inline(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _coloured(text: str) -> str:
    """Source text with comments and keywords highlighted."""
    parts, end = [], 0
    for found in WORDS.finditer(text):
        kind = "comment" if found[0].startswith("//") else "word"
        parts += [escape(text[end : found.start()]), f'<span class="{kind}">{escape(found[0])}</span>']
        end = found.end()
    return "".join([*parts, escape(text[end:])])
