"""C for this machine."""

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


def test_another_header_makes_another_object(tmp_path: Path) -> None:
    built = []
    for answer in (1, 2):
        headers = tmp_path / f"headers-{answer}"
        headers.mkdir()
        (headers / "answer.h").write_text(f"#define ANSWER {answer}\n")
        built.append(native.compile_cached(ANSWER, "answer", SHARED, (headers,)))
        assert ctypes.CDLL(str(built[-1])).answer() == answer
    assert built[0] != built[1]


def test_what_the_compiler_says_is_passed_on(folder: Path) -> None:
    with pytest.raises(ToolError, match=r"defect of cpol. It said:\n(.|\n)*broken\.c(.|\n)*undeclared"):
        native.compile_cached("int x = y;", "broken", native.COMMON, ())
    assert list((folder / "sim").iterdir()) == []
