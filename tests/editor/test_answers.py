"""What the language server answers, by the protocol."""

from __future__ import annotations

import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from editor_client import QUIET, Editor, edit
from edits import edited, seeded
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from cpol.compiler.policies import STDLIB
from cpol.editor.lsp import beside, navigate
from cpol.editor.lsp.texts import Texts

POLICY = """/// A policy of tests.
policy mine {
  import half, forget from "parts.cpol"
  param limit: u8 = 3 in 1..8    /// reads that count
  list cold, hot
  ghost gone { capacity: cache.capacity }
  folio { reads: u2 = 0 }
  enum mood { calm, busy }
  state now: mood = calm

  on added(f) {
    let full = cold.size > half(cache.capacity)
    if gone.take(f) or full { place f at tail of hot } else { place f at tail of cold }
  }
  on accessed(f) { f.reads += 1 }
  on removed(f, why) { if why == evicted { gone.add(f) } }
  on evict {
    now = if now == calm then busy else calm
    scan cold from head as g {
      when g.reads >= limit and not g.mapped { do forget(g)  move g to tail of hot }
      otherwise { evict g }
    }
    scan hot from head as h { evict h }
  }
  test some(capacity: 4, limit: 2) {
    access 1, 2
    expect cold.has(1)
  }
}
"""
PARTS = """library parts {
  /// half of a number
  fn half(n: u64): u64 = n / 2

  action forget(f: folio) { f.reads = 0 }
}
"""


pytestmark = pytest.mark.slow  # each starts a server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts.cpol").write_text(PARTS)
    return tmp_path


def run(folder: Path, work: Callable[[Editor], Awaitable[None]], text: str = POLICY) -> None:
    async def opened(editor: Editor) -> None:
        found = await editor.open("mine.cpol", text)
        if text == POLICY:
            assert [each.message for each in found] == []
        await work(editor)

    edit(folder, opened, QUIET)


def position(editor: Editor, text: str, mark: str, behind: int = 0) -> dict[str, Any]:
    return {"text_document": editor.document("mine.cpol"), "position": editor.at(text, mark, behind)}


