"""Compilation of C for the host."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from cpol.compiler.toolchain import native
from cpol.compiler.toolchain.process import ToolError

SHARED = (*native.COMMON, *native.SHARED)
ANSWER = '#include "answer.h"\n__attribute__((visibility("default"))) int answer(void) { return ANSWER; }\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_changed_header_makes_another_object(tmp_path: Path) -> None:
    built = []
    for answer in (1, 2):
        headers = tmp_path / f"headers-{answer}"
        headers.mkdir()
        (headers / "answer.h").write_text(f"#define ANSWER {answer}\n")
        built.append(native.compile_cached(ANSWER, "answer", SHARED, (headers,)))
        assert ctypes.CDLL(str(built[-1])).answer() == answer
    assert built[0] != built[1]


def test_features_of_avx10_processors_are_no_error() -> None:
    # What clang-19 takes -march=native for where the processor has AVX10.
    features = ("-mavx10.1-256", "-mavx512f")
    native.compile_cached("int x;", "features", (*native.OPTIMISED, *features, *SHARED), ())


def test_message_quotes_the_host_compiler(folder: Path) -> None:
    with pytest.raises(ToolError, match=r"defect of cpol. It said:\n(.|\n)*broken\.c(.|\n)*undeclared"):
        native.compile_cached("int x = y;", "broken", native.COMMON, ())
    assert list((folder / "sim").iterdir()) == []
