"""Files of the kernel module: who calls whom makes no circle.

Their objects need the headers of a kernel, so the text tells: a name that one file defines and another one uses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

MODULE = Path(__file__).resolve().parents[2] / "kernel/module"
PROGRAMS = ("btf_declare", "btf_table")
"""Run at build, and are no part of the module."""
COMMENT_OR_STRING = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
FUNCTION = re.compile(r"^(?!static )[a-z][\w *\n]*?\b(\w+)\([^;{]*?\)\n\{", re.MULTILINE)
VARIABLE = re.compile(
    r"^(?:DEFINE_PER_CPU\([^;]*?(\w+)(?:\[\w+\])?\);"
    r"|(?!static |extern )(?:[a-z]\w* )+\*?(\w+)(?:\[\w+\])?(?: = [^;]+)?;)",
    re.MULTILINE,
)


def defined(text: str) -> set[str]:
    """The names that other files may use."""
    variables = {first or second for first, second in VARIABLE.findall(text)}
    return set(FUNCTION.findall(text)) | variables


def calls(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Map each file to the files whose names it uses."""
    texts = {name: COMMENT_OR_STRING.sub("", text) for name, text in sources.items()}
    words = {name: set(re.findall(r"\w+", text)) for name, text in texts.items()}
    names = {name: defined(text) for name, text in texts.items()}
    return {name: {other for other in names if other != name and names[other] & words[name]} for name in names}


def circle(graph: Mapping[str, set[str]]) -> str:
    """A circle of the graph, as `a -> b -> a`; nothing if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return " -> ".join(reversed(found))
    return ""


def module() -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted(MODULE.glob("*.c")) if path.stem not in PROGRAMS}


def test_no_circle() -> None:
    assert circle(calls(module())) == ""


def test_calls_are_seen() -> None:
    """Each function that a header of the module declares is defined in one of its files, and edges are found."""
    known = set[str]().union(*(defined(COMMENT_OR_STRING.sub("", text)) for text in module().values()))
    for name in ("module", "use", "evict_lruvec", "policies", "redirect"):
        declared = re.findall(
            r"^[a-z][\w *]*?\b(cache_ext_\w+)\([^{]*?\);", (MODULE / f"{name}.h").read_text(), re.MULTILINE
        )
        assert declared and not set(declared) - known, name
    graph = calls(module())
    assert {"use", "symbols"} <= graph["trace"]
    assert {"policies", "prefetch_find", "changes"} <= graph["governed"]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("use", "void cache_ext_enter(void)\n{\n\tcache_ext_untrace(NULL);\n}\n"),
        ("changes", "static bool found(void)\n{\n\treturn cache_ext_lookup_governed(0, NULL);\n}\n"),
        ("symbols", "static void *answers = &cache_ext_answers;\n"),
    ],
)
def test_circle_is_seen(file: str, line: str) -> None:
    sources = module()
    sources[file] += line
    sources["governed"] += 'static unsigned long symbol(void)\n{\n\treturn cache_ext_symbol("");\n}\n'
    assert file in circle(calls(sources))
