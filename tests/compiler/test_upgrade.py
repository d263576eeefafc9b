"""`cpolc fmt --upgrade`: names that became words of the language."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format.text import format_text
from cpol.compiler.format.upgrade import upgrade
from cpol.compiler.stages import run
from cpol.compiler.syntax.errors.place import LAST_WORD
from cpol.compiler.syntax.errors.words import NEWER_WORDS
from cpol.grammar.generated.CpolLexer import CpolLexer

# fmt: off
FIRST_WORDS = frozenset((
    "policy", "const", "param", "enum", "list", "ghost", "folio", "state", "table", "input", "fn", "score", "on",
    "every", "invariant", "test", "expect", "let", "if", "then", "else", "for", "place", "leave", "refuse", "move",
    "scan", "evict", "stop", "keep", "when", "otherwise", "lowest", "at", "to", "of", "from", "up", "as", "in", "head",
    "tail", "true", "false", "and", "or", "not", "hand", "fault", "prefetch", "pin",
))
# fmt: on
"""The keywords of the first language, which no policy has as names. A new keyword goes to NEWER_WORDS."""

OLD = """\
policy old {
  list WORD, WORD_  // WORD stays in a comment
  state n: u64 = 0
  folio { seen: bool = false }
  fn twice(x: u64): u64 = x * 2
  on added(f)    { place f at tail of WORD  n = twice(WORD.size) }
  on accessed(f) { f.seen = true  move f to head of WORD_ }
  on evict {
    scan WORD from head as f { evict f }
    scan WORD_ from head as f { evict f }
  }
}
"""


@pytest.mark.parametrize("word", sorted(NEWER_WORDS))
def test_names_are_renamed(word: str) -> None:
    old = OLD.replace("WORD", word)
    with pytest.raises(CompileError) as error:
        run(old, "old.cpol")
    assert "fmt --upgrade" in error.value.diagnostics[0].help
    new, names = upgrade(old, "old.cpol")
    assert names == {word: f"{word}__"}, "a name that is not used"
    run(new, "old.cpol")
    assert f"list {word}__, {word}_  // {word} stays in a comment" in new


def test_every_keyword_is_old_or_newer() -> None:
    words = {name.strip("'") for name in CpolLexer.literalNames[CpolLexer.POLICY : LAST_WORD + 1]}
    assert words - FIRST_WORDS == NEWER_WORDS


def test_several_names_at_once() -> None:
    old = (
        "policy p { list var, match on added(f) { place f at tail of var } "
        "on evict { scan match from head as return { evict return } } }"
    )
    new, names = upgrade(old, "p.cpol")
    assert names == {"var": "var_", "match": "match_", "return": "return_"}
    assert format_text(new, "p.cpol").count("_") == 6


def test_right_text_stays() -> None:
    text = OLD.replace("WORD", "queue")
    assert upgrade(text, "p.cpol") == (text, {})


def test_other_mistakes_are_told_as_they_were() -> None:
    for wrong in ("list policy", "list match list", "list match }"):
        text = f"policy p {{ {wrong} on added(f) {{ place f at tail of match }} }}"
        with pytest.raises(CompileError) as error:
            upgrade(text, "p.cpol")
        assert error.value.diagnostics[0].source.text == text


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "old.cpol"
    path.write_text(OLD.replace("WORD", "match"))
    assert CliRunner().invoke(cli, ["fmt", str(path)]).exit_code == 1
    done = CliRunner().invoke(cli, ["fmt", "--upgrade", str(path)])
    assert (done.exit_code, done.output) == (0, f"{path}: `match` is now `match__`\n")
    assert CliRunner().invoke(cli, ["fmt", "--check", str(path)]).exit_code == 0
