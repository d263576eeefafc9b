"""The tree-sitter parser, built once."""

from __future__ import annotations

import pytest
from correspondence import build
from tree_sitter import Parser


@pytest.fixture(scope="session")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    return build(tmp_path_factory.mktemp("tree-sitter"))
