"""The language server: what an editor asks, and which module answers."""

from __future__ import annotations

import asyncio
import time
from typing import TypeVar
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format import FormatError, format_text
from cpol.compiler.syntax.again import Again
from cpol.editor.lsp import problems
from cpol.editor.lsp.places import Lines
from cpol.editor.lsp.texts import Texts
from cpol.version import __version__

QUICK = 0.1
"""Seconds. Where the compiler took longer for a text, it waits as long for the next keystroke before it begins."""

Params = TypeVar("Params")


def path_of(uri: str) -> str:
    """The file of an address. A text that is not in a file is called by its address."""
    parts = urlparse(uri)
    return unquote(parts.path) if parts.scheme == "file" else uri


class Server(LanguageServer):
    """A language server, with the texts that its editor has open."""

    def __init__(self) -> None:
        super().__init__("cpolc", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.texts = Texts(Again())
        self.versions: dict[str, int] = {}
        self.uris: dict[str, str] = {}
        self.took: dict[str, float] = {}
        self.waiting: dict[str, asyncio.TimerHandle] = {}

    def changed(self, uri: str, text: str, version: int) -> None:
        """Take a text, and say what is wrong with it: at once, or after a pause if the last time took long."""
        path = path_of(uri)
        self.texts.change(path, text)
        self.versions[path], self.uris[path] = version, uri
        if path in self.waiting:
            self.waiting.pop(path).cancel()
        pause = self.took.get(path, 0.0)
        if pause < QUICK:
            self.say(path)
        else:
            self.waiting[path] = asyncio.get_running_loop().call_later(pause, self.say, path)

    def say(self, path: str) -> None:
        """Publish what the compiler says of an open text, and of those that may import it."""
        self.waiting.pop(path, None)
        began = time.monotonic()
        self.publish(path)
        self.took[path] = time.monotonic() - began
        for other in self.texts.importing(path):
            self.publish(other)

    def publish(self, path: str) -> None:
        found = problems.published(self.texts.text(path))
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.uris[path], found, self.versions[path])
        )

    def closed(self, uri: str) -> None:
        path = path_of(uri)
        self.texts.change(path, None)
        for known in (self.versions, self.uris, self.took):
            known.pop(path, None)
        if path in self.waiting:
            self.waiting.pop(path).cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def formatted(server: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
    """The one layout, as `cpolc fmt` has it. A text with wrong syntax stays as it is."""
    path = path_of(params.text_document.uri)
    text = server.texts.text(path).text
    try:
        new = format_text(text, path)
    except (CompileError, FormatError):
        return None
    return [] if new == text else [types.TextEdit(Lines(text).whole, new)]


def make() -> Server:
    """A server that answers all that an editor may ask."""
    server = Server()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.changed(document.uri, document.text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        text = server.workspace.get_text_document(document.uri).source
        server.changed(document.uri, text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.texts.forget()
        for path in list(server.texts.open):
            server.publish(path)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        return formatted(server, params)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return problems.fixes(server.texts, path_of(params.text_document.uri), params.range)

    return server


def serve() -> None:
    """Serve one editor on standard input and output, until it leaves."""
    make().start_io()
