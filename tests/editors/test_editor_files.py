"""The files that Neovim, Helix and Zed read, and the scripts that install them."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from correspondence import GRAMMAR
from lupa import LuaRuntime
from tree_sitter import Parser, Query

from cpol.cli.main import COMMANDS

EDITORS = GRAMMAR.parent
SCRIPTS = ["nvim/build", "helix/install", "zed/prepare"]
VIM = """
calls, given = {}, {}
local function note(name)
  return function(...)
    table.insert(calls, name)
    given[name] = {...}
  end
end
local buffer, window = {}, {}
vim = {
  bo = buffer, wo = window,
  filetype = { add = note("filetype.add") },
  lsp = { enable = note("lsp.enable"), commands = {} },
  fn = { executable = function(name) return name == "cpolc" and found or 0 end },
  treesitter = { start = function() if not parser then error("no parser") end end },
}
"""


def run(file: str, **settings: Any) -> tuple[LuaRuntime, Any]:
    """Run a file of Neovim's with a stand-in for `vim`. Returns Lua, and what the file returns."""
    lua = LuaRuntime()
    lua.execute(VIM)
    for name, value in settings.items():
        lua.globals()[name] = value
    return lua, lua.execute((EDITORS / "nvim" / file).read_text(encoding="utf-8"))


def test_neovim_knows_the_files() -> None:
    lua, _ = run("plugin/cpol.lua", found=1)
    assert list(lua.globals().calls.values()) == ["filetype.add", "lsp.enable"]
    assert dict(lua.eval('given["filetype.add"][1].extension')) == {"cpol": "cpol"}
    assert set(lua.globals().vim.lsp.commands) == {"cpol.test", "cpol.check", "cpol.step", "cpol.simulate"}
    lua, _ = run("plugin/cpol.lua", found=0)
    assert list(lua.globals().calls.values()) == ["filetype.add"], "without cpolc there is no server to start"


def test_neovim_starts_the_server() -> None:
    _, settings = run("lsp/cpol.lua")
    assert list(settings.cmd.values()) == ["cpolc", "lsp"] and "lsp" in COMMANDS
    assert list(settings.filetypes.values()) == ["cpol"]


@pytest.mark.parametrize("parser", [True, False])
def test_neovim_sets_up_a_buffer(parser: bool) -> None:
    lua, _ = run("ftplugin/cpol.lua", parser=parser)
    assert lua.eval("vim.bo.formatprg") == "cpolc fmt -"
    assert lua.eval("vim.bo.commentstring").replace("%s", "x") == "// x"
    assert (lua.eval("vim.wo.foldmethod") == "expr") is parser


@pytest.mark.slow
def test_neovim_builds_the_parser(tmp_path: Path) -> None:
    for name in ("nvim", "tree-sitter-cpol/src"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        subprocess.run(["cp", "-r", EDITORS / name, tmp_path / name], check=True)
    subprocess.run([tmp_path / "nvim/build"], check=True, env={**os.environ, "CC": "clang-19"}, timeout=300)
    assert b"tree_sitter_cpol\0" in (tmp_path / "nvim/parser/cpol.so").read_bytes()
    assert (EDITORS / "nvim/queries/cpol/highlights.scm").is_file()


def test_helix_installs_once(tmp_path: Path) -> None:
    config = tmp_path / "helix"
    config.mkdir()
    (config / "languages.toml").write_text('[[language]]\nname = "rust"\n')
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run([EDITORS / "helix/install"], env=environment, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "") and "hx --grammar build" in done.stdout
    settings = tomllib.loads((config / "languages.toml").read_text())
    assert [each["name"] for each in settings["language"]] == ["rust", "cpol"]
    ours = settings["language"][1]
    assert ours["language-servers"] == list(settings["language-server"]) == ["cpol"]
    assert settings["language-server"]["cpol"] == {"command": "cpolc", "args": ["lsp"]}
    assert ours["formatter"] == {"command": "cpolc", "args": ["fmt", "-"]} and "fmt" in COMMANDS
    (grammar,) = settings["grammar"]
    assert grammar["name"] == ours["grammar"]
    assert (Path(grammar["source"]["path"]) / "src/parser.c").is_file()
    queries = {path.name for path in (config / "runtime/queries/cpol").iterdir() if not path.is_symlink()}
    assert queries == {
        f"{name}.scm" for name in ("highlights", "injections", "locals", "folds", "indents", "textobjects")
    }


def test_helix_names_an_entry_of_another_checkout(tmp_path: Path) -> None:
    """It stays, since who wrote it may want it, but it is not silently kept."""
    settings = tmp_path / "helix/languages.toml"
    settings.parent.mkdir()
    theirs = '[language-server.cpol]\ncommand = "cpolc"\n\n[[grammar]]\nname = "cpol"\nsource = { path = "/gone" }\n'
    settings.write_text(theirs)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run([EDITORS / "helix/install"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and settings.read_text() == theirs
    assert f'source = {{ path = "{EDITORS}/tree-sitter-cpol" }}' in done.stderr


def test_zed_has_an_extension(tmp_path: Path) -> None:
    out = tmp_path / "zed"
    subprocess.run([EDITORS / "zed/prepare", out], check=True, capture_output=True, timeout=60)
    extension = tomllib.loads((out / "extension.toml").read_text())
    grammar = extension["grammars"]["cpol"]
    root = Path(grammar["repository"].removeprefix("file://"))
    assert (root / grammar["path"] / "grammar.js").samefile(GRAMMAR / "grammar.js")
    named = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    assert grammar["commit"] == named.strip()
    language = tomllib.loads((out / "languages/cpol/config.toml").read_text())
    assert extension["language_servers"]["cpol"]["languages"] == [language["name"]]
    assert language["grammar"] in extension["grammars"]
    assert (
        tomllib.loads((out / "Cargo.toml").read_text())["lib"]["path"] == "src/lib.rs"
        and (out / "src/lib.rs").is_file()
    )
    assert not [path for path in out.rglob("*") if path.is_symlink()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in sorted(EDITORS.glob("*/**/*.scm")) if GRAMMAR not in path.parents],
    ids=lambda path: str(path.relative_to(EDITORS)),
)
def test_queries_of_editors_fit_the_grammar(parser: Parser, path: Path) -> None:
    assert parser.language is not None
    Query(parser.language, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_can_be_run(script: str) -> None:
    assert os.access(EDITORS / script, os.X_OK)
