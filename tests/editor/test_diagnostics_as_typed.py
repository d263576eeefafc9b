"""What the language server says of a text is what `cpolc` says of the same text in a file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from editor_client import QUIET, Editor, edit
from edits import edited, seeded
from lsprotocol import types
from quick import examples

from cpol.compiler.diagnostics import CompileError, Diagnostic
from cpol.compiler.policies import STDLIB
from cpol.compiler.stages import run

ERROR = types.DiagnosticSeverity.Error
EDITS = int(os.environ.get("CPOL_EDITS", examples(3)))
"""Edits of each policy."""


def compiler(text: str, path: Path) -> list[tuple[str, str, int, int]]:
    """What `cpolc` says: code, message, line and column, from 0."""
    try:
        found: list[Diagnostic] = list(run(text, str(path)).warnings)
    except CompileError as error:
        found = error.diagnostics
    out = []
    for each in found:
        pos = each.source.pos(each.span.start) if each.span is not None else None
        line, column = (0, 0) if pos is None or pos.file else (pos.line - 1, pos.column - 1)
        out.append((each.code, each.message, line, column))
    return sorted(out)


def server(found: list[types.Diagnostic]) -> list[tuple[str, str, int, int]]:
    return sorted(
        (str(each.code), each.message.split("\nwhy: ")[0].split("\nhelp: ")[0], each.range.start.line,
         each.range.start.character)
        for each in found
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(STDLIB, tmp_path / "stdlib", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "stdlib"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_policy_of_the_standard_library_edited_at_random(folder: Path, part: int) -> None:
    seed, chance = seeded(part)
    paths = sorted(folder.glob("*.cpol"))[part::4]
    assert len(paths) >= 10

    async def work(editor: Editor) -> None:
        for path in paths:
            text = path.read_text(encoding="utf-8")
            assert server(list(await editor.open(path.name, text))) == compiler(text, path)
            for _ in range(EDITS):
                before, text = text, edited(text, chance)
                found = server(list(await editor.change(path.name, text)))
                assert found == compiler(text, path), f"CPOL_SEED={seed}: {path.name}"
                if chance.random() < 0.5:
                    text = before

    edit(folder, work, QUIET)


@pytest.mark.slow
def test_a_library_that_changes_in_its_file(tmp_path: Path) -> None:
    """The server asks the editor to watch files, and says anew what is wrong with what may import them."""
    library = tmp_path / "parts.cpol"
    library.write_text("library parts { const LEAST: u8 = 2 }\n")

    async def work(editor: Editor) -> None:
        text = (
            'policy p { import LEAST from "parts.cpol"  list q  on added(f) { place f at tail of q }\n'
            "on evict { scan q from head up to q.size - LEAST as f { evict f } } }\n"
        )
        assert [each.code for each in await editor.open("p.cpol", text) if each.severity == ERROR] == []
        assert editor.registered == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
        library.write_text("library parts { const MOST: u8 = 2 }\n")
        change = types.FileEvent(library.as_uri(), types.FileChangeType.Changed)
        editor.said.clear()
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        found = [each for each in await editor.diagnostics("p.cpol") if each.severity == ERROR]
        assert len(found) == 1 and "LEAST" in found[0].message

    edit(tmp_path, work, QUIET)
