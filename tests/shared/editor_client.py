"""An editor for tests: it starts `cpolc lsp`, and speaks the protocol with it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities

LIMIT = 300
"""Seconds after which a server that does not answer is ended, so that the test fails."""


QUIET = {"lint": "off"}
"""Settings for tests of what comes at once. On a slow machine, what lint finds later would come first."""


class Editor:
    """An editor with open texts. What the server says is checked against what the editor can do."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.versions: dict[str, int] = {}
        self.registered: list[str] = []
        self.said: dict[tuple[str, int | None], Sequence[types.Diagnostic]] = {}
        self.news = asyncio.Event()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    async def open(self, name: str, text: str) -> Sequence[types.Diagnostic]:
        """Open a text, whether there is such a file or not. Returns what is wrong with it."""
        self.versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), "cpol", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(name)

    async def change(self, name: str, text: str) -> Sequence[types.Diagnostic]:
        """Replace a text. Returns what is wrong with the new one."""
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))
        return await self.diagnostics(name)

    async def diagnostics(self, name: str) -> Sequence[types.Diagnostic]:
        """What is wrong with the text as it is now."""
        key = self.uri(name), self.versions[name]
        while key not in self.said:
            assert not self.client.messages, self.client.messages
            self.news.clear()
            await self.news.wait()
        return self.said[key]

    async def until(self, name: str, codes: Sequence[str]) -> Sequence[types.Diagnostic]:
        """What is wrong with the text as it is now, once that has these codes."""
        while True:
            found = await self.diagnostics(name)
            if [each.code for each in found] == list(codes):
                return found
            self.news.clear()
            await self.news.wait()

    def at(self, text: str, mark: str, behind: int = 0) -> types.Position:
        """The place of the first `mark` in an ASCII text, and so many characters behind it."""
        offset = text.index(mark) + behind
        before = text[:offset]
        return types.Position(before.count("\n"), offset - before.rfind("\n") - 1)


def edit(folder: Path, work: Callable[[Editor], Awaitable[Any]], settings: Any = None) -> Any:
    """Start a server and an editor with these settings, and let `work` use them."""
    return asyncio.run(_edit(folder, work, settings))


async def _edit(folder: Path, work: Callable[[Editor], Awaitable[Any]], settings: Any) -> Any:
    client = LanguageClient(converter_factory=default_converter)
    editor = Editor(client, folder)

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def publish(params: types.PublishDiagnosticsParams) -> None:
        editor.said[params.uri, params.version] = params.diagnostics
        editor.news.set()

    @client.feature(types.WINDOW_SHOW_MESSAGE)
    def show(params: types.ShowMessageParams) -> None:
        client.messages.append(params)
        editor.news.set()

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        editor.registered += [each.method for each in params.registrations]

    @client.feature(types.WINDOW_LOG_MESSAGE)
    def log(params: types.LogMessageParams) -> None:
        client.log_messages.append(params)

    await client.start_io(sys.executable, "-m", "cpol.cli.main", "lsp")
    root = types.WorkspaceFolder(folder.as_uri(), folder.name)
    given = types.InitializeParams(
        client_capabilities("visual_studio_code"),
        root_uri=root.uri,
        workspace_folders=[root],
        initialization_options=settings,
    )
    try:
        async with asyncio.timeout(LIMIT):
            await client.initialize_session(given)
            result = await work(editor)
            assert [message.message for message in client.messages] == [], "the server met an error of its own"
            await client.shutdown_session()
        return result
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()
