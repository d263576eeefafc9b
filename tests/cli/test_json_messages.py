"""`--json`: standard error has one JSON object per line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.stages import run

WRONG = """policy wrong {
  list queue
  list queue
  on added(f) { place f at tail of quue }
  on evict { scan queue from head as f { evict f } }
}
"""
SYNTAX = "policy wrong { list q }}\n"
UNUSED = """policy unused {
  param never: u8 = 1 in 0..2
  list queue
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
}
"""
COMMANDS = [
    ("compile", 1),
    ("check", 2),
    ("test", 2),
    ("sim --trace keys --capacity 1", 1),
    ("cost", 1),
]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.cpol").write_text(WRONG)
    (tmp_path / "syntax.cpol").write_text(SYNTAX)
    (tmp_path / "unused.cpol").write_text(UNUSED)
    (tmp_path / "keys").write_text("1\n2\n")


def cpolc(words: str) -> Result:
    return CliRunner().invoke(cli, [*words.split(), "--json"])


def said(done: Result) -> list[dict[str, Any]]:
    """Return the lines of standard error, parsed; each must be an object."""
    found = [json.loads(line) for line in done.stderr.splitlines()]
    assert all(list(one) == ["severity", "code", "message", "spans", "why", "help", "fix"] for one in found)
    return found


@pytest.mark.parametrize(("command", "code"), COMMANDS)
def test_errors_of_a_policy_as_json(command: str, code: int) -> None:
    done = cpolc(f"{command} ./wrong.cpol")
    assert (done.exit_code, done.stdout) == (code, "")
    with pytest.raises(CompileError) as refused:
        run(WRONG, "./wrong.cpol")
    found = said(done)
    expected = [(d.severity.value, d.code, d.message, d.why, d.help) for d in refused.value.diagnostics]
    assert len(expected) == 2
    assert [(d["severity"], d["code"], d["message"], d["why"] or "", d["help"] or "") for d in found] == expected


def test_spans_as_json() -> None:
    twice, unknown = said(cpolc("check ./wrong.cpol"))
    (span,) = unknown["spans"]
    place = {key: span[key] for key in ("file", "line", "column", "end_line", "end_column", "primary")}
    expected = {"file": "wrong.cpol", "line": 4, "column": 36, "end_line": 4, "end_column": 40, "primary": True}
    assert place == expected and WRONG.splitlines()[3][35:39] == "quue"
    assert "queue" in unknown["help"]
    primary, other = twice["spans"]
    assert (primary["line"], primary["primary"], other["line"], other["primary"]) == (3, True, 2, False)
    assert other["label"]


def test_warning_and_written_file_as_json() -> None:
    warning, note = said(cpolc("compile ./unused.cpol"))
    assert (warning["severity"], warning["code"], warning["spans"][0]["line"]) == ("warning", "W0401", 2)
    assert note["severity"] == "note" and note["message"].startswith("unused.bpf.o: unused, ")


def test_fmt() -> None:
    done = cpolc("fmt --check ./syntax.cpol ./unused.cpol ./wrong.cpol ./none.cpol")
    assert done.exit_code == 1
    syntax, *_, none = said(done)
    assert syntax["severity"] == "error" and syntax["spans"][0]["line"] == 1
    (span,) = none["spans"]
    assert (span["file"], span["line"], span["end_column"]) == ("./none.cpol", None, None)
    Path("wide.cpol").write_text("policy  w { }\n")
    (note,) = said(cpolc("fmt --check wide.cpol"))
    assert (note["severity"], note["message"]) == ("note", "would change: wide.cpol")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("check ./none.cpol", 2),
        ("nope", 1),
        ("chek ./wrong.cpol", 2),
        ("sim fifo --trace keys --capacity 0", 2),
        ("sim fifo --trace none --capacity 1", 1),
        ("cost fifo --profile none", 2),
        ("test fifo --no-such-option", 2),
    ],
)
def test_other_errors_as_json(words: str, code: int) -> None:
    done = cpolc(words)
    (error,) = said(done)
    assert done.exit_code == code
    assert (error["severity"], error["code"], error["spans"]) == ("error", None, []) and error["message"]


def test_text_that_is_not_utf8_as_json() -> None:
    name = b"\xff.cpol".decode(errors="surrogateescape")
    Path(name).write_bytes(b"policy \xff\n")
    done = CliRunner().invoke(cli, ["check", f"./{name}", "--json"])
    (error,) = said(done)
    assert done.exit_code == 2 and error["spans"][0]["file"].endswith(name)


def test_words_after_two_dashes_are_not_options() -> None:
    done = CliRunner().invoke(cli, ["input", "/cg", "hot", "eat", "--", "--json"])
    assert done.exit_code == 2 and done.stderr.startswith("Usage: ")