def test_hover(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        async def said(mark: str, behind: int = 0) -> str:
            found = await editor.client.text_document_hover_async(
                types.HoverParams(**position(editor, POLICY, mark, behind))
            )
            assert found is not None, mark
            assert isinstance(found.contents, types.MarkupContent)
            return found.contents.value

        limit = await said("limit and")
        assert "param limit: u8 = 3 in 1..8" in limit and "reads that count" in limit and "`u8`: 1 to 8" in limit
        assert "0 to 3, where it saturates" in await said("reads +=")
        assert "bool" in await said("full {")
        mapped = await said("g.mapped", 2)
        assert "g.mapped: bool" in mapped
        able, cannot = mapped.split("Kernels: ")[1].split(" cannot.")[0].split(";")
        assert "`patched-6.12`" in able and "`upstream-2026`" in cannot
        assert "without mappings" in mapped
        cost = await said("evict {")
        assert "A call of `evict` visits at most" in cost and "folios" in cost
        assert "walks no list" in await said("accessed(f)")
        half = await said("half(cache")
        assert "fn half(n: u64): u64 = n / 2" in half and "half of a number" in half and "parts.cpol" in half
        assert "pages that it may own" in await said("cache.capacity)", 8)
        assert await said("cold.size", 6) == "u64: pages on the list"
        nothing = types.HoverParams(**position(editor, POLICY, "{\n  import"))
        assert await editor.client.text_document_hover_async(nothing) is None

    run(folder, work)


def test_hover_while_the_text_is_wrong(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        text = POLICY.replace("list cold", "state bad: u64 = \n  list cold")
        assert await editor.change("mine.cpol", text)
        for mark, words in (("limit and", "param limit"), ("full {", "bool"), ("evict {", "at most")):
            place = position(editor, text, mark)
            found = await editor.client.text_document_hover_async(types.HoverParams(**place))
            assert found is not None and isinstance(found.contents, types.MarkupContent)
            assert words in found.contents.value

    run(folder, work)


def test_hover_shows_no_comment_for_the_linter(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        text = POLICY.replace("list cold, hot", "list cold, hot  // lint: allow L0101 because it is a test")
        await editor.change("mine.cpol", text)
        found = await editor.client.text_document_hover_async(types.HoverParams(**position(editor, text, "hot  //")))
        assert found is not None and isinstance(found.contents, types.MarkupContent)
        assert found.contents.value == "```cpol\nlist hot\n```"

    run(folder, work)


def test_rename_finds_what_imports_from_elsewhere(folder: Path) -> None:
    """The policies of the editor's folder, however far they are from the library."""
    library = folder / "deep/lib/far.cpol"
    library.parent.mkdir(parents=True)
    library.write_text("library far { const K: u8 = 3 }\n")
    (folder / "uses.cpol").write_text('policy uses { import K from "deep/lib/far.cpol"  list q }\n')

    async def work(editor: Editor) -> None:
        text = library.read_text()
        await editor.open("deep/lib/far.cpol", text)
        place = {"text_document": editor.document("deep/lib/far.cpol"), "position": editor.at(text, "K:")}
        edit = await editor.client.text_document_rename_async(types.RenameParams(new_name="LIMIT", **place))
        assert edit is not None and edit.changes is not None
        assert {uri.rpartition("/")[2] for uri in edit.changes} == {"far.cpol", "uses.cpol"}

    run(folder, work)


def test_rename_refuses_what_it_cannot_see(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "MOST_FILES", 3)
    for number in range(4):
        (folder / f"{number}.cpol").write_text("")
    with pytest.raises(beside.TooMany, match=re.escape(str(folder))):
        list(beside.policies_beside(str(folder / "parts.cpol"), [str(folder)]))
    texts = Texts()
    texts.roots = [str(folder)]
    with pytest.raises(navigate.RenameError, match="open the folder of your policies"):
        navigate.rename(texts, str(folder / "parts.cpol"), PARTS.index("half("), "third")


def test_definition_and_references_through_an_import(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        for mark in ("half(cache", "half, forget"):
            place = position(editor, POLICY, mark)
            found = await editor.client.text_document_definition_async(types.DefinitionParams(**place))
            assert isinstance(found, types.Location)
            assert found.uri == editor.uri("parts.cpol") and found.range.start == editor.at(PARTS, "half(n")
        source = position(editor, POLICY, '"parts.cpol"', 3)
        found = await editor.client.text_document_definition_async(types.DefinitionParams(**source))
        assert isinstance(found, types.Location) and found.range.start == editor.at(PARTS, "parts {")
        context = types.ReferenceContext(include_declaration=True)
        place = position(editor, POLICY, "forget(g)")
        uses = await editor.client.text_document_references_async(types.ReferenceParams(context=context, **place))
        assert uses is not None
        assert {use.uri for use in uses} == {editor.uri("parts.cpol"), editor.uri("mine.cpol")} and len(uses) == 3
        # And from the library, whose policy is a file or an open text.
        await editor.open("parts.cpol", PARTS)
        place = {"text_document": editor.document("parts.cpol"), "position": editor.at(PARTS, "half(n")}
        again = await editor.client.text_document_references_async(types.ReferenceParams(context=context, **place))
        assert again is not None and len(again) == 3

    run(folder, work)


def test_rename(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        async def renamed(mark: str, new: str) -> dict[str, int]:
            place = position(editor, POLICY, mark)
            edit = await editor.client.text_document_rename_async(types.RenameParams(new_name=new, **place))
            assert edit is not None and edit.changes is not None
            return {uri.rpartition("/")[2]: len(edits) for uri, edits in edit.changes.items()}

        assert await renamed("limit and", "most") == {"mine.cpol": 3}
        assert await renamed("cold.size", "fresh") == {"mine.cpol": 5}
        assert await renamed("g {", "folio_of_scan") == {"mine.cpol": 6}
        assert await renamed("half(cache", "one_half") == {"parts.cpol": 1, "mine.cpol": 2}
        for mark, new in (("limit and", "hot"), ("limit and", "5x"), ("limit and", "evict"), ("limit and", "u8")):
            with pytest.raises(JsonRpcException) as error:
                await renamed(mark, new)
            assert new in str(error.value)
        place = position(editor, POLICY, "param")
        with pytest.raises(JsonRpcException):
            await editor.client.text_document_prepare_rename_async(types.PrepareRenameParams(**place))

    run(folder, work)


def test_completion_is_what_is_legal_there(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        async def offered(old: str, new: str) -> list[str]:
            text = POLICY.replace(old, new.replace("@", ""), 1)
            await editor.change("mine.cpol", text)
            offset = POLICY.index(old) + new.index("@")
            before = text[:offset]
            where = types.Position(before.count("\n"), offset - before.rfind("\n") - 1)
            found = await editor.client.text_document_completion_async(
                types.CompletionParams(editor.document("mine.cpol"), where)
            )
            assert isinstance(found, (list, tuple))
            return [item.label for item in found]

        assert await offered("place f at tail of hot", "place f at tail of @") == ["cold", "hot"]
        assert await offered("place f at tail of hot", "place f at @") == ["head", "tail"]
        assert await offered("place f at tail of hot", "place @") == ["f"]
        assert await offered("f.reads += 1", "f.@") == ["reads"]
        assert {"reads", "dirty", "pages", "list"} <= set(await offered("g.reads >=", "g.@ >="))
        statements = set(await offered("f.reads += 1", "@"))
        assert {"move", "let", "if", "do", "f", "gone"} <= statements
        assert not statements & {"place", "evict", "refuse", "prefetch", "drop", "stop", "pin", "else"}
        assert "evict" in await offered("{ evict g }", "{ @ }") and "place" not in await offered("{ evict g }", "{ @ }")
        assert await offered("do forget(g)", "do @") == ["forget"]
        events = await offered("on accessed(f)", "on @")
        assert "accessed" in events and "added" not in events
        assert {"u8", "fix", "bool", "mood"} <= set(await offered("limit: u8", "limit: @"))
        assert {"has", "size"} == set(await offered("not g.mapped", "gone.@")) - {"take"}
        assert await offered("half, forget from", "@ from") == ["half", "forget"]
        assert "balance" in await offered('"parts.cpol"', "@")
        assert {"capacity", "limit"} <= set(await offered("limit: 2", "@"))
        assert {"access", "expect"} <= set(await offered("access 1, 2", "@"))
        assert await offered("/// reads", "/// @reads") == []
        assert "task" not in await offered("g.reads >=", "@ >=")

    run(folder, work)


def test_symbols_folding_tokens_hints_and_lenses(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        document = editor.document("mine.cpol")
        client = editor.client
        symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        assert symbols is not None and len(symbols) == 1 and isinstance(symbols[0], types.DocumentSymbol)
        names = [child.name for child in symbols[0].children or ()]
        assert names[:5] == ["half", "forget", "limit", "cold", "hot"] and "on evict" in names and "some" in names
        folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
        lines = POLICY.split("\n")
        first = next(number for number, line in enumerate(lines) if line.startswith("  on evict"))
        assert folds is not None and any(fold.start_line == first for fold in folds)
        tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
        assert tokens is not None and len(tokens.data) % 5 == 0 and len(tokens.data) > 500
        whole = types.Range(types.Position(0, 0), types.Position(len(lines), 0))
        hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
        labels = [hint.label for hint in hints or ()]
        assert ": bool" in labels and "0..3" in labels and "stops at 3" in labels
        lenses = await client.text_document_code_lens_async(types.CodeLensParams(document))
        commands = [(lens.command.command, lens.command.arguments) for lens in lenses or () if lens.command]
        path = str(editor.folder / "mine.cpol")
        assert ("cpol.test", (path, "some")) in [(name, tuple(given or ())) for name, given in commands]
        assert {"cpol.test", "cpol.step", "cpol.simulate", "cpol.check"} == {name for name, _ in commands}

    run(folder, work)


def test_quick_fixes(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        async def mended(old: str, new: str) -> list[str]:
            """The texts that fixes make of one with an error."""
            text = POLICY.replace(old, new, 1)
            found = await editor.change("mine.cpol", text)
            assert found
            context = types.CodeActionContext(list(found))
            params = types.CodeActionParams(editor.document("mine.cpol"), found[0].range, context)
            out = []
            for action in await editor.client.text_document_code_action_async(params) or ():
                assert isinstance(action, types.CodeAction) and action.edit and action.edit.changes
                (edits,) = action.edit.changes.values()
                (change,) = edits
                start, end = (
                    sum(len(line) + 1 for line in text.split("\n")[: at.line]) + at.character
                    for at in (change.range.start, change.range.end)
                )
                out.append(text[:start] + change.new_text + text[end:])
            return out

        assert POLICY in await mended("reads +=", "read +=")
        assert POLICY in await mended("tail of cold", "tail of clod")
        assert POLICY in await mended("{ f.reads += 1 }", "{ f.reads += 1  let unused = 1 }")

    run(folder, work)


def test_formatting(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        params = types.DocumentFormattingParams(editor.document("mine.cpol"), types.FormattingOptions(2, True))
        await editor.change("mine.cpol", POLICY.replace("  list cold", "list     cold"))
        edits = await editor.client.text_document_formatting_async(params)
        assert edits is not None and len(edits) == 1 and "  list cold, hot" in edits[0].new_text
        await editor.change("mine.cpol", POLICY + "}")
        assert not await editor.client.text_document_formatting_async(params)

    run(folder, work)


def test_an_open_library_stands_for_its_file(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        assert list(await editor.open("parts.cpol", PARTS.replace("half(n", "third(n"))) == []
        assert any("has no `half`" in found.message for found in await news(editor, "mine.cpol"))
        assert list(await editor.change("parts.cpol", PARTS)) == []
        assert list(await news(editor, "mine.cpol")) == []
        wrong = await editor.change("parts.cpol", PARTS.replace("n / 2", "n / true"))
        assert [found.code for found in wrong] == ["E0201"]

    async def news(editor: Editor, name: str) -> Any:
        """What the server says of a text after its answers to all that was sent."""
        await editor.client.text_document_folding_range_async(types.FoldingRangeParams(editor.document(name)))
        return await editor.diagnostics(name)

    run(folder, work)


def test_places_count_units_of_utf_16(folder: Path) -> None:
    text = (
        POLICY.replace("list cold, hot", "list cold, hot /* \U0001f600é */ ", 1).replace("/*", "//").replace("*/", "\n")
    )
    text = text.replace("  on accessed(f) { f.reads += 1 }", "  // \U0001f600\n  on accessed(f) { f.read += 1 }")
    wide = POLICY.replace("on accessed(f) { f.reads += 1 }", "on accessed(f) { f.reads += \U0001f600 1 }")

    async def work(editor: Editor) -> None:
        (found,) = await editor.change("mine.cpol", text)
        assert found.range.end.character - found.range.start.character == len("read")
        (found,) = (await editor.change("mine.cpol", wide))[:1]
        line = wide.split("\n")[found.range.start.line]
        assert line[found.range.start.character] == "\U0001f600"
        assert found.range.end.character - found.range.start.character == 2

    run(folder, work)


HOSTILE = [
    "", "\0", "\ufeff", "policy", "policy p {", "}" * 500, "{" * 500, "(" * 5000, "policy p { " + "if " * 300,
    "\ud7ff\U0010ffff", "\r", "a\rb\rc", "\u2028\u2029\x0c\x0b\x85", "policy p { list " + "q, " * 9000, '"' * 99,
    "///" * 999,
    "policy p { const C: u64 = " + "1 + " * 3000 + "1 }", "x" * 200_000,
    "policy p { import a from \"../../etc/passwd\" }",
    "policy p { import a from \"mine.cpol\" }", "library l { import a from l }", "policy p { on evict { evict.",
]  # fmt: skip


def test_hostile_texts(folder: Path) -> None:
    async def work(editor: Editor) -> None:
        for text in HOSTILE:
            await editor.change("mine.cpol", text)
            await everything(editor, "mine.cpol", types.Position(0, len(text) // 2))
            await everything(editor, "mine.cpol", types.Position(99, 99))
        assert list(await editor.change("mine.cpol", POLICY)) == []

    run(folder, work)


async def everything(editor: Editor, name: str, where: types.Position) -> None:
    """Ask all that an editor asks. A name that cannot change is the one answer that may be an error."""
    client, document = editor.client, editor.document(name)
    place: dict[str, Any] = {"text_document": document, "position": where}
    whole = types.Range(types.Position(0, 0), types.Position(9999, 0))
    await client.text_document_hover_async(types.HoverParams(**place))
    await client.text_document_completion_async(types.CompletionParams(**place))
    await client.text_document_definition_async(types.DefinitionParams(**place))
    context = types.ReferenceContext(include_declaration=True)
    await client.text_document_references_async(types.ReferenceParams(context=context, **place))
    await client.text_document_document_highlight_async(types.DocumentHighlightParams(**place))
    await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    await client.text_document_code_lens_async(types.CodeLensParams(document))
    await client.text_document_formatting_async(
        types.DocumentFormattingParams(document, types.FormattingOptions(2, True))
    )
    try:
        await client.text_document_rename_async(types.RenameParams(new_name="renamed", **place))
    except JsonRpcException as error:
        assert error.code == -32602, error


def test_all_is_asked_of_texts_that_change_at_random(tmp_path: Path) -> None:
    seed, chance = seeded()
    shutil.copytree(STDLIB, tmp_path / "stdlib", ignore=shutil.ignore_patterns("__pycache__"))
    paths = chance.sample(sorted((tmp_path / "stdlib").rglob("*.cpol")), 12)

    async def work(editor: Editor) -> None:
        for path in paths:
            name = str(path.relative_to(tmp_path))
            text = path.read_text(encoding="utf-8")
            await editor.open(name, text)
            for _ in range(3):
                await editor.change(name, edited(text, chance))
                lines = text.split("\n")
                line = chance.randrange(len(lines))
                await everything(editor, name, types.Position(line, chance.randrange(len(lines[line]) + 1)))

    edit(tmp_path, work, QUIET)
    assert seed
