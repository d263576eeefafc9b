"""What `cpolc lint` finds, in an editor: when it comes, how it is shown, where it goes, and quick fixes."""

from __future__ import annotations

from pathlib import Path

import pytest
from editor_client import Editor, edit
from lsprotocol import types

pytestmark = pytest.mark.slow  # each starts a server

POLICY = """\
/// A policy of tests.
policy p {
  list queue
  state least: u8 = 4
  on added(f)    { place f at tail of queue }
  on accessed(f) { if f.pages > least { move f to tail of queue } }
  on evict       { scan queue from head as f { evict f } }
  test fifo(capacity: 1) { access 1, 2  expect queue.is(2) }
}
"""
FOUND = ["L0102", "L0105"]  # no invariant; nothing assigns to `least`
CLEAN = POLICY.replace("state", "const").replace("  test", "  invariant queue.size == cache.size\n  test")


def of(found: types.Diagnostic) -> tuple[object, int, int]:
    return found.severity, found.range.start.line, found.range.start.character


def test_it_comes_behind_the_compiler_and_moves_with_the_text(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        assert not await editor.open("p.cpol", POLICY)
        invariant, state = await editor.until("p.cpol", FOUND)
        assert of(invariant) == (types.DiagnosticSeverity.Hint, 1, 7)
        assert of(state) == (types.DiagnosticSeverity.Hint, 3, 8)
        assert state.source == "cpolc" and state.message.startswith("nothing assigns to `least`\nwhy: it is 4")
        moved = await editor.change("p.cpol", "// a line\n" + POLICY)  # at once, before it looks anew
        assert [each.code for each in moved] == FOUND and of(moved[1])[1:] == (4, 8)
        (error,) = await editor.change("p.cpol", POLICY.replace("tail of queue }", "tail of quue }", 1))
        assert error.severity == types.DiagnosticSeverity.Error
        await editor.change("p.cpol", CLEAN)
        await editor.until("p.cpol", [])

    edit(tmp_path, work)


def test_a_comment_silences_it(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open("p.cpol", POLICY)
        await editor.until("p.cpol", FOUND)
        await editor.change("p.cpol", POLICY.replace("= 4\n", "= 4  // lint: allow L0105 because so\n"))
        await editor.until("p.cpol", FOUND[:1])

    edit(tmp_path, work)


def test_a_quick_fix_mends_it(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        await editor.open("p.cpol", POLICY)
        found = (await editor.until("p.cpol", FOUND))[1]
        context = types.CodeActionContext([found])
        params = types.CodeActionParams(editor.document("p.cpol"), found.range, context)
        (action,) = await editor.client.text_document_code_action_async(params) or ()
        assert isinstance(action, types.CodeAction) and action.edit and action.edit.changes
        assert action.title == "Mend L0105: make it a `const`, or a `param` if users should choose it"
        ((change,),) = action.edit.changes.values()
        assert change.new_text == "const least: u8 = 4"
        assert change.range == types.Range(types.Position(3, 2), types.Position(3, 21))
        at = types.Range(types.Position(1, 7), types.Position(1, 8))
        params = types.CodeActionParams(editor.document("p.cpol"), at, context)
        assert not await editor.client.text_document_code_action_async(params)  # nothing mends L0102

    edit(tmp_path, work)


@pytest.mark.parametrize("settings", [{"lint": "warning"}, {"cpol": {"lint": "warning"}}])
def test_how_it_is_shown(tmp_path: Path, settings: object) -> None:
    async def work(editor: Editor) -> None:
        await editor.open("p.cpol", POLICY)
        found = await editor.until("p.cpol", FOUND)
        assert {each.severity for each in found} == {types.DiagnosticSeverity.Warning}
        for wanted, codes in (("off", []), ("information", FOUND)):
            given = types.DidChangeConfigurationParams({"cpol": {"lint": wanted, "command": "cpolc"}})
            editor.client.workspace_did_change_configuration(given)
            found = await editor.until("p.cpol", codes)
            assert all(each.severity == types.DiagnosticSeverity.Information for each in found)

    edit(tmp_path, work, settings)


def test_a_setting_that_does_not_exist_is_told(tmp_path: Path) -> None:
    async def work(editor: Editor) -> None:
        while not editor.client.messages:
            editor.news.clear()
            await editor.news.wait()
        (said,) = editor.client.messages
        assert said.message == "the setting cpol.lint is one of off, hint, information, warning, not 'loud'"
        editor.client.messages.clear()
        await editor.open("p.cpol", POLICY)
        await editor.until("p.cpol", FOUND)

    edit(tmp_path, work, {"lint": "loud"})
