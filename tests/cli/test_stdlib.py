"""`cpolc stdlib`, and the resolution of POLICY."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.doc.summary import summary_of
from cpol.compiler.policies import STDLIB, stdlib_names
from cpol.compiler.stages import run_file


def cpolc(*args: str) -> Result:
    return CliRunner().invoke(cli, args)


@pytest.mark.slow
def test_list_has_every_policy_with_its_summary() -> None:
    result = cpolc("stdlib", "list", "--json")
    assert result.exit_code == 0, result.output
    listed = [json.loads(line) for line in result.output.splitlines()]
    assert [entry["name"] for entry in listed] == stdlib_names()
    assert {"fifo", "mru", "lfu", "s3fifo"} <= set(stdlib_names())
    assert all(entry["summary"] and entry["kinds"] for entry in listed)
    kinds = {entry["name"]: entry["kinds"] for entry in listed}
    assert kinds["lru"] == ["evicts"] and kinds["leap"] == ["prefetches"] and kinds["write_through"] == ["ranges"]
    assert kinds["drop_behind"] == ["prefetches", "ranges"]
    assert {kind for each in kinds.values() for kind in each} == {"evicts", "prefetches", "ranges", "swap"}


@pytest.mark.slow
def test_summaries_are_those_of_the_compiler() -> None:
    lines = cpolc("stdlib", "list").output.splitlines()
    docs = {name: run_file(STDLIB / f"{name}.cpol").policy.doc for name in stdlib_names()}
    assert lines == [f"{name:18} {summary_of(doc)[0].removesuffix('.')}" for name, doc in docs.items()]


def test_list_needs_no_compiler() -> None:
    # 42 policies take a second to compile; their summaries take a tenth to read.
    code = (
        "import sys; from cpol.cli.main import main; sys.argv = ['cpolc', 'stdlib', 'list']\n"
        "try: main()\nfinally: assert 'cpol.grammar.generated.CpolParser' not in sys.modules, 'a parser'"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0 and len(ran.stdout.splitlines()) == len(stdlib_names()), ran.stderr


def test_cat_prints_the_source() -> None:
    assert cpolc("stdlib", "cat", "lfu").output == (STDLIB / "lfu.cpol").read_text(encoding="utf-8")


def test_show_prints_params_as_written() -> None:
    shown = json.loads(cpolc("stdlib", "show", "s3fifo", "--json").output)
    share = next(param for param in shown["params"] if param["name"] == "small_percent")
    assert (share["default"], share["low"], share["high"]) == ("10", "1", "50")
    assert shown["lists"] == ["small", "main"]


def test_show_tells_ghosts_records_and_inputs_apart() -> None:
    shown = json.loads(cpolc("stdlib", "show", "stream", "--json").output)
    assert (shown["ghosts"], shown["records"], shown["lists"]) == ([], ["task"], [])
    text = cpolc("stdlib", "show", "stream").output
    assert "Each thread: end: u64, " in text and "Lists" not in text and "Ghost" not in text
    text = cpolc("stdlib", "show", "admit").output
    assert "\n  bypass  ids of the threads whose reads are not cached\n" in text and "Lists" not in text
    assert "Ghost recent\n" in cpolc("stdlib", "show", "s3fifo").output


def test_unknown_name_suggests_the_nearest() -> None:
    result = cpolc("stdlib", "cat", "s3fif")
    assert result.exit_code == 1
    assert "did you mean `s3fifo`?" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("",), "POLICY is empty; give a name of the standard library"),
        (("check", ""), "POLICY is empty; give a name of the standard library"),
        (("LRU",), "did you mean `lru`?"),
        (("check", "S3FIFO"), "did you mean `s3fifo`?"),
        (("check", "lru.cpol"), "no such policy file: lru.cpol; that of the standard library is `lru`"),
        (("check", "dangling.cpol"), "no such policy file: dangling.cpol; `cpolc stdlib list` shows"),
        (("stdlib", "cat", "sketch"), "`sketch` is a library, not a policy; `cpolc stdlib cat lib/sketch` shows it"),
        (("stdlib", "show", "lib/sketch"), "`sketch` is a library, not a policy"),
        (("doc", "lib/sketch"), "and `cpolc stdlib list --libraries` lists all"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else None,
)
def test_what_names_no_policy(
    words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dangling.cpol").symlink_to("nowhere")
    result = cpolc(*words)
    assert result.exit_code in (1, 2) and says in result.stderr, result.output


def test_missing_policy_file_is_named() -> None:
    result = cpolc("nowhere/mine.cpol")
    assert result.exit_code == 1
    assert "no such policy file: nowhere/mine.cpol" in result.output


def test_missing_policy_file_suggests_its_neighbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tuned.cpol").write_text("")
    monkeypatch.chdir(tmp_path)
    result = cpolc("tuend.cpol")
    assert result.exit_code == 1
    assert "no such policy file: tuend.cpol; did you mean tuned.cpol?" in result.output


def test_first_word_may_be_a_policy() -> None:
    result = cpolc("atach", "x")
    assert result.exit_code != 0
    assert "Traceback" not in result.output


def test_every_command_has_help() -> None:
    for name in cli.list_commands(None):
        result = cpolc(name, "--help")
        assert result.exit_code == 0, (name, result.output)
        assert result.output.startswith("Usage:")


def test_libraries() -> None:
    rows = [json.loads(line) for line in cpolc("stdlib", "list", "--libraries", "--json").output.splitlines()]
    assert [row["name"] for row in rows] == ["balance", "buckets", "climb", "ewma", "sketch", "swapin"]
    assert rows[4]["summary"].startswith("A count-min sketch with ageing")
    assert "library ewma {" in cpolc("stdlib", "cat", "lib/ewma").output
    assert cpolc("stdlib", "cat", "lib/nosuch").exit_code == 1
    assert cpolc("stdlib", "cat", "lib/../fifo").exit_code == 1
