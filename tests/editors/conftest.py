"""The tree-sitter parser, built once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from correspondence import build
from tree_sitter import Parser

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS.parent), str(TESTS / "property")]  # mutants and random policies, which these tests parse, too


@pytest.fixture(scope="session")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    return build(tmp_path_factory.mktemp("tree-sitter"))
