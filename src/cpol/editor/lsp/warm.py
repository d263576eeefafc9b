"""What the first letters would wait for, done in small steps while the editor asks nothing.

The protocol's library makes code for each kind of message when the first one comes, and the parser learns which way to
go at each kind of place once in the life of a server. So a second server, which no editor sees, is asked about a sample
that somebody seems to type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from cpol.compiler.syntax.again import Lexer
from cpol.editor.lsp import problems
from cpol.editor.lsp.complete import Completer
from cpol.editor.lsp.texts import Texts

FIRST = (
    "policy warm { list q  on added(f) { place f at tail of q }  on accessed(f) { move f to tail of q }\n"
    "on evict { if q.size > 2 * cache.size { scan q from head as f { when f.pages > 1 { evict f } } } } }"
)
"""A small policy, which is compiled before the server answers at all."""

SAMPLE = """\
/// What people write.
policy warm {
  import step from balance
  param share: u8 = 50 in 1..100
  const MOST: u64 = 8
  enum Kind { cold, hot }
  folio { seen: u8 = 0 }
  list q, other
  state last: u64 = 0
  table counts: u32[4] = 0
  ghost gone { capacity: cache.capacity / 2 }
  fn part(x: u64): u64 = x * share / 100
  on added(f) {
    if gone.take(f) or f.pages > 1 and last < 3 { place f at head of other } else { place f at tail of q }
    last += 1
  }
  on accessed(f) {
    f.seen = min(f.seen + 1, 3)
    let half = max(part(q.size), MOST) - 1
    if half >= 2 * last { move f to tail of q } else if f.list == q { counts[f.index % 4] += 1 }
  }
  on evict {
    var left: u64 = evict.wanted
    for i in 0..3 { last = counts[i] }
    scan q from head up to 2 * left + 1 as f {
      when f.seen > 0 { f.seen -= 1  move f to tail of q }
      when not f.dirty { gone.add(f)  evict f }
      otherwise { keep }
    }
  }
  test some(capacity: 8) { access 1..3  expect q.size == 3 and cache.has(3) }
}
"""
"""A policy that has no errors. Most of what people write stands in it."""

NAME = "file:///warm.cpol"
PATH = "/warm.cpol"

_DOCUMENT = {"uri": NAME}
_HERE = {"line": 12, "character": 12}
_PLACE = {"textDocument": _DOCUMENT, "position": _HERE}
_WITHIN = {"textDocument": _DOCUMENT, "range": {"start": {"line": 0, "character": 0}, "end": _HERE}}
REQUESTS: dict[str, dict[str, Any]] = {
    types.TEXT_DOCUMENT_COMPLETION: _PLACE,
    types.TEXT_DOCUMENT_HOVER: _PLACE,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: {"textDocument": _DOCUMENT},
    types.TEXT_DOCUMENT_INLAY_HINT: _WITHIN,
    types.TEXT_DOCUMENT_CODE_LENS: {"textDocument": _DOCUMENT},
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: {"textDocument": _DOCUMENT},
    types.TEXT_DOCUMENT_FOLDING_RANGE: {"textDocument": _DOCUMENT},
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: _PLACE,
    types.TEXT_DOCUMENT_DEFINITION: _PLACE,
    types.TEXT_DOCUMENT_CODE_ACTION: {**_WITHIN, "context": {"diagnostics": []}},
}
"""What an editor asks while somebody types, and with what."""

TYPED: dict[str, dict[str, Any]] = {
    types.TEXT_DOCUMENT_DID_OPEN: {"textDocument": {**_DOCUMENT, "languageId": "cpol", "version": 1, "text": ""}},
    types.TEXT_DOCUMENT_DID_CHANGE: {
        "textDocument": {**_DOCUMENT, "version": 2},
        "contentChanges": [{"text": ""}],
    },
}
"""What an editor says while somebody types."""


class Hidden(Protocol):
    """A server that no editor sees."""

    texts: Texts
    completer: Completer
    lexer: Lexer

    @property
    def protocol(self) -> Any: ...


def steps(server: LanguageServer, converter: Any, make: Callable[[], Hidden]) -> Iterator[None]:
    """Do a little, then wait to be asked for more: each step takes as long as a short text does.

    Args:
        converter: between the messages of `server` and JSON.
        make: makes a server of the same kind.
    """
    other = make()
    yield
    for method, params in TYPED.items():
        server.protocol.structure_message({"jsonrpc": "2.0", "method": method, "params": params})
        yield
    other.texts.change(PATH, SAMPLE[:-3])
    found = problems.published(other.texts.text(PATH))
    yield
    converter.unstructure(
        types.PublishDiagnosticsNotification(types.PublishDiagnosticsParams(NAME, found, 1), jsonrpc="2.0")
    )
    yield
    for end in re.finditer(r"^  (ghost|}).*\n", SAMPLE, re.MULTILINE):
        other.texts.change(PATH, f"{SAMPLE[: end.end()]}}}\n")
        other.texts.text(PATH)
        yield
    other.texts.change(PATH, SAMPLE)
    other.texts.text(PATH)
    yield
    for method, params in REQUESTS.items():
        message = server.protocol.structure_message({"jsonrpc": "2.0", "id": 0, "method": method, "params": params})
        yield
        answer = other.protocol.fm.features[method](message.params)
        yield
        kind = server.protocol.get_result_type(method)
        assert kind is not None
        converter.unstructure(kind(id=0, result=answer, jsonrpc="2.0"))
        yield
    yield from _type(other)


def _type(other: Hidden) -> Iterator[None]:
    """Write each line of the sample, and ask what may come in place of its last word."""
    words = other.lexer.marked(SAMPLE)[:-1]
    for before, last, behind in zip(words, words[1:], words[2:], strict=False):
        if before.line == last.line < behind.line:
            other.texts.change(PATH, SAMPLE[: last.start] + SAMPLE[last.stop + 1 :])
            other.texts.text(PATH)
            yield
            other.completer.items(PATH, last.start)
            yield
