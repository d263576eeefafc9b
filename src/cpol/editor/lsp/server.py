"""The language server: what an editor asks, and which module answers."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format import FormatError, format_text
from cpol.compiler.syntax.again import Again
from cpol.compiler.syntax.parse import deep_stack
from cpol.compiler.syntax.read import MAX_BYTES
from cpol.editor.lsp import garbage, listen, navigate, outline, pages, paint, problems, warm
from cpol.editor.lsp.complete import Completer
from cpol.editor.lsp.lints import PAUSE, Lints
from cpol.editor.lsp.places import Lines
from cpol.editor.lsp.texts import Texts
from cpol.editor.wire import WireError
from cpol.errors import UserError
from cpol.version import __version__

QUICK = 0.1
"""Seconds. Where the compiler took longer for a text, it waits as long for the next keystroke before it begins."""


def path_of(uri: str) -> str:
    """The file of an address. A text that is not in a file is called by its address."""
    parts = urlparse(uri)
    return unquote(parts.path) if parts.scheme == "file" else uri


class Server(LanguageServer):
    """A language server, with the texts that its editor has open."""

    def __init__(self) -> None:
        self.converter = default_converter()  # type: ignore[no-untyped-call]  # pygls says no type of it
        super().__init__(
            "cpolc",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
            converter_factory=lambda: self.converter,
        )
        again = Again()
        self.lexer = again.lexer
        self.texts = Texts(again)
        self.completer = Completer(self.texts, again.lexer)
        self.lints = Lints()
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
        took = time.monotonic() - began
        pause = max(PAUSE, took)
        self.took[path] = took if path in self.took else 0.0  # the first time, its declarations are new
        self.waiting[path] = asyncio.get_running_loop().call_later(pause, self.look, path)
        for other in self.texts.importing(path):
            self.publish(other)

    def look(self, path: str) -> None:
        """Nobody has typed for a while: publish what `cpolc lint` finds, too."""
        self.waiting.pop(path, None)
        if self.lints.look(self.texts.text(path)):
            self.publish(path)

    def configure(self, settings: object) -> None:
        """Take the settings of the editor: `{"lint": "hint"}`, or the same in `cpol`."""
        wanted = _member(_member(settings, "cpol") or settings, "lint")
        if wanted is None:
            return
        if wrong := self.lints.configure(wanted):
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, wrong))
        for path in self.texts.open:
            self.lints.look(self.texts.text(path))
            self.publish(path)

    def publish(self, path: str) -> None:
        text = self.texts.text(path)
        found = [*problems.published(text), *self.lints.published(text)]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.uris[path], found, self.versions[path])
        )

    def wrong_with(self, method: str, uri: str) -> str:
        """What is wrong with an address of a text, for a method; empty: nothing."""
        try:
            path = path_of(uri)
        except ValueError as error:
            return f"{uri!r} is no address of a text: {error}"
        if method == types.TEXT_DOCUMENT_DID_OPEN:
            return ""
        changes = method in (types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE)
        if path in self.texts.open:
            if changes or len(self.texts.open[path]) <= MAX_BYTES:
                return ""
            return f"{uri!r} is longer than {MAX_BYTES:,} bytes, which no policy may be"
        if changes:
            return f"{uri!r} is not open; an editor opens a text first"
        try:
            if not Path(path).is_file():
                return f"{uri!r} is not open, and is no file; an editor opens a text first"
            self.texts.text(path)
        except (OSError, ValueError) as error:
            return f"{uri!r} is not open, and cannot be read: {getattr(error, 'strerror', None) or error}"
        return ""

    def at(self, document: types.TextDocumentIdentifier, position: types.Position) -> tuple[str, int]:
        """The file and the offset that a place means."""
        path = path_of(document.uri)
        return path, self.texts.text(path).lines.offset(position)

    def closed(self, uri: str) -> None:
        path = path_of(uri)
        self.texts.change(path, None)
        self.lints.forget(path)
        for known in (self.versions, self.uris, self.took):
            known.pop(path, None)
        if path in self.waiting:
            self.waiting.pop(path).cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def watches(client: types.ClientCapabilities) -> bool:
    """Whether an editor watches files for a server that asks it to."""
    watched = client.workspace and client.workspace.did_change_watched_files
    return bool(watched and watched.dynamic_registration)


WATCHED = types.Registration(
    "watched",
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*.cpol")]),
)
"""The files that open texts may import."""


def _member(settings: object, name: str) -> object:
    """Of an object of JSON, as the protocol's library has it; None: there is none."""
    return settings.get(name) if isinstance(settings, dict) else getattr(settings, name, None)


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

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.configure(params.initialization_options)
        folders = [folder.uri for folder in params.workspace_folders or []]
        server.texts.roots = [path_of(uri) for uri in folders or filter(None, [params.root_uri])]

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        if watches(server.client_capabilities):
            await server.client_register_capability_async(types.RegistrationParams([WATCHED]))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        server.configure(params.settings)

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
            server.lints.look(server.texts.text(path))
            server.publish(path)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        return formatted(server, params)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        asked = server.texts, path_of(params.text_document.uri), params.range
        return [*problems.fixes(*asked), *server.lints.fixes(*asked)]

    _words(server)
    _names(server)
    _drawn(server)
    return server


