"""A candidate: the text of a policy without tests, and the values of its params.

Values stand beside the text, since a run takes them as they are: they cost no compilation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.format import format_text
from cpol.compiler.syntax.parse import deep_stack, parse
from cpol.grammar.generated.CpolLexer import CpolLexer


class Change(NamedTuple):
    """`text[start:stop]` becomes `new`."""

    start: int
    stop: int
    new: str


class Genome(NamedTuple):
    """`text` is of a policy that compiles, or may; `params` are raw values that differ from the declared ones.

    `origin`: the policies of the standard library that it has parts of. `steps`: how it came about, the last one last.
    """

    text: str
    params: tuple[tuple[str, int], ...]
    origin: frozenset[str]
    steps: tuple[str, ...]

    @property
    def values(self) -> dict[str, int | str]:
        return dict(self.params)


def parsed(text: str) -> tuple[Any, list[Any]]:
    """The parse tree of a policy, and its tokens. Raises CompileError: the syntax is wrong."""
    with deep_stack():
        tree, tokens = parse(Report(Source("candidate.cpol", text)))
    return tree.policy(), tokens


def apply(text: str, changes: Iterable[Change]) -> str:
    """The text with all changes, which do not overlap. Of two at one place, the first one comes first."""
    ordered = sorted((start, stop, number, new) for number, (start, stop, new) in enumerate(changes))
    for start, stop, _, new in reversed(ordered):
        text = f"{text[:start]} {new} {text[stop:]}"
    return text


def bare(text: str, name: str) -> str:
    """The text of a policy under another name, without comments, tests and invariants.

    What a comment or a test says is not true of a mutant. `write` adds an invariant.
    """
    policy, tokens = parsed(text)
    gone = [item for item in policy.item() if item.testDecl() or item.invariant()]
    changes = [Change(item.start.start, item.stop.stop + 1, "") for item in gone]
    own = policy.name()
    changes.append(Change(own.start.start, own.stop.stop + 1, name))
    spans = [(change.start, change.stop) for change in changes]
    for token in tokens:
        inside = any(start <= token.start < stop for start, stop in spans)
        if token.type in (CpolLexer.DOC, CpolLexer.COMMENT) and not inside:
            changes.append(Change(token.start, token.stop + 1, ""))
    return tidy(apply(text, changes), name)


def tidy(text: str, name: str) -> str:
    """The text in the one layout, with empty lines between declarations and handlers."""
    text = re.sub(r"\n\s*\n+", "\n", text)
    text = re.sub(r"\n\s*(?=(on|every|fn|score|action|invariant)\b)", "\n\n", text)
    return format_text(text, f"{name}.cpol")


def declared(text: str, values: Mapping[str, str]) -> str:
    """The text with other defaults of params, as text by name."""
    policy, _ = parsed(text)
    changes = []
    for item in policy.item():
        param = item.paramDecl()
        if param and (value := values.get(param.name().getText())) is not None:
            default = param.expr(0)
            changes.append(Change(default.start.start, default.stop.stop + 1, value))
    return apply(text, changes)


def lines_of(text: str) -> int:
    """Lines that say something."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))
