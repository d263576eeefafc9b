"""Where a name is declared, where it is mentioned, and what to change if it gets another: also across imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lsprotocol import types

from cpol.compiler.diagnostics.source import Span
from cpol.compiler.expand.library import LIBRARIES
from cpol.compiler.syntax import ast
from cpol.editor.lsp.beside import MOST_FILES, TooMany, policies_beside
from cpol.editor.lsp.names import Name
from cpol.editor.lsp.problems import uri_of
from cpol.editor.lsp.texts import Text, Texts, is_error

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,63}")


class RenameError(Exception):
    """A name cannot be changed, or not to this. The message says why."""


def library_path(path: str, item: ast.Import) -> str:
    """The file that an import names."""
    if item.file:
        return str(Path(path).parent / item.source.text)
    return str(LIBRARIES / f"{item.source.text}.cpol")


def library_of(texts: Texts, path: str, name: Name) -> tuple[Text, Name] | None:
    """The library that an imported name is from, and the name there."""
    if name.source is None:
        return None
    try:
        library = texts.parsed(library_path(path, name.source))[0]
    except (OSError, ValueError):
        return None
    found = library.names.globals().get(name.text)
    return None if found is None or found.source is not None else (library, found)  # a library imports nothing


def at(texts: Texts, path: str, offset: int) -> tuple[Text, Name] | None:
    """The name at an offset, and the state of the text that has it."""
    state, _ = texts.parsed(path)
    use = state.names.at(texts.offset_in(state, path, offset))
    return None if use is None else (state, use.name)


def definition(texts: Texts, path: str, offset: int) -> types.Location | None:
    """Where the name at an offset is declared; of an import's source, the library."""
    state, _ = texts.parsed(path)
    inside = texts.offset_in(state, path, offset)
    for item in state.imports:
        if item.source.span.start <= inside <= item.source.span.end:
            try:
                library = texts.text(library_path(path, item))
            except (OSError, ValueError):
                return None
            span = library.tree.name.span if library.tree is not None else Span(0, 0)
            return types.Location(uri_of(library.path), library.lines.range(span))
    found = at(texts, path, offset)
    if found is None:
        return None
    return _location(*(library_of(texts, path, found[1]) or found))


def _location(text: Text, name: Name) -> types.Location:
    return types.Location(uri_of(text.path), text.lines.range(name.span))


def references(texts: Texts, path: str, offset: int, declaration: bool) -> list[types.Location]:
    """Where the name at an offset is mentioned, in this file and in those that share it by an import."""
    found = at(texts, path, offset)
    places: list[types.Location] = []
    if found is None:
        return places
    with suppress(TooMany):  # what was found until then
        for text, name, span in _mentions(texts, *found):
            if declaration or span != name.span or name.kind == "import":
                places.append(types.Location(uri_of(text.path), text.lines.range(span)))
    return places


def _mentions(texts: Texts, text: Text, name: Name) -> Iterator[tuple[Text, Name, Span]]:
    text, name = library_of(texts, text.path, name) or (text, name)
    for span in text.names.of(name):
        yield text, name, span
    if isinstance(text.tree, ast.Library) and name.where is None and name.kind != "field":
        for other in _importing(texts, text.path):
            for theirs in other.names.names:
                if theirs.source is None or theirs.text != name.text:
                    continue
                if _same(library_path(other.path, theirs.source), text.path):
                    for span in other.names.of(theirs):
                        yield other, theirs, span


def _same(left: str, right: str) -> bool:
    return left == right or Path(left).resolve() == Path(right).resolve()


def _importing(texts: Texts, library: str) -> Iterator[Text]:
    """The files that may import a library.

    Raises:
        TooMany: there are more files than a search looks at.
    """
    found = dict.fromkeys(texts.open)
    if library.startswith("/"):
        found |= dict.fromkeys(policies_beside(library, texts.roots))
    for path in found:
        if path != library:
            try:
                text = texts.parsed(path)[0]
            except (OSError, ValueError):
                continue
            if text.imports:
                yield text


def renamable(texts: Texts, path: str, offset: int) -> tuple[Text, Name]:
    """The name at an offset, if it can have another.

    Raises:
        RenameError: there is none, or it belongs to cpol.
    """
    if texts.text(path).tree is None:
        raise RenameError("this text has wrong syntax; mend it first")
    found = at(texts, path, offset)
    if found is None:
        raise RenameError("nothing of this text is declared here")
    text, name = library_of(texts, path, found[1]) or found
    if Path(text.path).parent == LIBRARIES:
        raise RenameError(f"`{name.text}` is of a library that comes with cpol")
    return found


def rename(texts: Texts, path: str, offset: int, new: str) -> dict[str, list[types.TextEdit]]:
    """The changes that give the name at an offset another, by file.

    Raises:
        RenameError: it cannot have this one; the message says why.
    """
    text, name = renamable(texts, path, offset)
    if not _NAME.fullmatch(new):
        raise RenameError(f"`{new}` is no name: letters, digits and `_`, at most 64, and no digit first")
    changes: dict[str, tuple[Text, list[Span]]] = {}
    try:
        for found, _, span in _mentions(texts, text, name):
            changes.setdefault(found.path, (found, []))[1].append(span)
    except TooMany as error:
        raise RenameError(
            f"files that import `{name.text}` would be left as they are: {error} has more than {MOST_FILES:,} policies "
            "or folders to look in; open the folder of your policies in the editor"
        ) from None
    after = {path: _replaced(found.text, spans, new) for path, (found, spans) in changes.items()}
    _check(texts, changes, after, new)
    return {
        found.path: [types.TextEdit(found.lines.range(span), new) for span in spans]
        for found, spans in changes.values()
    }


def _replaced(text: str, spans: list[Span], new: str) -> str:
    for span in sorted(spans, key=lambda span: -span.start):
        text = text[: span.start] + new + text[span.end :]
    return text


def _check(texts: Texts, changes: dict[str, tuple[Text, list[Span]]], after: dict[str, str], new: str) -> None:
    """Ask the compiler about the texts with the new name.

    Raises:
        RenameError: it finds errors that are not there now.
    """
    for path, (_, spans) in changes.items():
        before = texts.text(path)
        others = {other: text for other, text in after.items() if other != path}
        then = texts.attempt(path, after[path], others)
        new_errors = [found for found in then.diagnostics if is_error(found)]
        if len(new_errors) > sum(map(is_error, before.diagnostics)):
            raise RenameError(f"`{new}` does not do: {new_errors[0].message}")
        if then.tree is not None:
            renamed = next(
                (use.name for use in then.names.uses if use.span.start == min(spans, key=_start).start), None
            )
            if renamed is None or len(then.names.of(renamed)) != len(spans):
                raise RenameError(f"`{new}` already means something here")


def _start(span: Span) -> int:
    return span.start
