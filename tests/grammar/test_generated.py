"""The checked-in parser: it matches the grammar, and looks ahead only for soft words."""

from __future__ import annotations

import hashlib
import re
import runpy
from pathlib import Path

GRAMMAR = Path(__file__).parents[2] / "grammar"
GENERATED = GRAMMAR / "generated"


def test_checksums_match_grammar_and_parser() -> None:
    for line in (GENERATED / "sha256").read_text().splitlines():
        checksum, name = line.split()
        path = GRAMMAR / name if name.endswith(".g4") else GENERATED / name
        assert hashlib.sha256(path.read_bytes()).hexdigest() == checksum, f"{name} changed: run grammar/generate"


def test_generated_folder_has_no_other_files() -> None:
    names = {path.name for path in GENERATED.iterdir() if path.is_file()}
    assert names == {"__init__.py", "CpolLexer.py", "CpolParser.py", "sha256"}


LOOKS_AHEAD = {"argument", "cacheDecl", "keepDecl", "paramDecl", "pinDecl", "prefetchStmt", "statement", "testDecl"}
"""The rules that decide by more than one token, since a name may be a soft word."""


def test_rules_that_look_ahead_are_known() -> None:
    rules = re.split(r"\n    def (\w+)\(self\):\n", (GENERATED / "CpolParser.py").read_text())
    found = {name for name, body in zip(rules[1::2], rules[2::2], strict=True) if "adaptivePredict" in body}
    assert found == LOOKS_AHEAD, "a new decision looks ahead: is it meant, and what does it cost?"


def test_parser_contains_no_absolute_path() -> None:
    for path in GENERATED.glob("*.py"):
        assert str(GRAMMAR.parent) not in path.read_text()
        assert "/tmp" not in path.read_text()


def test_generate_script_loads_without_java() -> None:
    assert set(runpy.run_path(str(GRAMMAR / "generate"))["PARTS"]) == {"CpolLexer.py", "CpolParser.py"}
