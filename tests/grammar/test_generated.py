"""The parser that is checked in is the one that the grammar generates, and it is a fast one."""

from __future__ import annotations

import hashlib
import runpy
from pathlib import Path

GRAMMAR = Path(__file__).parents[2] / "grammar"
GENERATED = GRAMMAR / "generated"


def test_checksums_are_those_of_the_grammar_and_of_what_was_generated_from_it() -> None:
    for line in (GENERATED / "sha256").read_text().splitlines():
        checksum, name = line.split()
        path = GRAMMAR / name if name.endswith(".g4") else GENERATED / name
        assert hashlib.sha256(path.read_bytes()).hexdigest() == checksum, f"{name} changed: run grammar/generate"


def test_nothing_else_is_generated() -> None:
    names = {path.name for path in GENERATED.iterdir() if path.is_file()}
    assert names == {"__init__.py", "CpolLexer.py", "CpolParser.py", "sha256"}


def test_one_token_of_lookahead_decides_everything() -> None:
    assert "adaptivePredict" not in (GENERATED / "CpolParser.py").read_text()


def test_no_absolute_path_gets_into_the_parser() -> None:
    for path in GENERATED.glob("*.py"):
        assert str(GRAMMAR.parent) not in path.read_text()
        assert "/tmp" not in path.read_text()


def test_the_script_can_be_loaded_without_java() -> None:
    assert set(runpy.run_path(str(GRAMMAR / "generate"))["PARTS"]) == {"CpolLexer.py", "CpolParser.py"}
