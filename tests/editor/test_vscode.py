"""The VS Code extension: what it says of itself, its grammar against the lexer, and the file that is installed."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cpol.compiler.policies import STDLIB
from cpol.compiler.syntax.again import Lexer
from cpol.compiler.vocabulary.event import EVENTS
from cpol.editor.lsp import paint
from cpol.editor.lsp.texts import Texts
from cpol.grammar.generated.CpolLexer import CpolLexer
from cpol.version import __version__

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "editors" / "vscode"
PACKAGE: dict[str, Any] = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
GRAMMAR = FOLDER / "syntaxes" / "cpol.tmLanguage.json"
MADE = runpy.run_path(str(ROOT / "scripts" / "textmate.py"))
SOFT = MADE["SOFT"]


def test_the_grammar_is_as_the_words_of_the_language_make_it() -> None:
    assert GRAMMAR.read_text(encoding="utf-8") == MADE["text"]()


def test_it_names_files_that_are_there() -> None:
    contributes = PACKAGE["contributes"]
    names = [contributes["languages"][0]["configuration"], contributes["grammars"][0]["path"]]
    for name in names:
        json.loads((FOLDER / name).read_text(encoding="utf-8"))
    assert PACKAGE["version"] == __version__
    assert "extension.js" in PACKAGE["scripts"]["bundle"] and (FOLDER / "extension.js").is_file()


def test_each_lens_has_its_command() -> None:
    texts = Texts()
    texts.change("/a.cpol", (STDLIB / "fifo.cpol").read_text(encoding="utf-8"))
    lenses = {lens.command.command for lens in paint.lenses(texts, "/a.cpol") if lens.command}
    contributed = {each["command"] for each in PACKAGE["contributes"]["commands"]}
    code = (FOLDER / "extension.js").read_text(encoding="utf-8")
    assert lenses == contributed == set(re.findall(r'^    "(cpol\.\w+)":', code, re.MULTILINE))


def test_it_launches_with_what_the_adapter_reads() -> None:
    (debugger,) = PACKAGE["contributes"]["debuggers"]
    adapter = (ROOT / "src" / "cpol" / "editor" / "dap" / "adapter.py").read_text(encoding="utf-8")
    body = adapter[adapter.index("def on_launch") : adapter.index("def _test")]
    read = set(re.findall(r'given\.(?:text|flag|number)\("(\w+)"', body))
    assert set(debugger["configurationAttributes"]["launch"]["properties"]) == read


def test_nothing_of_a_registry_is_in_the_lock_file() -> None:
    assert '"resolved"' not in (FOLDER / "package-lock.json").read_text(encoding="utf-8")


@pytest.mark.long
def test_what_is_installed(built: Path) -> None:
    with zipfile.ZipFile(built / "cpol.vsix") as file:
        names = set(file.namelist())
        assert names == {
            "[Content_Types].xml",
            "extension.vsixmanifest",
            "extension/package.json",
            "extension/readme.md",
            "extension/language-configuration.json",
            "extension/syntaxes/cpol.tmLanguage.json",
            "extension/dist/extension.js",
        }
        assert file.read("extension/syntaxes/cpol.tmLanguage.json") == GRAMMAR.read_bytes()
        assert json.loads(file.read("extension/package.json"))["main"] == "./dist/extension.js"
        bundle = file.read("extension/dist/extension.js").decode()
        manifest = ElementTree.fromstring(file.read("extension.vsixmanifest"))
    identity = next(manifest.iter("{http://schemas.microsoft.com/developer/vsx-schema/2011}Identity"))
    assert (identity.get("Id"), identity.get("Version")) == ("cpol", __version__)
    of_node = subprocess.run(("node", "-p", "require('module').builtinModules"), capture_output=True, check=True).stdout
    found = set(re.findall(r'\brequire\("([^"./]+)[^"]*"\)', bundle))
    assert "vscode" in found
    assert not [name for name in found - {"vscode"} if f"'{name.removeprefix('node:')}'".encode() not in of_node]
    done = subprocess.run(("node", "--check", built / "vscode" / "dist" / "extension.js"), check=False)
    assert done.returncode == 0


KINDS = {
    CpolLexer.DOC: "comment.line.documentation",
    CpolLexer.COMMENT: "comment.line",
    CpolLexer.STRING: "string.",
    CpolLexer.INT: "constant.numeric",
    CpolLexer.FIXED: "constant.numeric",
}


@pytest.mark.long
def test_the_grammar_paints_as_the_lexer_reads(built: Path) -> None:
    files = sorted(map(str, STDLIB.rglob("*.cpol")))
    command = ("node", str(Path(__file__).with_name("scopes.js")), str(built / "vscode" / "node_modules"), str(GRAMMAR))
    done = subprocess.run((*command, *files), capture_output=True, text=True, check=True, timeout=300)
    painted = json.loads(done.stdout)
    lexer = Lexer()
    seen = 0
    for file in files:
        for token in lexer.tokens(Path(file).read_text(encoding="utf-8"))[:-1]:
            line = painted[file][token.line - 1]
            end = token.column + token.stop - token.start
            scope, last = (
                next(scope for start, stop, scope in line if start <= at < stop) for at in (token.column, end)
            )
            where = f"{file}:{token.line}:{token.column + 1} {token.text!r}: {scope}"
            if token.type in KINDS:
                seen += 1
                assert scope.startswith(KINDS[token.type]) and last == scope, where
            elif token.type < len(CpolLexer.literalNames) and token.text.isalpha() and token.text not in SOFT:
                seen += 1
                expected = ("keyword.", "storage.", "constant.language", "entity.name.function.event", "variable.other")
                assert scope.startswith(expected), where
            elif token.text.isidentifier():
                plain = "source.cpol", "entity.", "variable.", "support.", "keyword.other.unit"
                assert scope.startswith(plain), where
    assert seen > 5_000
    assert any(scope.endswith("event.cpol") for line in painted[files[0]] for *_, scope in line)
    assert len(EVENTS) > 10