def _words(server: Server) -> None:
    """What is asked about a place in a text."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        with deep_stack():
            return pages.hover(server.texts, *server.at(params.text_document, params.position))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["."]))
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        return server.completer.items(*server.at(params.text_document, params.position))


def _names(server: Server) -> None:
    """What is asked about names."""

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> types.Location | None:
        return navigate.definition(server.texts, *server.at(params.text_document, params.position))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        place = server.at(params.text_document, params.position)
        return navigate.references(server.texts, *place, params.context.include_declaration)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        path, offset = server.at(params.text_document, params.position)
        found = navigate.at(server.texts, path, offset)
        if found is None or found[0].text != server.texts.text(path).text:
            return []
        return [types.DocumentHighlight(found[0].lines.range(span)) for span in found[0].names.of(found[1])]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: types.PrepareRenameParams) -> types.Range | None:
        path, offset = server.at(params.text_document, params.position)
        with said():
            text, _ = navigate.renamable(server.texts, path, offset)
        use = text.names.at(offset)
        return None if use is None else text.lines.range(use.span)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit:
        path, offset = server.at(params.text_document, params.position)
        with said():
            changes = navigate.rename(server.texts, path, offset, params.new_name)
        return types.WorkspaceEdit(changes={problems.uri_of(file): edits for file, edits in changes.items()})


def _drawn(server: Server) -> None:
    """What an editor draws of a whole text."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return outline.symbols(server.texts, path_of(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folds(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        return outline.folds(server.texts, path_of(params.text_document.uri), server.lexer)

    @server.feature(
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.SemanticTokensLegend(token_types=list(paint.TYPES), token_modifiers=list(paint.MODIFIERS)),
    )
    def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        return types.SemanticTokens(paint.semantic(server.texts, path_of(params.text_document.uri), server.lexer))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        return paint.hints(server.texts, path_of(params.text_document.uri), params.range)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        return paint.lenses(server.texts, path_of(params.text_document.uri))


@contextmanager
def said() -> Iterator[None]:
    """Answer with the reason why a name cannot change: the editor shows it."""
    try:
        yield
    except navigate.RenameError as error:
        raise JsonRpcInvalidParams(str(error)) from None


def _end(number: int, _frame: object) -> None:
    """End at once. Nothing is half made, and a thread that waits for the editor would hold up the usual end."""
    os._exit(128 + number)


def serve(given: BinaryIO, out: BinaryIO, tell: listen.Tell) -> None:
    """Serve one editor on two streams, until it leaves.

    Raises:
        UserError: what it sends cannot be read.
    """
    server = make()
    server.texts.attempt(warm.PATH, warm.FIRST)  # which loads what the first text would wait for
    server.texts.attempt(warm.PATH, warm.FIRST[:-20])
    garbage.begin()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    try:
        idle = warm.steps(server, server.converter, make)
        listen.serve(listen.Listener(server, given, out, tell, server.wrong_with, idle))
    except WireError as error:
        raise UserError(f"the editor's messages: {error}") from None
    except OSError as error:
        raise UserError(f"cannot read the editor's messages: {error.strerror}") from None
