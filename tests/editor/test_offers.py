"""What completion offers is what the compiler allows: each statement in the handler of each event."""

from __future__ import annotations

import pytest

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.stages import run
from cpol.compiler.vocabulary.event import EVENTS
from cpol.editor.lsp.offers import allowed

STATEMENTS = {
    "place": "place {it} at tail of q",
    "leave": "leave {it}",
    "refuse": "refuse {it}",
    "move": "move {it} to tail of q",
    "scan": "scan r from head up to 1 as g {{ }}",
    "evict": "evict {it}",
    "pin": "pin {it}",
    "unpin": "unpin {it}",
    "prefetch": "prefetch {space} 1",
    "default": "default",
    "drop": "drop {it}",
    "flush": "flush {it}",
    "readahead": "readahead 1",
    "keep": "keep {it}",
    "stop": "stop",
    "let": "let x = 1",
}
BELONGS = ("E0301", "E0312", "E0320", "E0304", "E0323")
"""What the compiler says of a statement in the wrong handler."""


def refused(event: str, statement: str, around: str) -> bool:
    """Whether the compiler says that a statement does not belong into a handler."""
    shape = () if event == "every" else EVENTS[event].parameters[0]
    own = statement in ("place", "leave", "refuse", "drop", "flush", "keep")
    it = "s" if around == "scan" and not own else shape[0] if shape else "nothing"
    text = STATEMENTS[statement].format(it=it, space="slot" if event == "prefetch" else "")
    if statement == "keep" and around == "scan":
        text = "keep"
    if around == "scan":
        text = f"scan r from head up to 1 as s {{ {text} }}"
    elif around == "loop":
        text = f"for i in 0..1 {{ {text} }}"
    head = "every 10 events" if event == "every" else f"on {event}{'(' + shape[0] + ')' if shape else ''}"
    source = f"policy p {{ list q, r  pin up to 10  keep up to 10\n{head} {{ {text} }}\n}}"
    try:
        run(source, "p.cpol")
    except CompileError as error:
        begins = source.index(text)
        ends = begins + len(text)
        return any(
            found.code in BELONGS and found.span is not None and begins <= found.span.start < ends
            for found in error.diagnostics
        )
    return False


@pytest.mark.parametrize("event", [*EVENTS, "every"])
def test_each_statement_in_each_handler(event: str) -> None:
    for statement in STATEMENTS:
        for around in ("", "loop", "scan"):
            scan = around == "scan"
            if scan and (statement == "scan" or not allowed("scan", event, scan=False, loop=False)):
                continue
            offered = allowed(statement, event, scan=scan, loop=bool(around))
            if (
                statement in ("evict", "place", "leave", "move")
                and not EVENTS.get(event, EVENTS["init"]).of
                and not scan
            ):
                continue  # there is no folio that it could name
            assert offered is not refused(event, statement, around), (event, statement, around)
