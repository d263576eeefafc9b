"""Hover: what a word means, its type and doc, what a call of a handler costs, which kernels tell an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from lsprotocol import types

from cpol.compiler.analysis.cost.summary import summary
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.literals import show_value
from cpol.compiler.syntax import ast
from cpol.compiler.types import IntType, Type, parse_type, raw_range
from cpol.compiler.vocabulary.attribute import Attribute
from cpol.compiler.vocabulary.event import EVENTS, Event
from cpol.compiler.vocabulary.fact import FACTS
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.editor.lsp.members import GHOST, OF, described, members, owner_of, type_name
from cpol.editor.lsp.names import Name, around
from cpol.editor.lsp.navigate import library_of
from cpol.editor.lsp.texts import Text, Texts
from cpol.errors import UserError
from cpol.kernel import profiles

_WORD = re.compile(r"[A-Za-z_0-9]+")


@dataclass(frozen=True)
class Page:
    """What a hover shows, and of which word."""

    text: str
    span: Span


def hover(texts: Texts, path: str, offset: int) -> types.Hover | None:
    now = texts.text(path)
    state, _ = texts.parsed(path)
    page = page_at(texts, state, path, texts.offset_in(state, path, offset))
    if page is None:
        return None
    word = next((w for w in _WORD.finditer(now.text) if w.start() <= offset <= w.end()), None)
    place = types.Hover(types.MarkupContent(types.MarkupKind.Markdown, page.text))
    if word is not None and now.text[word.start() : word.end()] == state.text[page.span.start : page.span.end]:
        place.range = now.lines.range(Span(*word.span()))
    return place


def page_at(texts: Texts, state: Text, path: str, offset: int) -> Page | None:
    """What a word of a text means; None if it means nothing by itself."""
    if state.tree is None:
        return None
    found = around(state.tree, offset)
    for node in reversed(found):
        if isinstance(node, ast.Handler):
            for event in node.events:
                if event.span.start <= offset <= event.span.end and event.text in EVENTS:
                    return Page(_event(texts, path, EVENTS[event.text]), event.span)
            break
        if isinstance(node, ast.Path):
            page = _of_path(state, node, offset)
            if page is not None:
                return page
    use = state.names.at(offset)
    if use is not None:
        return Page(_name(texts, state, path, use.name, use.span), use.span)
    word = next((w for w in _WORD.finditer(state.text) if w.start() <= offset <= w.end()), None)
    type = parse_type(word[0]) if word else None
    if word and type is not None:
        return Page(f"`{word[0]}`: {_range(type)}", Span(*word.span()))
    return None


def _of_path(state: Text, path: ast.Path, offset: int) -> Page | None:
    """What is built in: `f.dirty`, `cache.size`, `min`."""
    at = next((i for i, part in enumerate(path.parts) if part.span.start <= offset <= part.span.end), None)
    if at is None:
        return None
    part, words = path.parts[at], tuple(each.text for each in path.parts[: at + 1])
    use = state.names.at(path.parts[0].span.start)
    owner = owner_of(use.name if use is not None else None, words[0])
    if at == 0 and words[0] in FUNCTIONS and use is None:
        function = FUNCTIONS[words[0]]
        return Page(
            f"```cpol\n{function.call}\n```\ntakes {function.needs or function.takes}: {function.gives}", part.span
        )
    if at == 1 and owner == "ghost" and words[1] in GHOST:
        return Page(GHOST[words[1]], part.span)
    attribute = described(state.names, words, owner)
    if attribute is not None:
        return Page(attribute_page(f"{words[0]}.{words[1]}", owner, attribute), part.span)
    if at == 1 and state.names.at(part.span.start) is None:
        for member in members(state.names, owner, words[0], (), statement=False, test=True):
            if member.name == words[1]:
                return Page(member.detail, part.span)
    return None


def attribute_page(text: str, owner: str, attribute: Attribute) -> str:
    """An attribute: its type, what it is, and what it is worth where."""
    lines = [f"```cpol\n{text}: {type_name(attribute)}\n```", attribute.doc]
    if attribute.only:
        lines.append(f"Known in `on {attribute.only}` alone.")
    knows: list[str] = []
    lacks: list[str] = []
    for profile in _profiles():
        (knows if _tells(profile, owner, attribute) else lacks).append(profile.name)
    if lacks:
        lines.append(f"Kernels: {_listed(knows) or 'none'} tell it; {_listed(lacks)} cannot.")
    else:
        lines.append(f"Kernels: {_listed(knows)} tell it.")
    if attribute.fact:
        fact = FACTS[attribute.fact]
        lines.append(f"`cpolc sim`, on a trace without {fact.what}: {fact.otherwise} (`--assume {fact.name}=`).")
    return "\n\n".join(line for line in lines if line)


def _tells(profile: Profile, owner: str, attribute: Attribute) -> bool:
    if attribute.helper and profile.helpers is not None and attribute.helper not in profile.helpers:
        return False
    if owner in ("fault", "request", "range", "out"):
        return any(_has(profile, event) for event in EVENTS.values() if event.of == owner)
    if not attribute.told:
        return True
    return attribute.name in (profile.folio if owner == "folio" else profile.task)


def _has(profile: Profile, event: Event) -> bool:
    reported = event.name if event.reported is None else event.reported
    if event.of in ("", "folio"):
        return not reported or bool(profile.events.get(reported))
    return any(profile.prefetch.get(program) for program in event.programs)


@cache
def _profiles() -> tuple[Profile, ...]:
    found = []
    for name in profiles.names():
        with suppress(UserError):
            found.append(profiles.load(name))
    return tuple(found)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _event(texts: Texts, path: str, event: Event) -> str:
    """An event: which kernels have it, and what a call of its handler costs at most."""
    shape = ", ".join(event.parameters[-1])
    lines = [f"```cpol\non {event.name}{f'({shape})' if shape else ''}\n```"]
    knows = [profile.name for profile in _profiles() if _has(profile, event)]
    lacks = [profile.name for profile in _profiles() if not _has(profile, event)]
    lines.append(f"Kernels: {_listed(knows) or 'none'} have it{f'; {_listed(lacks)} have not' if lacks else ''}.")
    good = texts.good(path)
    if good.compiled is not None and event.name in good.compiled.policy.handlers:
        said = [text for text in summary(good.compiled.policy) if f" `{event.name}` " in text]
        lines += said or [f"A call of `{event.name}` walks no list and has no loop."]
        if good.text != texts.text(path).text:
            lines.append("(Of the last text that was without errors.)")
    return "\n\n".join(lines)


def _name(texts: Texts, state: Text, path: str, name: Name, span: Span) -> str:
    """A name of the text: its declaration, what it can hold, its doc."""
    if name.kind == "import":
        found = library_of(texts, path, name)
        if found is not None:
            library, inner = found
            return f"{_name(texts, library, library.path, inner, inner.span)}\n\nFrom `{library.path}`."
    lines = [f"```cpol\n{_written(state, name)}\n```"]
    type = _type(texts, state, path, name)
    bounds = _bounds(texts, path, name)
    if type is not None:
        lines.append(f"`{type}`: {bounds or _range(type)}")
    elif name.kind in ("folio", "fault", "request", "range", "out") and not isinstance(name.node, ast.FnParam):
        lines.append(
            {"folio": "a folio", "out": "pages that are about to go out to swap"}.get(name.kind, f"a {name.kind}")
        )
    if name.owner and name.kind == "field":
        lines.append(f"a field of `{OF.get(name.owner, name.owner)}`")
    lines += _docs(state, name)
    return "\n\n".join(lines)


def _written(state: Text, name: Name) -> str:
    """The declaration on one line: of what has a body, the head."""
    node = name.node
    span: Span = getattr(node, "head", None) or node.span
    if isinstance(node, ast.Policy | ast.Library):
        return f"{name.kind} {name.text}"
    if name.kind in ("folio", "fault", "request", "range", "out", "reason", "for") or isinstance(node, ast.Scan):
        span = getattr(node, "head", None) or node.span
    text = re.sub(r"//[^\n]*", "", state.text[span.start : span.end])
    words = " ".join(text.split())
    if name.kind == "list":
        words = f"list {words}"
    elif name.kind == "field":
        words = words.rstrip(",")
    return words if len(words) <= 400 else words[:399] + "…"


def _docs(state: Text, name: Name) -> Iterator[str]:
    doc = getattr(name.node, "doc", "")
    if doc:
        yield doc
        return
    if not hasattr(name.node, "span"):
        return
    span = name.node.span
    behind = re.compile(r"[ \t]*,?[ \t}]*///?[ \t]*([^\n]*)").match(state.text, span.end)
    if behind and not behind[1].startswith("lint:"):
        yield behind[1].strip()
        return
    lines = state.text[: span.start].split("\n")[:-1]
    above: list[str] = []
    while lines and lines[-1].strip().startswith("///"):
        above.insert(0, lines.pop().strip().removeprefix("///").strip())
    if above:
        yield " ".join(above)


def _type(texts: Texts, state: Text, path: str, name: Name) -> Type | None:
    """The type of a name: as it is declared, or as the checker found it in the last text without errors."""
    declared = getattr(name.node, "type", None)
    if isinstance(declared, ast.Name) and name.kind != "fn":
        return parse_type(declared.text)
    good = texts.good(path)
    if good.compiled is None:
        return None
    for node, symbol in good.compiled.typed.refs.items():
        if isinstance(node, ast.Name) and node.text == name.text and node.span == name.span:
            found = getattr(symbol, "type", None)
            return found if isinstance(found, Type) else None
    return None


def _bounds(texts: Texts, path: str, name: Name) -> str:
    """What a param can be set to, in the last text without errors."""
    compiled = texts.good(path).compiled
    if name.kind != "param" or compiled is None:
        return ""
    for param in compiled.policy.params:
        if param.name == name.text:
            low, high = (show_value(raw, param.type) for raw in (param.low, param.high))
            return f"{low} to {high}" if isinstance(param.type, IntType) or str(param.type) == "fix" else ""
    return ""


def _range(type: Type) -> str:
    """What a type can hold."""
    least, most = raw_range(type)
    if isinstance(type, IntType):
        return f"{least:,} to {most:,}, where it saturates"
    if str(type) == "fix":
        return "numbers with a fraction, multiples of 1/65536, that saturate"
    return " or ".join(f"`{show_value(raw, type)}`" for raw in range(least, min(most, least + 8) + 1))
