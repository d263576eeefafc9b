"""Path rules compared with brute force over every path of small random handlers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from quick import examples

from cpol.compiler import compile_source
from cpol.compiler.diagnostics import CompileError

from .examples import wrap


@dataclass(frozen=True)
class If:
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] | None


Stmt = str | If


def bodies(leaves: tuple[str, ...]) -> st.SearchStrategy[tuple[Stmt, ...]]:
    def deeper(inner: st.SearchStrategy[tuple[Stmt, ...]]) -> st.SearchStrategy[tuple[Stmt, ...]]:
        branch = st.builds(If, inner, st.one_of(st.none(), inner))
        return st.lists(st.one_of(st.sampled_from(leaves), branch), max_size=3).map(tuple)

    return st.recursive(st.lists(st.sampled_from(leaves), max_size=2).map(tuple), deeper, max_leaves=6)


def text(body: tuple[Stmt, ...], statements: dict[str, str]) -> str:
    words = []
    for stmt in body:
        if isinstance(stmt, str):
            words.append(statements[stmt])
        else:
            words.append(f"if f.index == 3 {{ {text(stmt.then, statements)} }}")
            if stmt.orelse is not None:
                words.append(f"else {{ {text(stmt.orelse, statements)} }}")
    return " ".join(words)


def paths(body: tuple[Stmt, ...]) -> Iterator[tuple[str, ...]]:
    """Return the leaves along each path; `stop` ends a path."""
    if not body:
        yield ()
        return
    first, *rest = body
    starts = [(first,)] if isinstance(first, str) else [*paths(first.then), *paths(first.orelse or ())]
    for start in starts:
        if "stop" in start:
            yield start
        else:
            yield from ((*start, *end) for end in paths(tuple(rest)))


def codes(snippet: str) -> set[str]:
    try:
        compile_source(wrap(snippet), "p.cpol")
    except CompileError as error:
        return {d.code for d in error.diagnostics}
    return set()


quick = settings(max_examples=examples(60))


@quick
@given(bodies(("place", "leave", "let")))
def test_rule_placed_exactly_once(body: tuple[Stmt, ...]) -> None:
    statements = {"place": "place f at tail of queue", "leave": "leave f", "let": "f.rank = 1"}
    found = codes(f"folio {{ rank: u8 = 0 }}\non added(f) {{ {text(body, statements)} }}")
    counts = {path.count("place") + path.count("leave") for path in paths(body)}
    if max(counts) > 1:
        assert found == {"E0303"}
    elif 0 in counts:
        assert found == {"E0302"}
    else:
        assert found == set()


@quick
@given(bodies(("evict", "move", "use", "stop")))
def test_rule_evicted_at_most_once_and_not_used_after(body: tuple[Stmt, ...]) -> None:
    statements = {"evict": "evict f", "move": "move f to tail of queue", "use": "f.rank = 1", "stop": "stop"}
    conditions = text(body, statements).replace("f.index", "evict.wanted")  # so that the `if` does not use the folio
    scan = f"scan queue from head as f {{ {conditions} }} scan queue from tail as g {{ evict g }}"
    found = codes(f"folio {{ rank: u8 = 0 }}\non evict {{ {scan} }}")
    expected = set()
    for path in paths(body):
        gone = [i for i, leaf in enumerate(path) if leaf in ("evict", "move")]
        if len(gone) > 1:
            expected.add("E0308")
        if gone and "use" in path[gone[0] :]:
            expected.add("E0307")
    assert found == expected
